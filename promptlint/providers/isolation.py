"""Published attacks on shared prefix caches (`rules/data/providers_isolation.toml`)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache

from promptlint.data import load_toml
from promptlint.providers.row import Confidence, Provider


@dataclass(frozen=True, slots=True)
class Attack:
    """What was shown about caches that users share. `on` are names of registry rows, () when none is certain."""

    name: str
    year: int
    on: tuple[str, ...]
    what: str
    sources: tuple[str, ...]
    checked_on: date
    confidence: Confidence


@cache
def attacks() -> tuple[Attack, ...]:
    """All attacks, in the order of the table."""
    rows = load_toml("providers_isolation.toml")["attack"]
    return tuple(Attack(**{**row, "on": tuple(row["on"]), "sources": tuple(row["sources"])}) for row in rows)


def attacks_on(provider: Provider) -> tuple[Attack, ...]:
    """Those that name the provider."""
    return tuple(attack for attack in attacks() if provider.name in attack.on)
