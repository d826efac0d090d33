"""The lines around a value that could change places: text of one message that stands under the same conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from promptlint.prompt import Segment
from promptlint.source import Source, Span

HOLE = "\ufffc"
"""Stands for a value in the prose of a line."""

_FENCE = re.compile(r"\s*(?:```|~~~)")
_TAG = re.compile(r"<(?P<closes>/?)(?P<name>[A-Za-z][\w.-]*)(?:\s[^<>]*)?(?P<empty>/?)>")
_QUOTES = ("'", '"', "`")

Level = tuple[int, ...]
"""The elements that are open, each by the line that opens it; what closes one of outside begins another level."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the source. `prose` is what it says without indentation and line end, its holes as `HOLE`.

    `level` holds in front of it and `after` behind it; `fenced` says that it is part of a code fence, its ends
    included. `ended` says that the line ends here, and not in markup that follows.
    """

    span: Span
    prose: str
    indent: int
    segments: tuple[Segment, ...]
    level: Level
    after: Level
    fenced: bool
    ended: bool


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines that touch, with the number of the one that holds the value."""

    source: Source
    lines: tuple[Line, ...]
    at: int


def passage_around(segments: Sequence[Segment], index: int) -> Passage | None:
    """The lines around a segment. None where lines of the file are no lines of the prompt."""
    stretch = _stretch(segments, index)
    own = segments[index].place
    if own is None or len(stretch) < 2:
        return None
    source, spans = own.source, [_span(each) for each in stretch]
    start, end = spans[0].start, spans[-1].end
    begin = source.line_starts()[source.position(start).line - 1]
    if source.text[begin:start].strip():
        if not source.text[:start].endswith(_QUOTES) or _is_indented(source.text[start:end]):
            return None if own.span.start == start else _without_first(source, stretch, index, segments)
        begin = start
    return _passage(source, stretch, Span(begin, end), own.span.start)


def is_as_written(segment: Segment) -> bool:
    """Whether the file holds a text as it is, but for indentation and doubled braces."""
    if segment.text is None or segment.place is None:
        return True
    written = segment.place.text
    undoubled = written.replace("{{", "{").replace("}}", "}")
    return _stripped(segment.text) in (_stripped(written), _stripped(undoubled))


def _stripped(text: str) -> list[str]:
    return [line for part in text.splitlines() if (line := part.strip())]


def _without_first(
    source: Source, stretch: Sequence[Segment], index: int, segments: Sequence[Segment]
) -> Passage | None:
    """The lines behind one that begins in markup or code."""
    own = _span(segments[index])
    first = source.text.find("\n", _span(stretch[0]).start, own.start) + 1
    if not first:
        return None
    return _passage(source, stretch, Span(first, _span(stretch[-1]).end), own.start)


def _passage(source: Source, stretch: Sequence[Segment], whole: Span, at: int) -> Passage | None:
    lines = tuple(_lines(source, stretch, whole))
    own = next((number for number, line in enumerate(lines) if line.span.start <= at < line.span.end), None)
    return Passage(source, lines, own) if own is not None else None


def _stretch(segments: Sequence[Segment], index: int) -> Sequence[Segment]:
    first = last = index
    while first > 0 and _is_joined(segments[first - 1], segments[first]):
        first -= 1
    while last + 1 < len(segments) and _is_joined(segments[last], segments[last + 1]):
        last += 1
    return segments[first : last + 1]


def _is_joined(one: Segment, other: Segment) -> bool:
    """Whether the second stands directly behind the first, in the same message and under the same conditions."""
    if one.place is None or other.place is None or one.place.source is not other.place.source:
        return False
    end, start, text = one.place.span.end, other.place.span.start, one.place.source.text
    between = text[end:start]
    indented = not between.strip(" \t") and text[end - 1] == "\n"
    alike = [(each.field, each.message, each.role, [(by.group, by.arm) for by in each.guards]) for each in (one, other)]
    return start >= end and (indented or between in ("", "{", "}")) and alike[0] == alike[1]


def _lines(source: Source, stretch: Sequence[Segment], whole: Span) -> Iterator[Line]:
    level: Level = ()
    fenced = False
    for number, span in enumerate(_cut(source, stretch, whole)):
        held = tuple(each for each in stretch if _span(each).start < span.end and span.start < _span(each).end)
        prose = _prose(source, held, span)
        toggles = _FENCE.match(prose) is not None
        after = level if fenced or toggles else _after(prose.strip(), level, number)
        closed = span.end == len(source.text) or source.text[span.end] in (*_QUOTES, "\r", "\n")
        ended = source.text[span.end - 1] in "\r\n" or closed
        indent = len(prose) - len(prose.lstrip())
        yield Line(span, prose.strip(), indent, held, level, after, fenced or toggles, ended)
        level, fenced = after, fenced != toggles


def _cut(source: Source, stretch: Sequence[Segment], whole: Span) -> Iterator[Span]:
    """The lines of a span; a value that takes several is not cut."""
    holes = [_span(each) for each in stretch if each.text is None]
    inside = [start for start in source.line_starts() if whole.start < start < whole.end]
    ends = [start for start in inside if not any(hole.start < start < hole.end for hole in holes)]
    for start, end in pairwise([whole.start, *ends, whole.end]):
        yield Span(start, end)


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
