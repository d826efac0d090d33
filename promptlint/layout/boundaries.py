"""Where earlier requests wrote boundaries, and how far each stands from the markers of this one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from promptlint.layout.horizons import is_history
from promptlint.prompt import Prompt
from promptlint.providers.registry import Provider

_ASSUMED = ("tools", "system", "message")
"""Where boundaries are taken to be when neither the source nor the provider says: at the ends of these."""
_REPLY = 1
"""Positions that the reply between two turns takes at least."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where a boundary stands, and its positions before the next marker of the request: 0 for a marker's own."""

    end: int
    back: int


def boundaries(prompt: Prompt, provider: Provider, ends: Mapping[int, int]) -> tuple[tuple[Boundary, ...], str]:
    """What earlier requests like this one wrote, in order and in the unit of `ends`, and who says so.

    `ends` gives for each segment that is sent where it ends. Who says so is one of `Layout.boundaries`. A marker in the
    newest turn moves with the conversation: the request before wrote it where its own newest turn ended, inside of
    what is history now. That place is taken to be the end of the history.
    """
    if provider.match not in ("boundary", "object"):
        return (), "none"
    markers = [ends[marker.after] for marker in prompt.markers if marker.after in ends]
    if markers:
        if provider.excess == "refused" and len(markers) > provider.max_breakpoints:
            return (), "refused"
        return _with_history(markers, prompt, ends), "source"
    last = _last(prompt, ends)
    places = provider.automatic or _ASSUMED
    found = [last[place] for place in places if place in last]
    label = "automatic" if provider.automatic else "assumed"
    if "message" in places:
        return _with_history(found, prompt, ends), label
    return tuple(Boundary(end, 0) for end in sorted(set(found))), label


def _last(prompt: Prompt, ends: Mapping[int, int]) -> dict[str, int]:
    """Where each field ends; "message" is the end of the whole request."""
    last: dict[str, int] = {}
    for segment, end in ends.items():
        for name in (prompt.segments[segment].field.value, "message"):
            last[name] = max(end, last.get(name, 0))
    return last


def _with_history(markers: Iterable[int], prompt: Prompt, ends: Mapping[int, int]) -> tuple[Boundary, ...]:
    history = max((end for segment, end in ends.items() if is_history(prompt.segments[segment])), default=0)
    found = {end: Boundary(end, 0) for end in sorted(markers)}
    newer = next((end for end in found if end > history), None)
    if history and newer is not None and history not in found:
        found[history] = Boundary(history, _REPLY + _positions(prompt, ends, history, newer))
    return tuple(found[end] for end in sorted(found))


def _positions(prompt: Prompt, ends: Mapping[int, int], start: int, stop: int) -> int:
    """Blocks of the request between two places."""
    between = (prompt.segments[segment] for segment, end in ends.items() if start < end <= stop)
    return len({(segment.field, segment.message) for segment in between})
