"""Registry rows and attacks as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from promptlint.providers.isolation import attacks
from promptlint.providers.prices import prices_of
from promptlint.providers.row import UNBOUNDED, Interval, Provider
from promptlint.providers.table import sources, stale_after_days
from promptlint.report.json_v1 import document


def providers_json(providers: Sequence[Provider], today: date) -> str:
    """One document: every field of each row; figures as [low, high], null where nobody states them."""
    return document({"version": 1, "providers": [_row(provider, today) for provider in providers]})


def isolation_json(providers: Sequence[Provider], today: date) -> str:
    """One document: scope and salts of each row, and the published attacks."""
    rows = [
        {
            "name": provider.name,
            "scope": provider.scope,
            "salts": list(provider.salts),
            "cache_keys": list(provider.cache_keys),
            "confidence": provider.confidence,
            **_checked(provider.sources, provider.checked_on, today),
        }
        for provider in providers
    ]
    found = [
        {
            "name": attack.name,
            "year": attack.year,
            "on": list(attack.on),
            "what": attack.what,
            "confidence": attack.confidence,
            **_checked(attack.sources, attack.checked_on, today),
        }
        for attack in attacks()
    ]
    return document({"version": 1, "isolation": rows, "attacks": found})


def _row(provider: Provider, today: date) -> dict[str, Any]:
    usage = provider.usage
    return {
        "name": provider.name,
        "aliases": list(provider.aliases),
        "title": provider.title,
        "kind": provider.kind,
        "models": list(provider.models),
        "variant_of": provider.variant_of,
        "match": provider.match,
        "unit": _ends(provider.unit),
        "minimum": _ends(provider.minimum),
        "minimum_by_model": {glob: _ends(ends) for glob, ends in provider.minimum_by_model.items()},
        "lookback": provider.lookback or None,
        "max_breakpoints": provider.max_breakpoints,
        "excess": provider.excess,
        "automatic": list(provider.automatic),
        "marked_only": provider.marked_only,
        "orders": [list(order) for order in provider.orders],
        "partial_blocks": provider.partial_blocks,
        "whole_prompt_minus_one": provider.whole_prompt_minus_one,
        "resumes": provider.resumes,
        "ttl": None if provider.ttl is None else {ttl.name: list(ttl.seconds) for ttl in provider.ttl},
        "ttl_from": provider.ttl_from,
        "scope": provider.scope,
        "salts": list(provider.salts),
        "cache_keys": list(provider.cache_keys),
        "breaks": dict(provider.breaks),
        "usage": {
            "total": list(usage.total),
            "total_includes_cached": usage.total_includes_cached,
            "read": list(usage.read),
            "write": list(usage.write),
            "write_by_ttl": dict(usage.write_by_ttl),
            "uncached": list(usage.uncached),
        },
        "usd_per_million_tokens": [
            {
                "model": price.model,
                "fresh": list(price.fresh),
                "read": list(price.read),
                "write": {ttl: list(ends) for ttl, ends in price.write.items()},
                "source": price.source,
            }
            for price in prices_of(provider, today)
        ],
        "notes": " ".join(provider.notes.split()),
        "confidence": provider.confidence,
        **_checked(provider.sources, provider.checked_on, today),
    }


def _checked(names: Sequence[str], checked_on: date, today: date) -> dict[str, Any]:
    days = max(0, (today - checked_on).days)
    return {
        "sources": [{"url": sources()[name].url, "dated": sources()[name].dated} for name in names],
        "checked_on": checked_on.isoformat(),
        "age_days": days,
        "check_this": days > stale_after_days(),
    }


def _ends(ends: Interval) -> list[int | None]:
    """An interval that nobody bounds has null for its high end."""
    return [ends[0], None if ends[1] == UNBOUNDED else ends[1]]
