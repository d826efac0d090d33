"""The tables of the registry read into rows (`rules/data/providers*.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from promptlint.data import load_toml
from promptlint.providers.row import UNBOUNDED, Interval, Provider, Source, Ttl, Usage

_FILES = ("providers.toml", "providers_prices.toml", "providers_isolation.toml")


@cache
def rows() -> tuple[Provider, ...]:
    """All providers and engines, in the order of the table; the first is `generic`."""
    table = load_toml("providers.toml")
    return tuple(_provider(row, table) for row in table["provider"])


@cache
def sources() -> Mapping[str, Source]:
    """The sources of all tables of the registry, by the key that rows name them by."""
    found = (load_toml(file)["sources"] for file in _FILES)
    return {name: Source(name, **row) for table in found for name, row in table.items()}


def stale_after_days() -> int:
    """Days after which a row should be checked again."""
    days: int = load_toml("providers.toml")["stale_after_days"]
    return days


def _provider(row: Mapping[str, Any], table: Mapping[str, Any]) -> Provider:
    return Provider(
        name=row["name"],
        aliases=tuple(row.get("aliases", ())),
        title=row["title"],
        kind=row["kind"],
        models=tuple(row["models"]),
        variant_of=row.get("variant_of"),
        match=row["match"],
        unit=_interval(row["unit"], least=1),
        minimum=_interval(row["minimum"], least=0),
        minimum_by_model={glob: _interval(ends, least=0) for glob, ends in row.get("minimum_by_model", {}).items()},
        lookback=row.get("lookback", 0),
        max_breakpoints=row.get("max_breakpoints", 0),
        excess=row.get("excess", "unknown"),
        automatic=tuple(row.get("automatic", ())),
        marked_only=row.get("marked_only", False),
        orders=tuple(tuple(order) for order in row["orders"]),
        partial_blocks=row.get("partial_blocks", False),
        whole_prompt_minus_one=row["whole_prompt_minus_one"],
        resumes=row.get("resumes", "anywhere"),
        checkpointed=tuple(table["checkpointed"]["models"]),
        ttl=_ttls(row["ttl"]),
        ttl_from=row["ttl_from"],
        scope=row["scope"],
        cache_keys=tuple(row.get("cache_keys", ())),
        salts=tuple(row.get("salts", ())),
        counter=row["counter"],
        counter_by_model=table["counters"],
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


def _ttls(found: str | list[Mapping[str, Any]]) -> tuple[Ttl, ...] | None:
    if isinstance(found, str):
        return None
    return tuple(Ttl(row["name"], _interval(row["seconds"], least=0)) for row in found)


def _usage(row: Mapping[str, Any]) -> Usage:
    paths = {name: tuple(row.get(name, ())) for name in ("total", "read", "write", "uncached")}
    return Usage(
        total_includes_cached=row.get("total_includes_cached", True),
        write_by_ttl=row.get("write_by_ttl", {}),
        **paths,
    )
