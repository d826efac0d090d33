"""Edits that take away what suppresses nothing."""

from __future__ import annotations

import re
from collections.abc import Collection

from promptlint.finding import Edit, Fix, Safety
from promptlint.source import Place, Span
from promptlint.suppression.comments import Comment
from promptlint.suppression.syntax import is_alone
from promptlint.toml_keys import table_lines
from promptlint.unit import Unit

_BLANK = re.compile(r"[ \t]*\r?\n|[ \t]+$")
_NAMES = re.compile(r"promptlint:[^\[\n]*\[(?P<names>[^\]\n]*)\]")


def removal(unit: Unit, comment: Comment, useless: Collection[str]) -> tuple[Fix, ...]:
    """Delete a comment, or those of its names that are of no use.

    A comment of a template that stands at the end of a line, or alone on it, may take the line end away or keep it,
    which the template's program decides: taking it out is not safe.
    """
    if left := [name for name in comment.rules if name not in useless]:
        return _without_names(comment, left)
    source, span = unit.source, comment.place.span
    text = source.text
    if not text.startswith(("#", "//"), span.start) and unit.module is None:
        beside = text[span.end : span.end + 1]
        stays = beside not in ("", "\n", "\r") and not is_alone(unit, span) and "-" not in _edges(comment.place.text)
        return (Fix("delete the comment", Safety.SAFE if stays else Safety.UNSAFE, (Edit(comment.place, ""),)),)
    starts = source.line_starts()
    start = starts[source.position(span.start).line - 1]
    if is_alone(unit, span):
        following = source.position(span.end).line
        whole = Span(start, starts[following] if following < len(starts) else len(text))
    else:
        whole = Span(start + len(text[start : span.start].rstrip()), span.end)
    return (Fix("delete the comment", Safety.SAFE, (Edit(Place(source, whole), ""),)),)


def entry_removal(place: Place) -> tuple[Fix, ...]:
    """Delete an entry `[[suppress]]` that stands at a place of the configuration; comments around it stay.

    An entry of an array in brackets is left to its owner: how such an array is laid out is anybody's guess.
    """
    source, lines = place.source, table_lines(place.source.text, place.span.start)
    if lines is None:
        return ()
    text, start, end = source.text, lines.start, lines.end
    while (blank := _BLANK.match(text, end)) is not None:
        end = blank.end()
    if end == len(text):
        above = text[:start].rstrip()
        start = text.find("\n", len(above)) + 1 if above else 0
    return (Fix("delete the entry", Safety.SAFE, (Edit(Place(source, Span(start, end)), ""),)),)


def _without_names(comment: Comment, left: Collection[str]) -> tuple[Fix, ...]:
    found = _NAMES.search(comment.place.text)
    if found is None:
        return ()
    names = Place(comment.place.source, Span(*found.span("names")).shifted(comment.place.span.start))
    return (Fix("delete the names that are of no use", Safety.SAFE, (Edit(names, ", ".join(left)),)),)


def _edges(text: str) -> str:
    """The characters in which a template says that blanks beside a comment go."""
    return text[2:3] + text[-3:-2]
