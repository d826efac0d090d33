"""The lines around a value that could change places: text of one message that stands under the same conditions."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from promptlint.prompt import Segment
from promptlint.source import Source, Span

HOLE = "\ufffc"
"""Stands for a value in the prose of a line."""

_FENCE = re.compile(r"\s*(?:```|~~~)")
_TAG = re.compile(r"<(?P<closes>/?)(?P<name>[A-Za-z][\w.-]*)(?:\s[^<>]*)?(?P<empty>/?)>")
_POINTS_UP = re.compile(r"(?i)\b(?:above|preceding|aforementioned)\b|<\|")
_QUOTES = ("'", '"', "`")

Level = tuple[int, ...]
"""The elements that are open, each by the line that opens it; what closes one of outside begins another level."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the source. `prose` is what it says without indentation and line end, its holes as `HOLE`.

    `level` holds in front of it and `after` behind it; `fenced` says that it is part of a code fence, its ends
    included. `ended` says that the line ends here, and not in markup that follows, `is_as_written` that the file holds
    its text as the model reads it, `is_crossable` also that nothing in it speaks of what stands above.
    """

    span: Span
    prose: str
    indent: int
    segments: tuple[Segment, ...]
    level: Level
    after: Level
    fenced: bool
    ended: bool
    is_as_written: bool
    is_crossable: bool


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines that touch, with the number of the one that holds the value."""

    source: Source
    lines: tuple[Line, ...]
    at: int


class Passages:
    """The passages of a prompt, each cut into lines once."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        self._first: list[int] = []
        for index in range(len(segments)):
            joined = index > 0 and _is_joined(segments[index - 1], segments[index])
            self._first.append(self._first[-1] if joined else index)
        self._lines: dict[int, tuple[Line, ...]] = {}

    def around(self, index: int) -> Passage | None:
        """The lines around a segment. None where lines of the file are no lines of the prompt."""
        place, first = self._segments[index].place, self._first[index]
        if place is None:
            return None
        if first not in self._lines:
            stop = bisect_right(self._first, first)
            self._lines[first] = tuple(_lines(place.source, self._segments[first:stop]))
        lines = self._lines[first]
        at = bisect_right(lines, place.span.start, key=lambda line: line.span.start) - 1
        return Passage(place.source, lines, at) if at >= 0 else None


def is_as_written(segment: Segment) -> bool:
    """Whether the file holds a text as it is, but for indentation and doubled braces."""
    if segment.text is None or segment.place is None:
        return True
    written = segment.place.text
    undoubled = written.replace("{{", "{").replace("}}", "}")
    return _stripped(segment.text) in (_stripped(written), _stripped(undoubled))


def _stripped(text: str) -> list[str]:
    return [line for part in text.splitlines() if (line := part.strip())]


def _is_joined(one: Segment, other: Segment) -> bool:
    """Whether the second stands directly behind the first, in the same message and under the same conditions."""
    if one.place is None or other.place is None or one.place.source is not other.place.source:
        return False
    end, start, text = one.place.span.end, other.place.span.start, one.place.source.text
    between = text[end:start]
    indented = not between.strip(" \t") and text[end - 1 : end] == "\n"
    alike = [(each.field, each.message, each.role, [(by.group, by.arm) for by in each.guards]) for each in (one, other)]
    return start >= end and (indented or between in ("", "{", "}")) and alike[0] == alike[1]


def _lines(source: Source, stretch: Sequence[Segment]) -> Iterator[Line]:
    level: Level = ()
    fenced = False
    below, written = deque(stretch), {id(each): is_as_written(each) for each in stretch}
    held: list[Segment] = []
    for number, span in enumerate(_cut(source, stretch)):
        while below and _span(below[0]).start < span.end:
            held.append(below.popleft())
        held = [each for each in held if _span(each).end > span.start]
        prose = _prose(source, held, span)
        toggles = _FENCE.match(prose) is not None
        after = level if fenced or toggles else _after(prose.strip(), level, number)
        closed = span.end == len(source.text) or source.text[span.end] in (*_QUOTES, "\r", "\n")
        ended = source.text[span.end - 1] in "\r\n" or closed
        indent = len(prose) - len(prose.lstrip())
        plain = all(written[id(each)] for each in held)
        crossable = plain and _POINTS_UP.search(prose) is None
        marked = fenced or toggles
        yield Line(span, prose.strip(), indent, tuple(held), level, after, marked, ended, plain, crossable)
        level, fenced = after, fenced != toggles


def _cut(source: Source, stretch: Sequence[Segment]) -> Iterator[Span]:
    """The lines of a stretch; a value that takes several is not cut, and a line that begins in markup left out."""
    spans = [_span(each) for each in stretch]
    start, end, starts = spans[0].start, spans[-1].end, source.line_starts()
    values = deque(span for span, each in zip(spans, stretch, strict=True) if each.text is None)
    cuts = []
    for cut in starts[bisect_right(starts, start) : bisect_left(starts, end)]:
        while values and values[0].end <= cut:
            values.popleft()
        if not values or cut <= values[0].start:
            cuts.append(cut)
    begin = starts[bisect_right(starts, start) - 1]
    if not source.text[begin:start].strip():
        cuts.insert(0, begin)
    elif source.text.endswith(_QUOTES, 0, start) and not _is_indented(source.text[start:end]):
        cuts.insert(0, start)
    for first, last in pairwise([*cuts, end]):
        yield Span(first, last)


def _prose(source: Source, held: Sequence[Segment], span: Span) -> str:
    text, at = "", span.start
    for segment in held:
        if segment.text is None:
            text += source.text[at : _span(segment).start] + HOLE
            at = _span(segment).end
    return text + source.text[at : span.end]


def _after(prose: str, level: Level, number: int) -> Level:
    """The level behind a line: elements count that begin it, so that a name in brackets in a sentence is none."""
    open_names: list[str] = []
    for tag in _TAG.finditer(prose):
        if tag["closes"]:
            if tag["name"] in open_names:
                open_names.remove(tag["name"])
            else:
                level = level[:-1] if level else (-1 - number,)
        elif not tag["empty"] and (tag.start() == 0 or open_names or f"</{tag['name']}>" in prose):
            open_names.append(tag["name"])
    return (*level, *(number for _ in open_names))


def _is_indented(text: str) -> bool:
    """Whether a line behind the first is indented: then the first, behind a quote, cannot take its place."""
    return any(line.startswith((" ", "\t")) and line.strip() for line in text.split("\n")[1:2])


def _span(segment: Segment) -> Span:
    assert segment.place is not None, "what stands in no file joins nothing"
    return segment.place.span
