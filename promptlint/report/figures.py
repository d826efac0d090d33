"""The figures of layouts as a table: tokens, shares, and dollars where the model is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from promptlint.report.money import PriceOf, lost_dollars, money, monthly, remarks
from promptlint.report.paint import Paint
from promptlint.report.summary import interval, order_title, share
from promptlint.report.tables import table

if TYPE_CHECKING:
    from promptlint.layout.appraisal import Appraisal, Layout
    from promptlint.providers.prices import Price


def prices_of_layouts(
    appraisal: Appraisal, layouts: Sequence[Layout], price_of: PriceOf | None
) -> dict[str, Price | None]:
    """What the appraisal's model costs at each provider; nothing when the model is not known."""
    if price_of is None or appraisal.model is None:
        return {}
    return {layout.provider.name: price_of(layout.provider, appraisal.model) for layout in layouts}


def figures_table(
    layouts: Sequence[Layout],
    prices: Mapping[str, Price | None],
    model: str | None,
    traffic: int | None,
    paint: Paint,
) -> Iterator[str]:
    """A line for each layout, with what it loses in dollars where a price is known, and where prices are from."""
    columns = ["provider", "order", "horizon", "now", "at least", "best", "total", "share"]
    rows = [_figures(layout) for layout in layouts]
    if any(prices.values()):
        lost = [lost_dollars([layout], prices[layout.provider.name]) for layout in layouts]
        columns.append("lost $ per million requests")
        rows = [[*row, money(dollars)] for row, dollars in zip(rows, lost, strict=True)]
        if traffic:
            columns.append("lost $ a month")
            rows = [[*row, money(monthly(dollars, traffic))] for row, dollars in zip(rows, lost, strict=True)]
    head, *lines = table(columns, rows, right=(3, 4, 5, 6, 8, 9))
    yield paint.dim(head)
    yield from lines
    if prices:
        yield ""
        yield from remarks([*prices.values()], [model] if model and not all(prices.values()) else [], traffic)


def _figures(layout: Layout) -> list[str]:
    now, best = share(layout.now, layout.total), share(layout.best, layout.total)
    return [
        layout.provider.name,
        order_title(layout.order),
        layout.horizon.name,
        interval(layout.now),
        interval(layout.now_at_least),
        interval(layout.best),
        f"{layout.total:,}",
        now if now == best else f"{now}, {best} at best",
    ]
