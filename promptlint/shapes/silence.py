"""Surroundings and values for which a shape says nothing, or less."""

from __future__ import annotations

from promptlint.events import Confidence
from promptlint.shapes.table import Row, compiled, quiet

_PARAGRAPH = 400
"""Characters before a value in which the first line of its paragraph is looked for."""

_FEWEST = 5
"""Different digits that a random value of 16 and more has at least, but for one in millions."""


def lowered(row: Row, text: str, begin: int, start: int, end: int) -> Confidence | None:
    """What is left of the row's confidence where it matched `text[begin:end]` with the value from `start` on.

    None where the value is called an example, is a placeholder or is counted only under a condition.
    """
    if (row.kind in _NAMED and _is_placeholder(text[start:end])) or _is_example(text, begin, start, end):
        return None
    before = text[max(begin - quiet().reach, 0) : begin]
    if row.kind == "counter" and compiled(quiet().counted).search(before):
        return None
    if _is_fixed(row, before) or (row.kind == "id" and _is_linked(text, begin)):
        return None if row.confidence is Confidence.LOW else Confidence.LOW
    return row.confidence


_LINK = 256
"""Characters before a value in which the link that it is part of may begin."""

_NAMED = frozenset({"id", "session", "identity", "tenant"})
"""Kinds whose values documentation makes up; a clock's or counter's `12` is a value like any other."""

_SAID = frozenset({"today", "time-of-day", "epoch"})
"""Rows whose own key says that the clock is now."""


def _is_placeholder(value: str) -> bool:
    if compiled(quiet().values).fullmatch(value):
        return True
    bare = value.replace("-", "").lower()
    return len(bare) >= 16 and bare.isalnum() and len(set(bare)) < _FEWEST


def _is_fixed(row: Row, before: str) -> bool:
    return row.kind == "clock" and row.name not in _SAID and compiled(quiet().own).search(before) is not None


def _is_linked(text: str, begin: int) -> bool:
    return compiled(quiet().link).search(text[max(begin - _LINK, 0) : begin]) is not None


def _is_example(text: str, begin: int, start: int, end: int) -> bool:
    reach = quiet().reach
    example = compiled(quiet().example)
    if example.search(text[max(begin - reach, 0) : begin]) or example.search(text[max(start - reach, 0) : start]):
        return True
    if compiled(quiet().after).match(text, end, end + reach):
        return True
    line = text.rfind("\n\n", max(begin - _PARAGRAPH, 0), begin)
    if line < 0 and begin > _PARAGRAPH:
        return False
    return compiled(quiet().paragraph).match(text, line + 2 if line >= 0 else 0, begin) is not None
