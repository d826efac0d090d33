"""Prices: the table that ships, genai-prices above it, and what tokens cost."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import date
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


def test_genai_prices_takes_over_where_it_knows_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("genai_prices")
    found = price(provider("anthropic"), "claude-opus-5-5", DAY)
    assert found is not None
    assert found.source.startswith("genai-prices ")
    assert found == replace(OPUS, source=found.source)
    # It knows no price for 12 hours: the table's is kept.
    known = price(provider("openai"), "gpt-6-sol", DAY)
    assert known is not None
    assert known.write == {"30m": (2.5, 2.5), "12h": (5, 5)}
    # Rates of regional profiles are only there.
    regional = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    assert price(provider("bedrock"), regional, DAY) is not None
    assert shipped("bedrock", regional) is None
    # A model that it does not know has the table's price.
    rest = price(provider("bedrock-nova"), "amazon.nova-2-lite-v1:0", DAY)
    assert rest is not None
    assert rest.source == "table of 2026-11-29"
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    without = price(provider("anthropic"), "claude-opus-5-5", DAY)
    assert without is not None
    assert without.source == "table of 2026-11-29"


def test_what_a_response_costs() -> None:
    # 10,000 x $4 + 80,000 x $0.20 + 10,000 x $5, per million: $0.04 + $0.016 + $0.05.
    split = Counts(100_000, 80_000, 10_000, 10_000, {"5m": 10_000})
    assert cost(split, OPUS) == pytest.approx((0.106, 0.106))
    # Which TTL was written is not said: $5 or $8.
    assert cost(replace(split, write_by_ttl={}), OPUS) == pytest.approx((0.106, 0.136))


def test_what_genai_prices_makes_of_the_same_response() -> None:
    genai = pytest.importorskip("genai_prices")
    usage = genai.Usage(input_tokens=100_000, cache_read_tokens=80_000, cache_write_tokens=10_000)
    theirs = genai.calc_price(usage, model_ref="claude-opus-5-5", provider_id="anthropic").input_price
    ours = cost(Counts(100_000, 80_000, 10_000, 10_000, {"5m": 10_000}), OPUS)
    assert ours == pytest.approx((float(theirs),) * 2)


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
