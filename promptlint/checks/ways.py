"""The ways on which values come to the prompt, as places to show with a finding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from promptlint.events import Cause, Hop
from promptlint.finding import Related
from promptlint.source import Place

_MOST_OF_ONE = 10
"""Places of one way: half of them next to the prompt, the others next to the source."""

_MOST = 12


def ways(causes: Iterable[Cause]) -> tuple[Related, ...]:
    """Where values pass through between their sources and the prompt, nearest to the prompt first.

    Of long ways the middle is left out, of many the last ones; the last place says how many are.
    """
    hops: dict[Place, Hop] = {}
    shown: dict[Place, Hop] = {}
    for cause in causes:
        hops.update((hop.place, hop) for hop in cause.hops)
        shown.update((hop.place, hop) for hop in _ends(cause.hops))
    related = [Related(hop.place, hop.note) for hop in list(shown.values())[:_MOST]]
    if (left := len(hops) - len(related)) > 0:
        more = f"{left} more places" if left > 1 else "1 more place"
        related[-1] = replace(related[-1], message=f"{related[-1].message}, on its way through {more}")
    return tuple(related)


def _ends(hops: Sequence[Hop]) -> Sequence[Hop]:
    if len(hops) <= _MOST_OF_ONE:
        return hops
    return (*hops[: _MOST_OF_ONE // 2], *hops[-(_MOST_OF_ONE // 2) :])
