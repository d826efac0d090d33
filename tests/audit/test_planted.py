"""Every planted cause is blamed on its place and kind, and nothing is blamed on a log in which nothing is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from promptlint.audit.result import Result
from promptlint.audit.run import Options, audit
from tests.audit.conftest import Record, Writer, prose

Log = Callable[[str, str], str]


def audited(tmp_path: Path, text: str, options: Options | None = None) -> Result:
    path = tmp_path / "log.jsonl"
    path.write_text(text, encoding="utf-8")
    return audit([str(path)], options or Options(processes=1), lambda *_: None)


def test_a_planted_cause_is_blamed(tmp_path: Path, log: Log, planted: tuple[str, str, tuple[str, ...]]) -> None:
    form, name, blamed = planted
    result = audited(tmp_path, log(name, form))
    assert [(cause.rule, cause.kind, cause.path) for cause in result.causes] == [blamed]
    (cause,) = result.causes
    assert cause.tokens >= 100 * cause.requests
    assert 1 <= result.places[cause.rid].line <= result.requests
    if blamed[1] in ("below-minimum", "miss"):
        assert not result.outcomes
        return
    (outcome,) = result.outcomes
    assert result.simulated is not None
    assert outcome.share > result.simulated.value + 0.005


def test_nothing_is_blamed_where_nothing_is_wrong(tmp_path: Path, log: Log, clean: str, form: str) -> None:
    result = audited(tmp_path, log(clean, form))
    assert result.causes == ()
    assert result.outcomes == ()
    assert result.simulated is not None and result.simulated.value > 0.8


def test_the_place_of_a_difference_is_exact(tmp_path: Path, log: Log) -> None:
    result = audited(tmp_path, log("clock", "openai"))
    (cause,) = result.causes
    assert (cause.place, cause.line[:9]) == ("messages[0].content", "It is 10:")
    assert cause.before[:9] == cause.after[:9] == "It is 10:"
    at = cause.offset
    assert cause.before[:at] == cause.after[:at] == cause.line
    assert cause.before[at] != cause.after[at]


def test_a_short_block_that_differs_is_blamed_for_the_long_one_behind_it(tmp_path: Path) -> None:
    rules = "Answer the traveller and name the platform.\n" * 300

    def line(number: int) -> str:
        blocks = [{"type": "text", "text": text} for text in (f"It is 10:{number:02}:07.", rules)]
        blocks[-1]["cache_control"] = {"type": "ephemeral"}  # type: ignore[assignment]
        body = {"model": "claude-sonnet-4-5", "system": blocks, "messages": [{"role": "user", "content": f"Q{number}"}]}
        return json.dumps({"timestamp": 1_795_946_400 + 20 * number, "request": body}) + "\n"

    result = audited(tmp_path, "".join(map(line, range(12))))
    (cause,) = result.causes
    assert (cause.rule, cause.kind, cause.path) == ("clock-in-prefix", "time", "system[0].text")
    assert cause.requests == 11
    assert result.simulated is not None and cause.tokens > 0.9 * result.simulated.tokens * 11 / 12


def test_a_place_where_a_clock_differed_often_may_differ_in_words(tmp_path: Path) -> None:
    rules = "Answer the traveller and name the platform.\n" * 300
    greets = [number in (40, 50) for number in range(60)]

    def line(number: int) -> str:
        first = "Please wait." if greets[number] else f"10:{number:02}:07"
        messages = [{"role": "system", "content": f"{first}\n{rules}"}, {"role": "user", "content": f"Q{number}"}]
        body = {"timestamp": 1_795_946_400 + 20 * number, "model": "gpt-5-mini", "messages": messages}
        return json.dumps(body) + "\n"

    result = audited(tmp_path, "".join(map(line, range(60))))
    (cause,) = result.causes
    assert (cause.kind, cause.requests) == ("time", list(pairwise(greets)).count((False, False)))


def test_moving_the_clock_gives_the_share_of_the_log_without_one(tmp_path: Path, log: Log) -> None:
    broken = audited(tmp_path, log("clock", "openai"))
    lines = [json.loads(line) for line in log("clock", "openai").splitlines()]
    for line in lines:
        system = line["request"]["messages"][0]
        system["content"] = system["content"].partition("\n")[2]
    clean = audited(tmp_path, "".join(json.dumps(line) + "\n" for line in lines))
    assert broken.reachable is not None and clean.simulated is not None
    assert broken.reachable.value == pytest.approx(clean.simulated.value, abs=0.01)


def test_all_changes_of_one_log_together(tmp_path: Path, form: str) -> None:
    """A clock in the system text, tools in another number and order, and messages that are edited."""
    writer = Writer(form)
    tools = [
        {**writer.tools[0], "name": f"tool_{number}", "description": prose(writer.chance, 300)} for number in range(5)
    ]

    def messages(turn: int, history: list[Record]) -> list[Record]:
        history[0]["content"] = f"{history[0]['content']}\nStill open: {prose(writer.chance, 8)}"
        return history

    for number in range(30):
        writer.talk(
            4,
            prompt=lambda turn: f"It is 10:{len(writer.records) % 60:02}:07 now.\n{writer.system}",
            messages=messages if number % 3 == 0 else None,
            tools=lambda turn: writer.chance.sample(tools, writer.chance.randrange(2, 6)),
        )
    result = audited(tmp_path, writer.lines())
    *alone, together = result.outcomes
    actions = {"openai": ["tools", "move"], "anthropic": ["move", "marks"]}
    assert [change.action for change in together.changes] == actions[form]
    assert result.simulated is not None
    assert together.share > max(outcome.share for outcome in alone) > result.simulated.value
