"""What of the previous version a comparison shows: the pieces that are fresh, the value that differs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from promptlint.comparing.comparison import Comparison
from promptlint.comparing.difference import Difference
from promptlint.comparing.places import node_at
from promptlint.prompt import Segment
from promptlint.report.mask import mask
from promptlint.source import Place

_SHOWN = 80
"""Characters of a value that are shown."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A piece of the previous version that is not read from the cache, in tokens; the first one in part.

    `sent_again` says that the current version sends it unchanged.
    """

    pointer: str
    field: str
    section: str
    place: Place | None
    tokens: int
    sent_again: bool


def lost_pieces(comparison: Comparison) -> Iterator[Lost]:
    """What stands below the first difference, in render order: pieces of a request, segments of a template.

    None when the previous version is a prefix.
    """
    reading = comparison.reading
    if reading.appends:
        return
    again = set(reading.resent(reading.found[0]))
    parts = _pieces(comparison, again) if comparison.previous.request is not None else _segments(comparison)
    end = 0
    for lost in parts:
        start, end = end, end + lost.tokens
        if end > reading.common or not end:
            yield replace(lost, tokens=end - max(start, reading.common))


def _pieces(comparison: Comparison, again: Collection[int]) -> Iterator[Lost]:
    version = comparison.previous
    for index, laid in enumerate(comparison.reading.previous):
        node = node_at(version.request.node, laid.piece.pointer) if version.request is not None else None
        place = Place(version.source, node.span) if node is not None else None
        sections = [version.appraisal.prompt.segments[number].section.value for number in laid.segments[:1]]
        yield Lost(laid.piece.pointer, laid.piece.field.value, "".join(sections), place, laid.tokens, index in again)


def _segments(comparison: Comparison) -> Iterator[Lost]:
    counts = comparison.previous.appraisal.tokens()
    segments = comparison.previous.appraisal.prompt.segments
    again = {_written(segment) for segment in comparison.current.appraisal.prompt.segments}
    for laid in comparison.reading.previous:
        for index in laid.segments:
            segment = segments[index]
            sent_again = _written(segment) in again
            yield Lost("", segment.field.value, segment.section.value, segment.place, counts[index], sent_again)


def _written(segment: Segment) -> tuple[str, str]:
    text = segment.text if segment.text is not None else segment.place.text if segment.place is not None else ""
    return segment.field.value, text


def excerpt(difference: Difference, side: int) -> str:
    """The value that differs, or what is written around it; masked together with what stands beside it."""
    start, end = difference.spans[side]
    text = mask(difference.values[side])
    if end > start:
        return text[start : min(end, start + _SHOWN)]
    whole = difference.wholes[side]
    return mask(whole.text)[:_SHOWN] if whole is not None else ""
