"""What a log's input cost, and what the lost tokens did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime

from promptlint.audit.causes import Cause
from promptlint.audit.result import ModelShares, Money
from promptlint.audit.whatif import Outcome
from promptlint.providers.prices import Dollars, Price, cost, price, saved
from promptlint.providers.registry import provider
from promptlint.providers.usage import Counts

_MILLION = 1_000_000
_LAST = 4_102_444_800.0
"""The year 2100 in seconds: a time behind that is no day on which prices hold."""

Prices = Mapping[tuple[str, str], Price]


def prices_of(models: Iterable[ModelShares], last: float | None, shipped_only: bool) -> Prices:
    """What each model's input costs on the day of the last request, for those of which a table knows it.

    `shipped_only` asks the table that comes with promptlint alone.
    """
    day = datetime.fromtimestamp(last, UTC).date() if last and last < _LAST else date.max
    found = {
        (each.provider, each.model): price(provider(each.provider), each.model, day, shipped_only=shipped_only)
        for each in models
    }
    return {who: figures for who, figures in found.items() if figures is not None}


def priced(causes: Iterable[Cause], prices: Prices) -> Iterator[Cause]:
    """The causes with what reading their lost tokens would have saved."""
    for cause in causes:
        figures = prices.get((cause.provider, cause.model))
        yield replace(cause, dollars=_saved(cause.tokens, figures)) if figures else cause


def money_of(models: Iterable[ModelShares], prices: Prices, best: Outcome | None, base: Outcome | None) -> Money | None:
    """The cost of the input as reported, or as simulated where nothing is; None when no price is known."""
    paid, gained, sources, count = (0.0, 0.0), (0.0, 0.0), set(), 0
    for each in models:
        who = (each.provider, each.model)
        figures = prices.get(who)
        share = each.measured or each.simulated
        if figures is None or share is None:
            continue
        written = each.written or 0
        fresh = max(share.tokens - share.cached - written, 0)
        paid = _sum(paid, cost(Counts(share.tokens, share.cached, written, fresh), figures))
        if best is not None and base is not None:
            more = best.sums.get(who, (0, 0, 0))[1] - base.sums.get(who, (0, 0, 0))[1]
            gained = _sum(gained, _saved(max(more, 0), figures))
        sources.add(figures.source)
        count += 1
    if not count:
        return None
    reachable = (max(paid[0] - gained[1], 0.0), max(paid[1] - gained[0], 0.0)) if best is not None else None
    return Money(paid, reachable, " and ".join(sorted(sources)))


def _saved(tokens: int, figures: Price) -> Dollars:
    low, high = saved((tokens, tokens), figures)
    return low / _MILLION, high / _MILLION


def _sum(one: Dollars, other: Dollars) -> Dollars:
    return one[0] + other[0], one[1] + other[1]
