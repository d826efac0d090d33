"""One prompt under every provider: what is read now and at best, and what the difference costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from promptlint.layout.horizons import horizon as horizon_of
from promptlint.providers.prices import Dollars, Price, saved
from promptlint.providers.registry import serves
from promptlint.report.json_v1 import document
from promptlint.report.paint import Paint, escaped
from promptlint.report.summary import interval, share
from promptlint.report.tables import table

if TYPE_CHECKING:
    from promptlint.layout.appraisal import Appraisal, Layout
    from promptlint.providers.row import Interval, Provider

DAYS = 30
"""Days of a month in what a month costs."""
REQUESTS = 1_000_000
"""Requests that dollars are given for."""

PriceOf = Callable[["Provider", str], Price | None]


@dataclass(frozen=True, slots=True)
class Row:
    """The prompt under one provider, in tokens as (low, high): over its render orders, and where facts conflict.

    `dollars` are lost by a million requests; None when no price is known for the model.
    """

    provider: Provider
    model: str | None
    total: int
    now: Interval
    best: Interval
    lost: Interval
    price: Price | None
    dollars: Dollars | None


def compared(
    appraisal: Appraisal, providers: Sequence[Provider], models: Sequence[str], horizon: str, price_of: PriceOf
) -> list[Row]:
    """A row for each provider and each model that can run there, the dearest loss first.

    Rows without a price follow, `generic` first, then by lost tokens.
    """
    rows = [
        _row(appraisal, provider, model, horizon, price_of)
        for provider in providers
        for model in [model for model in models if serves(provider, model)] or [""]
    ]
    return sorted(rows, key=_rank)


def comparison(appraisal: Appraisal, rows: Sequence[Row], horizon: str, traffic: int | None, paint: Paint) -> list[str]:
    """The lines of the table, with what its figures rest on. `traffic` is requests a day, None when not stated."""
    prompt = appraisal.prompt
    title = f"{prompt.path} ({prompt.name})" if prompt.name else prompt.path
    priced = any(row.dollars is not None for row in rows)
    head = ["provider", "model", "tokens", "now", "at best", "lost tokens"]
    if priced:
        head += ["lost $ per million requests", *(["lost $ a month"] if traffic else [])]
    columns = range(2, len(head))
    first, *lines = table(head, [_cells(row, priced, traffic) for row in rows], right=columns)
    return [
        f"{paint.bold(escaped(title))} under each provider: {horizon_of(horizon).title}",
        "",
        paint.dim(first),
        *lines,
        "",
        *_remarks(rows, prompt.complete, traffic if priced else None),
    ]


def comparison_json(appraisal: Appraisal, rows: Sequence[Row], horizon: str, traffic: int | None) -> str:
    """The same as one JSON document."""
    prompt = appraisal.prompt
    return document(
        {
            "version": 1,
            "path": prompt.path,
            "name": prompt.name,
            "horizon": horizon,
            "requests_per_day": traffic,
            "providers": [_json(row, traffic) for row in rows],
        }
    )


def _row(appraisal: Appraisal, provider: Provider, model: str, horizon: str, price_of: PriceOf) -> Row:
    """The row of a provider and a model, "" for none."""
    layouts = appraisal.layouts(provider, horizon, model)
    losses = [sorted(best - now for now, best in zip(layout.now, layout.best, strict=True)) for layout in layouts]
    lost = min(low for low, _ in losses), max(high for _, high in losses)
    price = price_of(provider, model) if model else None
    return Row(
        provider=provider,
        model=model or None,
        total=max(layout.total for layout in layouts),
        now=_hull([layout.now for layout in layouts]),
        best=_hull([layout.best for layout in layouts]),
        lost=lost,
        price=price,
        dollars=saved(lost, price, _written(layouts, provider)) if price is not None else None,
    )


def _written(layouts: Sequence[Layout], provider: Provider) -> str | None:
    """The TTL of what is written where tokens are not read; None where nothing is written for money."""
    bounded = any(layout.boundaries != "none" for layout in layouts)
    return provider.ttl[0].name if bounded and provider.ttl else None


def _hull(intervals: Sequence[Interval]) -> Interval:
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def _rank(row: Row) -> tuple[Any, ...]:
    low, high = row.dollars or (0, 0)
    is_priced = row.dollars is not None
    return not is_priced, -high, -low, row.provider.kind != "generic", -row.lost[1], -row.lost[0], row.provider.name


def _cells(row: Row, priced: bool, traffic: int | None) -> list[str]:
    cells = [
        row.provider.name,
        escaped(row.model) if row.model else "-",
        f"{row.total:,}",
        share(row.now, row.total),
        share(row.best, row.total),
        interval(row.lost),
    ]
    if priced:
        cells.append(_money(row.dollars))
        if traffic:
            cells.append(_money(_monthly(row.dollars, traffic)))
    return cells


def _monthly(dollars: Dollars | None, traffic: int) -> Dollars | None:
    if dollars is None:
        return None
    low, high = (each * traffic * DAYS / REQUESTS for each in dollars)
    return low, high


def _money(dollars: Dollars | None) -> str:
    if dollars is None:
        return "-"
    low, high = (f"{each:,.0f}" if each >= 100 else f"{each:,.2f}" for each in dollars)
    return low if low == high else f"{low} to {high}"


def _remarks(rows: Sequence[Row], complete: bool, traffic: int | None) -> Iterator[str]:
    sources = dict.fromkeys(row.price.source for row in rows if row.price is not None)
    if sources:
        yield f"Prices: {', '.join(sources)}; short requests, standard tier. A range holds what is not known:"
        yield "conflicting facts, render orders, and whether tokens that are not read are fresh or written again."
    unpriced = list(dict.fromkeys(row.model for row in rows if row.model is not None and row.price is None))
    if unpriced:
        yield f"No price is known for {', '.join(map(escaped, unpriced))}: tokens and shares only."
    if all(row.model is None for row in rows):
        yield "No model is known that one of these serves: tokens and shares, no dollars. Name models with --model."
    if any(row.best[1] == 0 for row in rows):
        yield "0 % at best: nothing that can stay the same reaches the provider's minimum."
        if not complete:
            yield "A template is part of a request: [request] in the configuration says what surrounds it."
    if traffic:
        yield f"A month is {DAYS} days of {traffic:,} requests."


def _json(row: Row, traffic: int | None) -> Mapping[str, Any]:
    monthly = _monthly(row.dollars, traffic) if traffic else None
    return {
        "provider": row.provider.name,
        "model": row.model,
        "total": row.total,
        "now": list(row.now),
        "best": list(row.best),
        "lost": list(row.lost),
        "lost_usd_per_million_requests": _cents(row.dollars),
        "lost_usd_per_month": _cents(monthly),
        "price_source": row.price.source if row.price is not None else None,
    }


def _cents(dollars: Dollars | None) -> list[float] | None:
    return [round(each, 2) for each in dollars] if dollars is not None else None
