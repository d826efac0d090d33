"""What the registry says of a provider, in the figures of a simulation; what it does not say is assumed, and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from promptlint.logs.record import MESSAGES, SETTINGS, SYSTEM, TOOLS, Piece
from promptlint.providers.registry import UNBOUNDED, Provider, provider
from promptlint.replay.chain import Ints
from promptlint.replay.policy import FOREVER, Policy
from promptlint.tokens.counter import counter_for

_STEP = 16
"""Tokens of a block where a provider matches single tokens: exact up to this step, as an engine's page is."""

_UNKNOWN_UNIT = 128
"""Tokens of a block where no source states one: what the hosted providers that state one most often have."""

_UNKNOWN_TTL = 300.0
"""Seconds where a hosted provider states none: the shortest that any of the others states."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user said over the registry; 0 is not said. `ttl` and `delay` are seconds, `capacity` tokens."""

    ttl: float = 0.0
    delay: float = 0.0
    capacity: int = 0


@dataclass(frozen=True, slots=True)
class Rules:
    """How one model's requests at one provider are counted and replayed.

    `unit` is a block in tokens of the vocabulary, `ratio` turns these into the provider's. `ttls` are seconds by name.
    """

    provider: str
    policy: Policy
    unit: int
    vocabulary: str
    ratio: float
    counter: str
    ttls: Mapping[str, float]
    automatic: tuple[str, ...]
    assumed: tuple[str, ...]

    @property
    def by_boundaries(self) -> bool:
        return not self.policy.unit

    def scaled(self, counts: Ints) -> Ints:
        """Tokens of the vocabulary in the provider's."""
        return counts if self.ratio == 1 else (counts * self.ratio).round().astype("int64")

    def marks(self, pieces: Sequence[Piece]) -> list[tuple[int, float]]:
        """The pieces behind which the request asks for an entry, or the provider writes one, with its seconds."""
        default = self.policy.ttl
        found = {at: self.ttls.get(piece.mark, default) for at, piece in enumerate(pieces) if piece.mark}
        last = {piece.field: at for at, piece in enumerate(pieces) if piece.field != SETTINGS}
        for place in self.automatic:
            field = {"tools": TOOLS, "system": SYSTEM}.get(place, MESSAGES)
            if field in last:
                found.setdefault(last[field], default)
        return sorted(found.items())


@lru_cache(maxsize=4096)
def rules_of(name: str, model: str, wanted: Wanted) -> Rules:
    """The rules of a provider for a model."""
    row = provider(name)
    assumed: list[str] = []
    counter = counter_for(row.counter_for(model or None))
    low, _ = row.minimum_for(model or None)
    ttls = {ttl.name: float(wanted.ttl or ttl.seconds[0]) for ttl in row.ttl or ()}
    ttl = wanted.ttl or _ttl(row, assumed)
    boundaries = row.match in ("boundary", "object")
    unit = 0 if boundaries else _unit(row, assumed)
    policy = Policy(
        unit,
        low,
        ttl,
        "write" if row.ttl_from == "write" else "use",
        wanted.delay,
        -(-wanted.capacity // unit) if unit and wanted.capacity else 0,
        row.lookback,
        row.whole_prompt_minus_one,
    )
    if row.minimum[1] == UNBOUNDED:
        assumed.append(f"a minimum of {low} tokens")
    return Rules(
        row.name,
        policy,
        max(1, round(unit / counter.ratio)) if unit else 0,
        counter.vocabulary,
        counter.ratio,
        counter.label,
        {"default": ttl, **ttls},
        row.automatic,
        tuple(assumed),
    )


def _unit(row: Provider, assumed: list[str]) -> int:
    low, high = row.unit
    if row.match == "token" or high == 1:
        assumed.append(f"steps of {_STEP} tokens")
        return _STEP
    if row.match == "unknown" or high == UNBOUNDED:
        assumed.append(f"blocks of {_UNKNOWN_UNIT} tokens")
        return _UNKNOWN_UNIT
    if low != high:
        assumed.append(f"blocks of {low} tokens")
    return low


def _ttl(row: Provider, assumed: list[str]) -> float:
    if row.ttl is None:
        if row.kind == "engine":
            return FOREVER
        assumed.append(f"entries live {_UNKNOWN_TTL:g} s")
        return _UNKNOWN_TTL
    if not row.ttl:
        return FOREVER
    low, high = row.ttl[0].seconds
    if low != high:
        assumed.append(f"entries live {low} s")
    return float(low)
