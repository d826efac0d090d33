"""Dollars of a log, from the prices that ship with promptlint."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from promptlint.audit.run import Options, audit

Log = Callable[[str, str], str]


def test_what_was_paid_and_what_the_best_change_saves(tmp_path: Path, log: Log) -> None:
    lines = [json.loads(line) for line in log("clock", "openai").splitlines()]
    usage = {"prompt_tokens": 2500, "prompt_tokens_details": {"cached_tokens": 0}}
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps({**line, "usage": usage}) + "\n" for line in lines))
    result = audit([str(path)], Options(processes=1, shipped_prices=True), lambda *_: None)
    assert result.money is not None and result.money.reachable is not None
    # gpt-5-mini costs 0.25 dollars a million fresh tokens and a tenth of that for tokens that are read.
    assert result.money.paid[0] == pytest.approx(len(lines) * 2500 * 0.25e-6)
    (outcome,) = result.outcomes
    assert result.simulated is not None
    gained = outcome.cached - result.simulated.cached
    assert result.money.paid[0] - result.money.reachable[1] == pytest.approx(gained * 0.225e-6)
    (cause,) = result.causes
    assert cause.dollars is not None
    assert cause.dollars[0] == pytest.approx(cause.tokens * 0.225e-6)


def test_a_model_without_a_price_costs_nothing_that_is_said(tmp_path: Path, log: Log) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(log("append-only", "openai").replace("gpt-5-mini", "nobody-knows-1"))
    result = audit([str(path)], Options(processes=1, shipped_prices=True), lambda *_: None)
    assert result.money is None
    assert result.simulated is not None
