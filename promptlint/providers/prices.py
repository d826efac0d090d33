"""What fresh, read and written input tokens cost: the dated table that ships, or genai-prices where it is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from functools import cache
from typing import TYPE_CHECKING, Any

from promptlint.data import load_toml
from promptlint.providers.registry import provider_for_model, serves, without_gateways
from promptlint.providers.row import Provider, folded
from promptlint.providers.usage import Counts

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

Dollars = tuple[float, float]
"""Low and high end; equal unless the hour decides or figures are known within bounds only."""

_DATED = re.compile(r"(?P<name>.+?)(?:[-@:](?:20\d{6}|20\d\d-\d\d-\d\d|v\d+(?::\d+)?))+$")
_MILLION = 1_000_000
_TTLS = {"5m": "cache_write_5m_mtok", "1h": "cache_write_1h_mtok"}


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million input tokens of one model at one seller.

    `write` has the TTLs that cost something else than fresh tokens. `source` says where the figures are from.
    """

    model: str
    fresh: Dollars
    read: Dollars
    write: Mapping[str, Dollars]
    source: str


@dataclass(frozen=True, slots=True)
class Seller:
    """Whose prices hold for some rows of the registry."""

    title: str
    providers: tuple[str, ...]
    sources: tuple[str, ...]
    checked_on: date
    genai_prices: str | None = None
    models: Mapping[str, list[Mapping[str, Any]]] = field(default_factory=dict, hash=False)


@cache
def sellers() -> tuple[Seller, ...]:
    """All sellers of the table."""
    rows = load_toml("providers_prices.toml")["sellers"].values()
    return tuple(Seller(**{**row, **{key: tuple(row[key]) for key in ("providers", "sources")}}) for row in rows)


def price(provider: Provider, model: str | None, on: date, *, shipped_only: bool = False) -> Price | None:
    """What a model's input costs at a provider on a day; None when neither table knows.

    genai-prices answers first where it is installed, unless `shipped_only`.
    """
    seller = _seller_of(provider)
    if seller is None or model is None:
        return None
    shipped = _from_table(seller, model, on)
    known = None if shipped_only else _from_genai_prices(seller, provider, model, on)
    if known is not None and shipped is not None and known.fresh == shipped.fresh:
        return replace(known, write={**shipped.write, **known.write})  # genai-prices knows no 12h
    return known or shipped


def prices_of(provider: Provider, on: date) -> tuple[Price, ...]:
    """The prices that ship for a provider's models, on a day; of several providers of a seller, the model decides."""
    seller = _seller_of(provider)
    found = (_from_table(seller, model, on) for model in seller.models) if seller is not None else ()
    return tuple(each for each in found if each is not None and _is_sold(provider, each.model))


def cost(counted: Counts, at: Price) -> Dollars:
    """Dollars of one response's input. Writes whose TTL is not known cost what the cheapest and dearest TTLs do."""
    low, high = (
        counted.fresh * at.fresh[end] + counted.read * at.read[end] + _written(counted, at, end) for end in (0, 1)
    )
    return low / _MILLION, high / _MILLION


def saved(tokens: tuple[int, int], at: Price, ttl: str | None = None) -> Dollars:
    """Dollars per million requests that reading so many more tokens saves.

    `ttl` names the entries that would be written instead where tokens that are not read can be written: they then
    cost something between fresh and written ones.
    """
    dear = at.write.get(ttl or "", at.fresh)
    ends = [
        count * (paid[end] - at.read[end]) for count in tokens for paid in (at.fresh, dear) for end in (0, 1)
    ]  # tokens per request x dollars per million tokens = dollars per million requests
    return min(ends), max(ends)


def _seller_of(provider: Provider) -> Seller | None:
    return next((seller for seller in sellers() if provider.name in seller.providers), None)


def _is_sold(provider: Provider, model: str) -> bool:
    """Whether the provider is the one of its seller's that has the model."""
    return provider_for_model(model) is None or serves(provider, model)


def _written(counted: Counts, at: Price, end: int) -> float:
    split = sum(tokens * at.write.get(ttl, at.fresh)[end] for ttl, tokens in counted.write_by_ttl.items())
    rest = counted.write - sum(counted.write_by_ttl.values())
    choices = [each[end] for each in at.write.values()] or [at.fresh[end]]
    return split + rest * (max(choices) if end else min(choices))


def _from_table(seller: Seller, model: str, on: date) -> Price | None:
    for name in _names(model):
        rows = [row for row in seller.models.get(name, ()) if row.get("from", date.min) <= on]
        if rows:
            row = rows[-1]
            write = {ttl: _ends(figure) for ttl, figure in row.get("write", {}).items()}
            source = f"table of {seller.checked_on.isoformat()}"
            return Price(name, _ends(row["input"]), _ends(row["read"]), write, source)
    return None


def _names(model: str) -> Iterator[str]:
    """The model's name without gateways in front of it, then without a date or version at its end."""
    for name in without_gateways(folded(model)):
        yield name
        if dated := _DATED.fullmatch(name):
            yield dated["name"]


def _ends(figure: float | list[float]) -> Dollars:
    low, high = figure if isinstance(figure, list) else (figure, figure)
    return float(low), float(high)


def _from_genai_prices(seller: Seller, provider: Provider, model: str, on: date) -> Price | None:
    if seller.genai_prices is None:
        return None
    try:
        from genai_prices import __version__
        from genai_prices.data_snapshot import get_snapshot
    except ImportError:
        return None
    for name in without_gateways(folded(model)):
        try:
            _, found = get_snapshot().find_provider_model(name, None, seller.genai_prices, None)
        except LookupError:
            continue
        hours = [found.get_prices(datetime.combine(on, time(hour), UTC)) for hour in range(24)]
        fresh, read = _span(hours, "input_mtok"), _span(hours, "cache_read_mtok")
        if fresh is not None and read is not None:
            return Price(found.id, fresh, read, _writes(hours, provider), f"genai-prices {__version__}")
    return None


def _writes(hours: list[ModelPrice], provider: Provider) -> dict[str, Dollars]:
    """Prices by TTL; the one without a name is that of the provider's shortest."""
    shortest = min(provider.ttl or (), key=lambda ttl: ttl.seconds, default=None)
    keys = {**({shortest.name: "cache_write_mtok"} if shortest is not None else {}), **_TTLS}
    found = {ttl: _span(hours, key) for ttl, key in keys.items()}
    if shortest is not None and found[shortest.name] is None:
        found[shortest.name] = _span(hours, "cache_write_mtok")
    return {ttl: span for ttl, span in found.items() if span is not None}


def _span(hours: list[ModelPrice], key: str) -> Dollars | None:
    """The lowest and highest price of a day; of prices by length, those of short requests."""
    found = [getattr(hour, key) for hour in hours]
    figures = [float(getattr(figure, "base", figure)) for figure in found if figure is not None]
    return (min(figures), max(figures)) if figures else None
