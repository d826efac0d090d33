"""The providers and engines whose caches are known (`rules/data/providers.toml`, where each field is explained)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Final, Literal, TypeVar

from promptlint.data import load_toml, unknown

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
class Ttl:
    """How long an entry lives: the name requests and bills use, and seconds."""

    name: str
    seconds: Interval


@dataclass(frozen=True, slots=True)
class Usage:
    """Dotted paths in a response to token counts; of several, the one that is present counts; () = not reported.

    `total_includes_cached` is false where the input's total is the sum of `read`, `write` and `uncached`.
    """

    total: tuple[str, ...] = ()
    total_includes_cached: bool = True
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    uncached: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Provider:
    """One row of the registry: who caches, and how.

    Sizes are tokens. An unknown `unit` is (1, UNBOUNDED), an unknown `minimum` (0, UNBOUNDED). `lookback` counts
    positions from a marker back, its own included; 0 is no limit. `ttl` is None when unknown and () when entries
    stay until they are evicted. `breaks` gives, for a parameter, the first field that its change loses.
    """

    name: str
    aliases: tuple[str, ...]
    title: str
    kind: Kind
    models: tuple[str, ...]
    match: Match
    unit: Interval
    minimum: Interval
    minimum_by_model: Mapping[str, Interval] = field(hash=False)
    lookback: int
    max_breakpoints: int
    automatic: tuple[str, ...]
    marked_only: bool
    orders: tuple[tuple[str, ...], ...]
    partial_blocks: bool
    whole_prompt_minus_one: bool
    ttl: tuple[Ttl, ...] | None
    ttl_from: Start
    scope: str
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


@cache
def providers() -> tuple[Provider, ...]:
    """All providers and engines, in the order of the table; the first is `generic`."""
    table = load_toml("providers.toml")
    return tuple(_provider(row, table["counters"]) for row in table["provider"])


def provider(name: str) -> Provider:
    """The provider of that name or alias, letter case apart.

    Raises ValueError, with the nearest name, when there is none.
    """
    found = _named().get(name.strip().lower())
    if found is None:
        raise unknown("provider", name, _named())
    return found


def provider_for_model(model: str) -> Provider | None:
    """The provider that serves models of that name, None when the name does not tell.

    The first row with a matching glob wins. A leading provider's name ("anthropic/claude-opus-5") is then tried
    without it.
    """
    name = model.strip().lower()
    for candidate in _without_gateways(name):
        for row in providers():
            if any(fnmatchcase(candidate, glob) for glob in row.models):
                return row
    return None


@cache
def _named() -> Mapping[str, Provider]:
    return {name: row for row in providers() for name in (row.name, *row.aliases)}


def _without_gateways(name: str) -> Iterator[str]:
    yield name
    head, slash, rest = name.partition("/")
    if slash and head in _named():
        yield from _without_gateways(rest)


def _most_specific(table: Mapping[str, T], model: str | None, otherwise: T) -> T:
    """The value under the longest glob that matches the model."""
    name = (model or "").strip().lower()
    globs = [glob for glob in table if fnmatchcase(name, glob)]
    return table[max(globs, key=len)] if globs else otherwise


def _provider(row: Mapping[str, Any], counters: Mapping[str, str]) -> Provider:
    return Provider(
        name=row["name"],
        aliases=tuple(row.get("aliases", ())),
        title=row["title"],
        kind=row["kind"],
        models=tuple(row["models"]),
        match=row["match"],
        unit=_interval(row["unit"], least=1),
        minimum=_interval(row["minimum"], least=0),
        minimum_by_model={glob: _interval(ends, least=0) for glob, ends in row.get("minimum_by_model", {}).items()},
        lookback=row.get("lookback", 0),
        max_breakpoints=row.get("max_breakpoints", 0),
        automatic=tuple(row.get("automatic", ())),
        marked_only=row.get("marked_only", False),
        orders=tuple(tuple(order) for order in row["orders"]),
        partial_blocks=row.get("partial_blocks", False),
        whole_prompt_minus_one=row["whole_prompt_minus_one"],
        ttl=_ttls(row["ttl"]),
        ttl_from=row["ttl_from"],
        scope=row["scope"],
        counter=row["counter"],
        counter_by_model=counters,
        breaks=row.get("breaks", {}),
        usage=_usage(row.get("usage", {})),
        sources=tuple(row["sources"]),
        checked_on=row["checked_on"],
        confidence=row["confidence"],
        notes=row.get("notes", ""),
    )


def _interval(ends: str | list[int], least: int) -> Interval:
    if isinstance(ends, str):
        return least, UNBOUNDED
    low, high = ends
    return low, high


def _ttls(rows: str | list[Mapping[str, Any]]) -> tuple[Ttl, ...] | None:
    if isinstance(rows, str):
        return None
    return tuple(Ttl(row["name"], _interval(row["seconds"], least=0)) for row in rows)


def _usage(row: Mapping[str, Any]) -> Usage:
    paths = {name: tuple(row.get(name, ())) for name in ("total", "read", "write", "uncached")}
    return Usage(total_includes_cached=row.get("total_includes_cached", True), **paths)
