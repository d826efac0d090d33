"""Which lines of a file its comments speak of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from promptlint.source import Source, Span
from promptlint.suppression.statements import statements
from promptlint.suppression.syntax import Written, is_alone
from promptlint.unit import Unit

_CONTINUES = re.compile(r"(?:[|>][-+0-9]*|[(\[{=`]|\"\"\"|''')\s*$")
"""The end of a line whose value begins on the next one: a YAML block scalar, an open bracket or quote."""

_Lines = tuple[int, int]


def lines(source: Source, span: Span) -> _Lines:
    """First and last line of a span, counted from 1; a line end at its end adds no line."""
    end = max(span.start, span.end - 1)
    return source.position(span.start).line, source.position(end).line


class Reach:
    """Lines that the comments `found` in a file speak of. Looks at the file once, however many they are."""

    def __init__(self, unit: Unit, found: Sequence[Written]) -> None:
        self._source = unit.source
        self._alone = {each.span for each in found if is_alone(unit, each.span)}
        self._next = _next_lines(unit.source, self._alone) if self._alone else {}
        outside = any(not each.inside for each in found)
        self._narrowest = _narrowest(_wholes(unit, found)) if outside else {}

    def of(self, comment: Written) -> _Lines:
        """The comment's own lines, or the next one with anything on it when it stands alone.

        A comment outside the prompts speaks of the whole string, or in a program the whole statement, that begins, goes
        on or ends there: inside a string no comment can stand.
        """
        first, last = lines(self._source, comment.span)
        if comment.span in self._alone:
            first = last = self._next.get(last, last)
        return (first, last) if comment.inside else self._narrowest.get(first, (first, last))


def _next_lines(source: Source, alone: set[Span]) -> dict[int, int]:
    """For each line the next one that holds anything but comments that stand alone."""
    taken: set[int] = set()
    for span in alone:
        first, last = lines(source, span)
        taken.update(range(first, last + 1))
    following: dict[int, int] = {}
    found = None
    for number in range(len(source.line_starts()), 0, -1):
        if found is not None:
            following[number] = found
        if number not in taken and source.line(number).strip():
            found = number
    return following


def _narrowest(wholes: Iterator[_Lines]) -> dict[int, _Lines]:
    """For each line the shortest of the ranges that hold it, of several the first."""
    by_length = sorted(dict.fromkeys(wholes), key=lambda each: each[1] - each[0])
    found: dict[int, _Lines] = {}
    for first, last in reversed(by_length):
        found.update(dict.fromkeys(range(first, last + 1), (first, last)))
    return found


def _wholes(unit: Unit, found: Sequence[Written]) -> Iterator[_Lines]:
    """First and last line of each string that is a prompt's text, with the line that announces it; or statement."""
    source = unit.source
    if unit.module is not None:
        yield from (lines(source, span) for span in statements(unit.module.body))
    begun: dict[int, int] = {}
    for each in reversed(found):
        position = source.position(each.span.start)
        begun[position.line] = position.column - 1
    for prompt in unit.prompts:
        for message in prompt.messages:
            pieces = message.template.pieces
            if pieces:
                first, last = lines(source, Span(pieces[0].span.start, pieces[-1].span.end))
                above = source.line(first - 1)[: begun.get(first - 1)] if first > 1 else ""
                yield first - 1 if _CONTINUES.search(above) else first, last
