from __future__ import annotations

import json
from collections.abc import Callable

from promptlint.layout.appraisal import Appraisal
from promptlint.providers.prices import Price
from promptlint.providers.registry import provider
from promptlint.providers.row import Provider
from promptlint.report.comparison import compared, comparison, comparison_json
from promptlint.report.paint import Paint
from promptlint.source import Source

Appraise = Callable[..., Appraisal]
ASKED = tuple(map(provider, ("vllm", "generic", "anthropic", "openai-5.5")))
FIGURES = {"user": (0, 0, 90)}
OTHER_ORDER = {"user": (20, 20, 80)}


def price_of(of: Provider, model: str) -> Price | None:
    known = {"claude-opus-5-5": (4.0, 0.2), "gpt-5.5": (5.0, 0.5)}
    if model not in known:
        return None
    fresh, read = known[model]
    return Price(model, (fresh, fresh), (read, read), {}, "a test")


def test_orders_are_one_row_that_holds_both(support: Source, appraise: Appraise) -> None:
    (row,) = compared(appraise(support, FIGURES, OTHER_ORDER), ASKED[:1], (), "user", price_of)
    assert (row.now, row.best, row.lost) == ((0, 20), (80, 90), (60, 90))


def test_the_dearest_first_and_generic_before_what_has_no_price(support: Source, appraise: Appraise) -> None:
    models = ("claude-opus-5-5", "gpt-5.5", "Qwen/Qwen3-8B")
    rows = compared(appraise(support, FIGURES), ASKED, models, "user", price_of)
    assert [(row.provider.name, row.model) for row in rows] == [
        ("openai-5.5", "gpt-5.5"),  # 90 x $4.50
        ("anthropic", "claude-opus-5-5"),  # 90 x $3.80
        ("generic", None),
        ("vllm", "Qwen/Qwen3-8B"),
    ]
    assert [row.dollars for row in rows] == [(405.0, 405.0), (342.0, 342.0), None, None]


def test_text_and_json_say_the_same(support: Source, appraise: Appraise) -> None:
    appraisal = appraise(support, FIGURES)
    rows = compared(appraisal, ASKED, ("gpt-5.5",), "user", price_of)
    lines = comparison(appraisal, rows, "user", 10_000, Paint(False))
    assert lines[0] == "prompts/support.j2 under each provider: new conversation of the same user"
    # 30 days of 10,000 requests are 0.3 million.
    assert lines[3].split() == ["openai-5.5", "gpt-5.5", "100", "0", "%", "90", "%", "90", "405", "122"]
    found = json.loads(comparison_json(appraisal, rows, "user", 10_000))
    first = found["providers"][0]
    assert (first["lost_usd_per_million_requests"], first["lost_usd_per_month"]) == ([405, 405], [121.5, 121.5])
    assert (found["horizon"], found["requests_per_day"]) == ("user", 10_000)


def test_without_prices_there_is_no_column_of_dollars(support: Source, appraise: Appraise) -> None:
    appraisal = appraise(support, FIGURES)
    rows = compared(appraisal, ASKED, (), "user", price_of)
    assert rows[0].provider.name == "generic"
    lines = comparison(appraisal, rows, "user", 10_000, Paint(False))
    assert not any("$" in line for line in lines)
    assert lines[-1].startswith("No model is known that one of these serves")
