"""The share of each prompt that can be reused, held to a least share and to what it was before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from promptlint.layout.appraisal import Appraisal

HORIZON = "user"
"""The horizon of a gate that nobody chose one for: a new conversation of the same user."""

_EXACT = 1e-9
"""Shares are fractions; one that is equal to a bound holds it whatever the last bit says."""


@dataclass(frozen=True, slots=True)
class Share:
    """Reusable and all tokens of a prompt: the lowest figures where orders or facts leave room.

    `best` are the tokens that could be reused in the same order.
    """

    path: str
    name: str
    now: int
    best: int
    total: int

    @property
    def fraction(self) -> float:
        """From 0 to 1; a prompt without tokens loses nothing."""
        return self.now / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True)
class Movement:
    """A prompt before and now; None where it is new or gone."""

    before: Share | None
    now: Share | None

    @property
    def share(self) -> Share:
        """What there is of it, now if possible."""
        found = self.now or self.before
        assert found is not None, "a prompt that never was does not move"
        return found

    @property
    def points(self) -> float:
        """By how many points of a hundred the share rose; below zero it fell."""
        if self.before is None or self.now is None:
            return 0.0
        return 100 * (self.now.fraction - self.before.fraction)


@dataclass(frozen=True, slots=True)
class Gate:
    """Movements of all prompts at a horizon. `least` is a fraction, `drop` points; None where nothing is asked.

    `unknown` are files that could not be looked at, today or at the revision: of their prompts nothing can be said.
    """

    horizon: str
    movements: tuple[Movement, ...]
    least: float | None = None
    revision: str | None = None
    drop: float = 0.0
    unknown: frozenset[str] = frozenset()

    def falls_short(self, movement: Movement) -> bool:
        """Whether less of a prompt can be reused than is asked for."""
        return self.least is not None and movement.now is not None and movement.now.fraction < self.least - _EXACT

    def fell(self, movement: Movement) -> bool:
        """Whether a prompt's share fell by more than is let pass."""
        return self.revision is not None and movement.points < -self.drop - 100 * _EXACT

    def fails_on(self, movement: Movement) -> bool:
        return self.falls_short(movement) or self.fell(movement)

    @property
    def fails(self) -> bool:
        return any(self.fails_on(movement) for movement in self.movements)


def share(appraisal: Appraisal, horizon: str) -> Share:
    """What of a prompt can be reused at a horizon, in the order in which that is least."""
    prompt = appraisal.prompt
    layout = min(appraisal.layouts(None, horizon), key=lambda each: (each.now[0], each.best[0]))
    return Share(prompt.path, prompt.name, layout.now[0], layout.best[0], layout.total)


def movements(now: Sequence[Share], before: Iterable[Share] | None = None) -> tuple[Movement, ...]:
    """The prompts by path and name. Several of one name are matched in their order; without `before` none moved."""
    if before is None:
        return tuple(Movement(None, each) for each in now)
    earlier = dict(_keyed(before))
    found = [(key, Movement(earlier.pop(key, None), each)) for key, each in _keyed(now)]
    found += [(key, Movement(each, None)) for key, each in earlier.items()]
    return tuple(movement for _, movement in sorted(found, key=lambda pair: pair[0]))


def _keyed(shares: Iterable[Share]) -> Iterator[tuple[tuple[str, str, int], Share]]:
    seen: dict[tuple[str, str], int] = {}
    for each in shares:
        key = (each.path, each.name)
        seen[key] = seen.get(key, 0) + 1
        yield (*key, seen[key]), each
