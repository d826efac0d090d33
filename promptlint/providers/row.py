"""What the registry knows about one provider or engine (`rules/data/providers.toml`, where each field is explained)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeVar

Kind = Literal["hosted", "engine", "generic"]
Match = Literal["block", "boundary", "token", "object", "unknown"]
Start = Literal["start", "last use", "write", "unknown"]
Confidence = Literal["high", "medium", "low"]
T = TypeVar("T")
Interval = tuple[int, int]
"""Low and high end, both included; equal when the figure is known."""

UNBOUNDED: Final = sys.maxsize
"""The high end of a figure for which no source states one."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a fact is from. `dated` is the source's own date as far as it has one: a year, a month or a day."""

    name: str
    url: str
    dated: str
    kind: str
    checked_on: date


@dataclass(frozen=True, slots=True)
class Ttl:
    """How long an entry lives: the name requests and bills use, and seconds."""

    name: str
    seconds: Interval


@dataclass(frozen=True, slots=True)
class Usage:
    """Dotted paths in a response to token counts; of several, the one that is present counts; () = not reported.

    `total_includes_cached` is false where the input's total is the sum of `read`, `write` and `uncached`.
    `write_by_ttl` has one path for each TTL's part of `write`.
    """

    total: tuple[str, ...] = ()
    total_includes_cached: bool = True
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    uncached: tuple[str, ...] = ()
    write_by_ttl: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Provider:
    """One row of the registry: who caches, and how.

    `variant_of` names the row whose models it serves too, when a request asks for it. Sizes are tokens. An unknown
    `unit` is (1, UNBOUNDED), an unknown `minimum` (0, UNBOUNDED). `lookback` counts positions from a marker back, its
    own included; 0 is no limit. `ttl` is None when unknown and () when entries stay until they are evicted. `breaks`
    gives, for a parameter, the first field that its change loses.
    `cache_keys` route a request to where its entry is likely, `salts` keep entries apart inside `scope`.
    """

    name: str
    aliases: tuple[str, ...]
    title: str
    kind: Kind
    models: tuple[str, ...]
    variant_of: str | None
    match: Match
    unit: Interval
    minimum: Interval
    minimum_by_model: Mapping[str, Interval] = field(hash=False)
    lookback: int
    max_breakpoints: int
    excess: Literal["refused", "unknown"]
    automatic: tuple[str, ...]
    marked_only: bool
    orders: tuple[tuple[str, ...], ...]
    partial_blocks: bool
    whole_prompt_minus_one: bool
    resumes: Literal["anywhere", "checkpoints"]
    checkpointed: tuple[str, ...]
    ttl: tuple[Ttl, ...] | None
    ttl_from: Start
    scope: str
    cache_keys: tuple[str, ...]
    salts: tuple[str, ...]
    counter: str
    counter_by_model: Mapping[str, str] = field(hash=False)
    breaks: Mapping[str, str] = field(hash=False)
    usage: Usage
    sources: tuple[str, ...]
    checked_on: date
    confidence: Confidence
    notes: str

    def minimum_for(self, model: str | None) -> Interval:
        """Length of the shortest prefix that is cached for the model, in tokens as (low, high).

        A model that is not given, or not listed, has the range of all models.
        """
        return _most_specific(self.minimum_by_model, model, self.minimum)

    def counter_for(self, model: str | None) -> str:
        """Name of the tokenizer row that counts this model's tokens."""
        return _most_specific(self.counter_by_model, model, self.counter)

    def resumes_at_checkpoints(self, model: str | None) -> bool:
        """Whether the model's state can be taken up again only where the engine kept a copy of it."""
        return self.resumes == "checkpoints" and any(fnmatchcase(folded(model), glob) for glob in self.checkpointed)


def folded(model: str | None) -> str:
    """A model's name as globs are compared with it."""
    return (model or "").strip().lower()


def _most_specific(table: Mapping[str, T], model: str | None, otherwise: T) -> T:
    """The value under the longest glob that matches the model."""
    globs = [glob for glob in table if fnmatchcase(folded(model), glob)]
    return table[max(globs, key=len)] if globs else otherwise
