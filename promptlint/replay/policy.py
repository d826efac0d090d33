"""The rules of one cache, in the figures that a simulation needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FOREVER = float("inf")


@dataclass(frozen=True, slots=True)
class Policy:
    """How a cache matches and forgets.

    `unit` is tokens of a block, 0 for the boundary rule. `minimum` is the shortest prefix that is cached, in tokens.
    An entry lives `ttl` seconds from its last use or from its write, and can be read `delay` seconds after the request
    that wrote it. `capacity` is in blocks, 0 for a cache that is never full. `lookback` counts positions from a marker
    back, its own included; 0 is no limit. `minus_one` says that the last token is always computed.
    """

    unit: int
    minimum: int = 0
    ttl: float = FOREVER
    ttl_from: Literal["use", "write"] = "use"
    delay: float = 0.0
    capacity: int = 0
    lookback: int = 0
    minus_one: bool = True

    def cached(self, hits: int, tokens: int) -> int:
        """Cached tokens of a request of so many tokens whose first `hits` blocks are in the cache."""
        if self.minus_one:
            hits = min(hits, max(tokens - 1, 0) // self.unit)
        return hits * self.unit if hits * self.unit >= self.minimum else 0
