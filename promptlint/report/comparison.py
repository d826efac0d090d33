"""One prompt under every provider: what is read now and at best, and what the difference costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from promptlint.layout.horizons import horizon as horizon_of
from promptlint.providers.prices import Dollars, Price
from promptlint.providers.registry import serves
from promptlint.report.json_v1 import document
from promptlint.report.money import PriceOf, lost_dollars, lost_tokens, money, monthly, remarks, rounded
from promptlint.report.paint import Paint, escaped
from promptlint.report.summary import interval, share
from promptlint.report.tables import table

if TYPE_CHECKING:
    from promptlint.layout.appraisal import Appraisal
    from promptlint.providers.row import Interval, Provider


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
        *_remarks(rows, prompt.complete, traffic),
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
    price = price_of(provider, model) if model else None
    return Row(
        provider=provider,
        model=model or None,
        total=max(layout.total for layout in layouts),
        now=_hull([layout.now for layout in layouts]),
        best=_hull([layout.best for layout in layouts]),
        lost=lost_tokens(layouts),
        price=price,
        dollars=lost_dollars(layouts, price),
    )


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
        cells.append(money(row.dollars))
        if traffic:
            cells.append(money(monthly(row.dollars, traffic)))
    return cells


def _remarks(rows: Sequence[Row], complete: bool, traffic: int | None) -> Iterator[str]:
    unpriced = [row.model for row in rows if row.model is not None and row.price is None]
    yield from remarks([row.price for row in rows], unpriced, traffic)
    if all(row.model is None for row in rows):
        yield "No model is known that one of these serves: tokens and shares, no dollars. Name models with --model."
    if any(row.best[1] == 0 for row in rows):
        yield "0 % at best: nothing that can stay the same reaches the provider's minimum."
        if not complete:
            yield "A template is part of a request: [request] in the configuration says what surrounds it."


def _json(row: Row, traffic: int | None) -> Mapping[str, Any]:
    return {
        "provider": row.provider.name,
        "model": row.model,
        "total": row.total,
        "now": list(row.now),
        "best": list(row.best),
        "lost": list(row.lost),
        "lost_usd_per_million_requests": rounded(row.dollars),
        "lost_usd_per_month": rounded(monthly(row.dollars, traffic)) if traffic else None,
        "price_source": row.price.source if row.price is not None else None,
    }
