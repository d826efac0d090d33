"""`promptlint providers` as users run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from promptlint.providers.registry import providers

Run = Callable[..., CompletedProcess[str]]
CHECKED, DUE = "1795910400", "1803772800"  # 2026-11-29 and 2027-02-28, 91 days later


def test_every_row_with_its_age(promptlint: Run) -> None:
    done = promptlint("providers", SOURCE_DATE_EPOCH=CHECKED)
    assert (done.returncode, done.stderr) == (0, "")
    head, *lines = done.stdout.splitlines()
    assert head.split() == [
        "provider",
        "rule",
        "unit",
        "minimum",
        "markers",
        "look-back",
        "TTL",
        "shared",
        "by",
        "checked",
    ]
    assert [line.split()[0] for line in lines] == [of.name for of in providers()]
    assert all(line.endswith("2026-11-29, today") for line in lines)


def test_rows_past_90_days_ask_to_be_checked(promptlint: Run) -> None:
    lines = promptlint("providers", SOURCE_DATE_EPOCH=DUE).stdout.splitlines()[1:]
    assert all(line.endswith("2026-11-29, 91 days ago: check this") for line in lines)
    day_before = promptlint("providers", "vllm", SOURCE_DATE_EPOCH=str(int(DUE) - 86400)).stdout
    assert "90 days ago;" in day_before
    assert "check this" not in day_before


def test_one_page_by_an_alias_says_what_is_unknown(promptlint: Run) -> None:
    page = promptlint("providers", "Vertex").stdout
    assert page.startswith("Google Gemini, implicit caching (gemini, also ")
    assert "unit        unknown" in page
    assert "minimum     2,048 to 6,144 tokens" in page
    assert "https://ai.google.dev/gemini-api/docs/caching" in page
    assert max(map(len, page.splitlines())) <= 120


def test_an_unknown_name_gets_the_nearest(promptlint: Run) -> None:
    done = promptlint("providers", "antropic")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: no provider is called 'antropic'; did you mean 'anthropic'?\n"


@pytest.mark.parametrize("name", [of.name for of in providers()])
def test_every_page_can_be_printed(name: str) -> None:
    from datetime import date

    from promptlint.providers.registry import provider
    from promptlint.report.paint import Paint
    from promptlint.report.providers_view import provider_page

    page = "\n".join(provider_page(provider(name), date(2026, 11, 29), Paint(False)))
    assert "rule  " in page
    assert "checked  " in page
    assert str(2**62)[:6] not in page, "an open end is no figure"


def test_json_has_every_row_and_null_for_what_nobody_states(promptlint: Run) -> None:
    rows = json.loads(promptlint("providers", "--output-format", "json", SOURCE_DATE_EPOCH=DUE).stdout)["providers"]
    assert [row["name"] for row in rows] == [of.name for of in providers()]
    by_name = {row["name"]: row for row in rows}
    assert by_name["gemini"]["unit"] == [1, None]
    assert by_name["deepseek"]["ttl"] is None
    assert by_name["openai"]["ttl"] == {"30m": [1800, 1800], "12h": [43200, 43200]}
    assert by_name["anthropic"]["minimum_by_model"]["*claude-opus-4[-.]7*"] == [2048, 2048]
    assert all(row["check_this"] and row["age_days"] == 91 for row in rows)
    assert all(row["sources"] for row in rows if row["name"] != "generic")
    (one,) = json.loads(promptlint("providers", "vllm", "--output-format", "json", SOURCE_DATE_EPOCH=CHECKED).stdout)[
        "providers"
    ]
    assert (one["name"], one["check_this"], one["age_days"]) == ("vllm", False, 0)


def test_isolation(promptlint: Run) -> None:
    table = promptlint("providers", "--isolation", SOURCE_DATE_EPOCH=CHECKED).stdout
    (vllm,) = [line for line in table.splitlines() if line.startswith("vllm ")]
    assert vllm.split() == ["vllm", "server", "cache_salt", "-", "InputSnatch,", "PROMPTPEEK", "high"]
    assert "https://arxiv.org/abs/2411.18191" in table
    found = json.loads(promptlint("providers", "vllm", "--isolation", "--output-format", "json").stdout)
    assert [row["salts"] for row in found["isolation"]] == [["cache_salt"]]
    assert all(attack["sources"] for attack in found["attacks"])
