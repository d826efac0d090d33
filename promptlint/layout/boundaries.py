"""Where earlier requests wrote boundaries, and how far each stands from the markers of this one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from promptlint.layout.horizons import is_history
from promptlint.layout.reading import Reading

_ASSUMED = ("tools", "system", "message")
"""Where boundaries are taken to be when neither the source nor the provider says: at the ends of these."""
_REPLY = 1
"""Positions that the reply between two turns takes at least."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """A boundary behind so many chunks, and its positions before the next marker of the request: 0 for a marker's."""

    edge: int
    back: int


def boundaries_of(reading: Reading) -> tuple[tuple[Boundary, ...], str]:
    """What earlier requests like this one wrote, in order, and who says so: see `Layout.boundaries`.

    A marker in the newest turn moves with the conversation: the request before wrote it where its own newest turn
    ended, inside of what is history now. That place is taken to be the end of the history.
    """
    provider = reading.provider
    if provider.match not in ("boundary", "object"):
        return (), "none"
    last = {chunk.segment: index + 1 for index, chunk in enumerate(reading.chunks)}
    markers = [last[marker.after] for marker in reading.sheet.prompt.markers if marker.after in last]
    if markers:
        if provider.excess == "refused" and len(markers) > provider.max_breakpoints:
            return (), "refused"
        return _with_history(sorted(set(markers)), reading, last), "source"
    ends = _ends(reading, last)
    places = provider.automatic or _ASSUMED
    found = sorted({ends[place] for place in places if place in ends})
    label = "automatic" if provider.automatic else "assumed"
    if "message" in places:
        return _with_history(found, reading, last), label
    return tuple(Boundary(edge, 0) for edge in found), label


def _ends(reading: Reading, last: Mapping[int, int]) -> dict[str, int]:
    """The chunks behind which each field ends; that of "message" is the whole request's."""
    ends: dict[str, int] = {}
    for segment, end in last.items():
        for name in (reading.sheet.prompt.segments[segment].field.value, "message"):
            ends[name] = max(end, ends.get(name, 0))
    return ends


def _with_history(markers: list[int], reading: Reading, last: Mapping[int, int]) -> tuple[Boundary, ...]:
    segments = reading.sheet.prompt.segments
    history = max((end for segment, end in last.items() if is_history(segments[segment])), default=0)
    found = {edge: Boundary(edge, 0) for edge in markers}
    newer = next((edge for edge in markers if edge > history), None)
    if history and newer is not None and history not in found:
        found[history] = Boundary(history, _REPLY + _positions(reading, history, newer))
    return tuple(found[edge] for edge in sorted(found))


def _positions(reading: Reading, start: int, end: int) -> int:
    """Blocks of the request between two chunks."""
    blocks = {(segment.field, segment.message) for segment in map(reading.segment, reading.chunks[start:end])}
    return len(blocks)
