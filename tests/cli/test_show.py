"""`promptlint show --provider all` as users run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from promptlint.providers.registry import providers

Run = Callable[..., CompletedProcess[str]]
PROMPT = "The time is {{ now() }}.\n" + "You answer questions about the warehouse.\n" * 300
SHOW = ("show", "system.j2", "--provider", "all", "--prices", "table")


def rows_of(done: CompletedProcess[str]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["providers"]
    return found


def test_without_a_model_there_are_no_dollars_and_generic_comes_first(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "system.j2").write_text(PROMPT)
    done = promptlint(*SHOW)
    assert done.returncode == 0, done.stderr
    assert "$" not in done.stdout
    assert "No model is known that one of these serves: tokens and shares, no dollars." in done.stdout
    rows = rows_of(promptlint(*SHOW, "--output-format", "json"))
    assert rows[0]["provider"] == "generic"
    assert sorted(row["provider"] for row in rows) == sorted(of.name for of in providers())
    lost = [row["lost"][1] for row in rows[1:]]
    assert lost == sorted(lost, reverse=True)
    assert all(row["lost_usd_per_million_requests"] is None for row in rows)


def test_models_are_priced_where_they_run_the_dearest_first(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "system.j2").write_text(PROMPT)
    models = "deepseek-v4-pro,gpt-4o,claude-opus-5-5,Qwen/Qwen3-8B"
    rows = rows_of(promptlint(*SHOW, "--model", models, "--output-format", "json"))
    priced = [row for row in rows if row["lost_usd_per_million_requests"] is not None]
    assert [(row["provider"], row["model"]) for row in priced] == [
        ("anthropic", "claude-opus-5-5"),
        ("deepseek", "deepseek-v4-pro"),  # $0.66 - $0.022 to $1.32 - $0.044 a million, for up to all that is lost
        ("openai-5.5", "gpt-4o"),  # $2.50 - $1.25, for fewer whole blocks
    ]
    assert rows[: len(priced)] == priced
    # What is not read is fresh ($4) or written again ($5); read it would cost $0.20.
    first = priced[0]
    assert first["lost"][0] == first["lost"][1] > 0
    assert first["lost_usd_per_million_requests"] == [
        round(first["lost"][0] * 3.8, 2),
        round(first["lost"][0] * 4.8, 2),
    ]
    vllm = next(row for row in rows if row["provider"] == "vllm")
    assert (vllm["model"], vllm["price_source"]) == ("Qwen/Qwen3-8B", None)
    text = promptlint(*SHOW, "--model", models).stdout
    assert "Prices: table of 2026-11-29;" in text
    assert "No price is known for Qwen/Qwen3-8B: no dollars." in text


def test_model_and_traffic_of_the_configuration(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "system.j2").write_text(PROMPT)
    (tmp_path / "promptlint.toml").write_text('model = "gpt-4o"\n[traffic]\nrequests-per-day = 20000\n')
    first = rows_of(promptlint(*SHOW, "--output-format", "json"))[0]
    assert (first["provider"], first["model"]) == ("openai-5.5", "gpt-4o")
    # 30 days of 20,000 requests are 0.6 million.
    million, month = first["lost_usd_per_million_requests"], first["lost_usd_per_month"]
    assert [round(each * 0.6) for each in million] == [round(each) for each in month]
    text = promptlint(*SHOW).stdout
    assert "lost $ a month" in text
    assert "A month is 30 days of 20,000 requests." in text
    # --model overrules it.
    other = rows_of(promptlint(*SHOW, "--model", "claude-opus-5-5", "--output-format", "json"))[0]
    assert other["provider"] == "anthropic"


def test_the_model_of_a_request(promptlint: Run, tmp_path: Path) -> None:
    body = {"model": "gpt-4o", "messages": [{"role": "system", "content": PROMPT}, {"role": "user", "content": "Hi"}]}
    (tmp_path / "request.json").write_text(json.dumps(body))
    rows = rows_of(
        promptlint("show", "request.json", "--provider", "all", "--prices", "table", "--output-format", "json")
    )
    assert (rows[0]["provider"], rows[0]["model"]) == ("openai-5.5", "gpt-4o")


def test_a_template_below_every_minimum_is_told_about_request(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "system.j2").write_text("The time is {{ now() }}.\nYou answer questions.\n")
    text = promptlint(*SHOW).stdout
    assert "0 % at best: nothing that can stay the same reaches the provider's minimum." in text
    assert "[request] in the configuration says what surrounds it." in text


def test_horizon(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "system.j2").write_text(PROMPT)
    assert "new conversation of the same user" in promptlint(*SHOW).stdout
    assert "next call of the same conversation" in promptlint(*SHOW, "--horizon", "conversation").stdout


def test_a_model_for_one_provider_decides_its_minimum(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "system.j2").write_text("You answer questions about the warehouse.\n" * 90)
    show = ("show", "system.j2", "--provider", "anthropic", "--horizon", "user", "--output-format", "json")

    def now(*more: str) -> list[int]:
        found: list[int] = json.loads(promptlint(*show, *more).stdout)["layouts"][0]["now"]
        return found

    low, high = now()
    assert 0 == low < high, "512 to 4,096, by model"
    assert now("--model", "claude-opus-5-5") == [high, high]
    assert now("--model", "claude-opus-4-5") == [0, 0]


def test_one_provider_with_a_model_says_dollars_by_horizon(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "system.j2").write_text(PROMPT)
    show = ("show", "system.j2", "--provider", "anthropic", "--prices", "table", "--model")
    priced = promptlint(*show, "claude-opus-5-5")
    assert priced.returncode == 0, priced.stderr
    assert "lost $ per million requests" in priced.stdout
    assert "Prices: table of 2026-11-29;" in priced.stdout
    unknown = promptlint(*show, "claude-opus-99")
    assert "lost $" not in unknown.stdout
    assert "No price is known for claude-opus-99: no dollars." in unknown.stdout
    found = json.loads(promptlint(*show, "claude-opus-5-5", "--output-format", "json").stdout)
    assert found["model"] == "claude-opus-5-5"
    for layout in found["layouts"]:
        lost = layout["best"][0] - layout["now"][0]
        assert layout["lost_usd_per_million_requests"] == [round(lost * 3.8, 2), round(lost * 4.8, 2)]


def test_check_takes_a_model_too(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "system.j2").write_text(PROMPT)
    found = json.loads(promptlint("check", "--model", "gpt-4o", "--output-format", "json", "system.j2").stdout)
    assert {finding["provider"] for finding in found["findings"]} == {"openai-5.5"}


@pytest.mark.parametrize("command", [("show", "ask.py"), ("diff", "ask.py", "ask.py")])
def test_a_program_that_cannot_be_followed_is_said(
    promptlint: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    def requests(*_: object) -> object:
        raise KeyError("odd")

    monkeypatch.setattr("promptlint.flow.flow.requests", requests)
    (tmp_path / "ask.py").write_text('def ask(client, q):\n    return client.messages.create(model="m", system=q)\n')
    done = promptlint(*command)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: ask.py: internal error (KeyError: 'odd'); please report it\n"
