"""Prices: the table that ships, genai-prices above it, and what tokens cost."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from promptlint.data import load_toml
from promptlint.providers.prices import Price, cost, price, saved, sellers
from promptlint.providers.registry import provider, providers
from promptlint.providers.table import sources
from promptlint.providers.usage import Counts

TABLE = load_toml("providers_prices.toml")
DAY = date(2026, 11, 29)
ROWS = [
    (seller, model, row)
    for seller, of in TABLE["sellers"].items()
    for model, rows in of.get("models", {}).items()
    for row in rows
]
OPUS = Price("claude-opus-5-5", (4, 4), (0.2, 0.2), {"5m": (5, 5), "1h": (8, 8)}, "")


def shipped(of: str, model: str, day: date = DAY) -> Price | None:
    return price(provider(of), model, day, shipped_only=True)


@pytest.mark.parametrize("name", TABLE["sellers"])
def test_a_seller_has_sources_and_a_date_and_serves_rows(name: str) -> None:
    seller = TABLE["sellers"][name]
    assert set(seller) - {"genai_prices", "models"} == {"title", "providers", "sources", "checked_on"}
    assert seller["sources"]
    assert set(seller["sources"]) <= set(TABLE["sources"])
    assert isinstance(seller["checked_on"], date)
    assert set(seller["providers"]) <= {of.name for of in providers()}
    assert "genai_prices" in seller or seller["models"], "a seller without any prices"


def test_a_row_of_the_registry_has_one_seller() -> None:
    names = [name for seller in sellers() for name in seller.providers]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(("seller", "model", "row"), ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_a_price_is_in_its_domain(seller: str, model: str, row: dict[str, Any]) -> None:
    assert model == model.lower()
    assert {"input", "read"} <= set(row) <= {"from", "input", "read", "write"}
    figures = [row["input"], row["read"], *row.get("write", {}).values()]
    ends = [figure if isinstance(figure, list) else [figure, figure] for figure in figures]
    assert all(0 < low <= high for low, high in ends)
    assert ends[1][1] <= ends[0][0], "what is read costs no more than what is fresh"
    known = {ttl.name for name in TABLE["sellers"][seller]["providers"] for ttl in provider(name).ttl or ()}
    assert set(row.get("write", {})) <= known


def test_sources_of_all_tables_have_names_of_their_own() -> None:
    tables = [load_toml(name)["sources"] for name in ("providers.toml", "providers_prices.toml")]
    assert not set(tables[0]) & set(tables[1])
    assert set(sources()) >= {*tables[0], *tables[1]}


@pytest.mark.parametrize(
    ("of", "model", "fresh", "read", "write"),
    [
        ("anthropic", "claude-opus-5-5", 4, 0.2, {"5m": 5, "1h": 8}),
        ("anthropic", "Claude-Opus-5-5-20261001", 4, 0.2, {"5m": 5, "1h": 8}),
        ("openai", "gpt-6.1-sol", 2, 0.1, {"30m": 2.5, "12h": 5}),
        ("openai-5.5", "openai/gpt-4o-2024-08-06", 2.5, 1.25, {}),
        ("groq", "groq/openai/gpt-oss-20b", 0.075, 0.0375, {}),
        ("qwen-explicit", "qwen3.8-max", 2, 0.2, {"5m": 2.5}),
    ],
)
def test_prices_that_ship(of: str, model: str, fresh: float, read: float, write: dict[str, float]) -> None:
    found = shipped(of, model)
    assert found is not None
    assert (found.fresh, found.read) == ((fresh, fresh), (read, read))
    assert found.write == {ttl: (each, each) for ttl, each in write.items()}
    assert found.source == "table of 2026-11-29"


def test_the_day_decides() -> None:
    before, after = (
        shipped("gemini", "gemini-3.8-flash", date(2026, 12, 31)),
        shipped("gemini", "gemini-3.8-flash", date(2027, 1, 1)),
    )
    assert before is not None
    assert after is not None
    assert (before.fresh, after.fresh) == ((0.75, 0.75), (1.5, 1.5))


def test_the_hour_leaves_a_band() -> None:
    found = shipped("deepseek", "deepseek-v4-pro")
    assert found is not None
    assert (found.fresh, found.read) == ((0.66, 1.32), (0.022, 0.044))


@pytest.mark.parametrize("model", [None, "", "no-such-model", "claude-opus-5-5-turbo"])
def test_an_unknown_model_has_no_price(model: str | None) -> None:
    assert price(provider("anthropic"), model, DAY) is None
    assert price(provider("anthropic"), model, DAY, shipped_only=True) is None
    assert price(provider("vllm"), model, DAY) is None


class _Known:
    """A model of genai-prices as far as it is asked: dearer from 1 to 4 o'clock, in tiers, without a price of 12h."""

    id = "gpt-6-sol"

    def __init__(self, fresh: float) -> None:
        self._fresh = fresh

    def get_prices(self, at: datetime) -> SimpleNamespace:
        assert at.date() == DAY
        times = 2 if 1 <= at.hour < 4 else 1
        return SimpleNamespace(
            input_mtok=SimpleNamespace(base=self._fresh * times, tiers=()),
            cache_read_mtok=0.2 * times,
            cache_write_mtok=2.5 * times,
            cache_write_5m_mtok=None,
            cache_write_1h_mtok=None,
        )


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Stands in for genai-prices, with the models it knows."""

    def install(**models: _Known) -> None:
        def find(name: str, *_: object) -> tuple[None, _Known]:
            if name not in models:
                raise LookupError(name)
            return None, models[name]

        snapshot = SimpleNamespace(find_provider_model=find)
        monkeypatch.setitem(sys.modules, "genai_prices", SimpleNamespace(__version__="9.9"))
        monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", SimpleNamespace(get_snapshot=lambda: snapshot))

    return install


def test_genai_prices_takes_over_where_it_knows_the_model(installed: Callable[..., None]) -> None:
    installed(**{"gpt-6-sol": _Known(3)})
    found = price(provider("openai"), "openai/gpt-6-sol", DAY)
    assert found == Price("gpt-6-sol", (3, 6), (0.2, 0.4), {"30m": (2.5, 5)}, "genai-prices 9.9")
    other = price(provider("openai"), "gpt-6.1-sol", DAY)
    assert other is not None
    assert other.source == "table of 2026-11-29"
    only_table = shipped("openai", "gpt-6-sol")
    assert only_table is not None
    assert only_table.fresh == (2, 2)


def test_the_table_adds_the_ttl_that_genai_prices_lacks(
    installed: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = _Known(2)
    monkeypatch.setattr(known, "get_prices", lambda at: _Known(2).get_prices(datetime(2026, 11, 29, 12)))
    installed(**{"gpt-6-sol": known})
    found = price(provider("openai"), "gpt-6-sol", DAY)
    assert found is not None
    assert found.write == {"30m": (2.5, 2.5), "12h": (5, 5)}
    assert found.source == "genai-prices 9.9"


def test_without_the_extra_the_table_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    found = price(provider("anthropic"), "claude-opus-5-5", DAY)
    assert found == replace(OPUS, source="table of 2026-11-29")


@pytest.mark.parametrize(
    ("of", "model", "theirs"),
    [
        ("anthropic", "claude-opus-5-5", "anthropic"),
        ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "aws"),
        ("groq", "groq/openai/gpt-oss-120b", "groq"),
    ],
)
def test_the_figures_are_those_of_genai_prices(of: str, model: str, theirs: str) -> None:
    genai = pytest.importorskip("genai_prices")
    found = price(provider(of), model, DAY)
    assert found is not None
    assert found.source == f"genai-prices {genai.__version__}"
    for paid, usage in (
        (found.fresh, genai.Usage(input_tokens=100_000)),
        (found.read, genai.Usage(input_tokens=100_000, cache_read_tokens=100_000)),
    ):
        at = datetime(2026, 11, 29, 12, tzinfo=UTC)
        name = model.removeprefix("groq/")
        billed = genai.calc_price(usage, model_ref=name, provider_id=theirs, genai_request_timestamp=at)
        assert paid == pytest.approx((float(billed.input_price) * 10,) * 2)


def test_what_a_response_costs() -> None:
    # 10,000 x $4 + 80,000 x $0.20 + 10,000 x $5, per million: $0.04 + $0.016 + $0.05.
    split = Counts(100_000, 80_000, 10_000, 10_000, {"5m": 10_000})
    assert cost(split, OPUS) == pytest.approx((0.106, 0.106))
    # Which TTL was written is not said: $5 or $8.
    assert cost(replace(split, write_by_ttl={}), OPUS) == pytest.approx((0.106, 0.136))


@pytest.mark.parametrize(
    ("tokens", "ttl", "dollars"),
    [
        ((1000, 1000), None, (3800, 3800)),  # 1,000 x ($4 - $0.20)
        ((1000, 1000), "5m", (3800, 4800)),  # or 1,000 x ($5 - $0.20), where they are written again each time
        ((0, 1000), "1h", (0, 7800)),  # 1,000 x ($8 - $0.20)
        ((1000, 1000), "30m", (3800, 3800)),  # Anthropic has no such entries
    ],
)
def test_what_reading_more_saves(tokens: tuple[int, int], ttl: str | None, dollars: tuple[float, float]) -> None:
    assert saved(tokens, OPUS, ttl) == pytest.approx(dollars)
