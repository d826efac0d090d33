"""What of the previous version a comparison shows: the pieces that are fresh, the value that differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.comparing.comparison import Comparison
from promptlint.comparing.difference import Difference
from promptlint.comparing.places import node_at
from promptlint.comparing.version import Laid, Version, stretch_in
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
    """The pieces below the first difference, in render order; none when the previous version is a prefix."""
    reading = comparison.reading
    if reading.appends:
        return
    again = set(reading.resent(reading.found[0]))
    end = 0
    for index, laid in enumerate(reading.previous):
        end += laid.tokens
        shared = max(0, min(laid.tokens, reading.common - (end - laid.tokens)))
        if not _is_kept(comparison, index):
            yield _lost(comparison.previous, laid, laid.tokens - shared, index in again)


def excerpt(difference: Difference, side: int) -> str:
    """The value that differs, or what is written around it; masked together with what stands beside it."""
    start, end = difference.spans[side]
    text = mask(difference.values[side])
    if end > start:
        return text[start : min(end, start + _SHOWN)]
    whole = difference.wholes[side]
    return mask(whole.text)[:_SHOWN] if whole is not None else ""


def _is_kept(comparison: Comparison, index: int) -> bool:
    """Whether a piece of the previous version stands wholly before the first difference."""
    reading = comparison.reading
    first, laid = reading.found[0], reading.previous[index]
    ranks = {name: rank for rank, name in enumerate(reading.order)}
    if laid.piece.field is not first.field:
        return ranks[laid.piece.field.value] < ranks[first.field.value]
    before = [other for other in reading.previous[:index] if other.piece.field is first.field]
    return len(before) < first.index


def _lost(version: Version, laid: Laid, tokens: int, sent_again: bool) -> Lost:
    place = None
    if version.request is None:
        place = stretch_in(version, laid, 0, len(laid.piece.text))
    elif (node := node_at(version.request.node, laid.piece.pointer)) is not None:
        place = Place(version.source, node.span)
    section = version.appraisal.prompt.segments[laid.segments[0]].section.value if laid.segments else ""
    return Lost(laid.piece.pointer, laid.piece.field.value, section, place, tokens, sent_again)
