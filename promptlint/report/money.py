"""What lost tokens cost, in US dollars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from promptlint.providers.prices import Dollars, Price, saved
from promptlint.report.paint import escaped

if TYPE_CHECKING:
    from promptlint.layout.appraisal import Layout
    from promptlint.providers.row import Interval, Provider

DAYS = 30
"""Days of a month in what a month costs."""
REQUESTS = 1_000_000
"""Requests that dollars are given for."""

PriceOf = Callable[["Provider", str], Price | None]
"""What a model costs at a provider, where that is known."""


def lost_tokens(layouts: Sequence[Layout]) -> Interval:
    """Tokens that are read at best and not now: over all layouts, and where facts conflict, as (low, high)."""
    ends = [best - now for layout in layouts for now, best in zip(layout.now, layout.best, strict=True)]
    return min(ends), max(ends)


def lost_dollars(layouts: Sequence[Layout], price: Price | None) -> Dollars | None:
    """What a million requests lose at one provider, None without a price.

    Tokens that are not read are fresh; where boundaries are written they can be written instead, in entries of the
    TTL that stands first.
    """
    if price is None:
        return None
    ttl = next(
        (layout.provider.ttl[0].name for layout in layouts if layout.boundaries != "none" and layout.provider.ttl), None
    )
    return saved(lost_tokens(layouts), price, ttl)


def monthly(dollars: Dollars | None, traffic: int) -> Dollars | None:
    """Dollars a month of so many requests a day."""
    if dollars is None:
        return None
    low, high = (each * traffic * DAYS / REQUESTS for each in dollars)
    return low, high


def money(dollars: Dollars | None) -> str:
    """Dollars as tables show them: "a to b" when they are known within bounds only."""
    if dollars is None:
        return "-"
    low, high = (f"{each:,.0f}" if each >= 100 else f"{each:,.2f}" for each in dollars)
    return low if low == high else f"{low} to {high}"


def rounded(dollars: Dollars | None) -> list[float] | None:
    """The same for JSON, in whole cents."""
    return [round(each, 2) for each in dollars] if dollars is not None else None


def remarks(prices: Sequence[Price | None], models: Sequence[str], traffic: int | None) -> Iterator[str]:
    """Where prices are from, and for which models none is known. `traffic` is requests a day."""
    sources = dict.fromkeys(price.source for price in prices if price is not None)
    if sources:
        yield f"Prices: {', '.join(sources)}; short requests, standard tier. A range holds what is not known:"
        yield "conflicting facts, render orders, and whether tokens that are not read are fresh or written again."
    if models:
        yield f"No price is known for {', '.join(escaped(model) for model in dict.fromkeys(models))}: no dollars."
    if traffic and sources:
        yield f"A month is {DAYS} days of {traffic:,} requests."
