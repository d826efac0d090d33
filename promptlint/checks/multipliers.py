"""What reading and writing a cached token costs, as a multiple of fresh input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, inf

from promptlint.providers.prices import price
from promptlint.providers.row import Provider


@dataclass(frozen=True, slots=True)
class Multipliers:
    """`read`, and `write` by the TTL's name; fresh input is 1."""

    read: float
    write: Mapping[str, float]

    def uses_to_pay(self, ttl: str) -> int | None:
        """How many uses within one cache life make writing and reading cheaper than sending fresh, the first included.

        The nth use has cost write + (n - 1) * read in all, fresh input n. None when it never pays.
        """
        write = self.write.get(ttl)
        return None if write is None else _first_above((write - self.read) / (1 - self.read))

    def uses_to_pad(self, tokens: int, minimum: int, ttl: str) -> int | None:
        """How many uses within one cache life make it pay to pad a prefix of `tokens` to the minimum, None for never.

        The guide of OpenAI (2026-09-23) pads when L > M * (r + (w - r) / N): solved here for N.
        """
        write = self.write.get(ttl)
        if write is None:
            return None
        gain = tokens - minimum * self.read
        return _first_above(minimum * (write - self.read) / gain) if gain > 0 else None


def multipliers(provider: Provider, model: str | None) -> Multipliers | None:
    """What the prices that ship say for a provider's model, on the day they were checked; None where they do not know.

    Where a price lies between two figures, the dearer end counts: advice then rather comes too late.
    """
    known = price(provider, model, provider.checked_on, shipped_only=True)
    if known is None or not known.fresh[1]:
        return None
    fresh = known.fresh[1]
    return Multipliers(known.read[1] / fresh, {ttl: dollars[1] / fresh for ttl, dollars in known.write.items()})


def _first_above(limit: float) -> int | None:
    return None if limit == inf else floor(limit) + 1
