"""Breakpoints that are not taken as they are written."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from promptlint.checks.breakpoints import dropped
from promptlint.data import load_toml
from promptlint.finding import Finding, Severity
from promptlint.layout.appraise import appraise
from promptlint.prompt import Marker, Prompt
from promptlint.providers.registry import provider
from promptlint.rulebook import rule
from promptlint.source import Place, Source, Span

from .conftest import Check

MARK = {"cache_control": {"type": "ephemeral"}}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def marked(words: str, ttl: str | None = None) -> dict[str, Any]:
    return text(words, cache_control={"type": "ephemeral", **({"ttl": ttl} if ttl else {})})


def claude(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "claude-opus-5", "max_tokens": 9, **more, "messages": list(messages)}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def pointed(finding: Finding) -> str:
    return finding.place.text


@pytest.mark.parametrize(("count", "reported"), [(4, False), (5, True), (7, True)])
def test_the_limit_is_the_last_number_that_is_taken(check: Check, count: int, reported: bool) -> None:
    found = check("too-many-breakpoints", claude(user([marked(f"Part {at}.") for at in range(count)])))
    assert bool(found) == reported
    if reported:
        assert [finding.severity for finding in found] == [Severity.ERROR]
        # The fifth is the first that is too many; the four above it are named as well.
        (fifth,) = (finding.place.source.text.index("Part 4.") for finding in found)
        assert found[0].place.span.start > fifth
        assert len(found[0].related) == 4


def test_where_it_is_not_known_that_more_are_refused_it_is_a_warning(check: Check) -> None:
    parts = [text(f"Part {at}.", prompt_cache_breakpoint={"mode": "explicit"}) for at in range(5)]
    (found,) = check("too-many-breakpoints", {"model": "gpt-5.6", "messages": [user(parts)]})
    assert found.severity is Severity.WARNING and "what becomes of the others is not stated" in found.message


def test_a_log_says_it_once(check: Check) -> None:
    body = claude(user([marked(f"Part {at}.") for at in range(5)]))
    (found,) = check("too-many-breakpoints", body, body, body)
    assert [related.message for related in found.related].count("and here") == 2


@pytest.mark.parametrize(
    ("ttls", "reported"),
    [
        (["1h", "5m"], False),
        (["5m", "1h"], True),
        ([None, "1h"], True),  # the default is 5m
        (["1h", None, "5m"], False),
        (["1h", "5m", "1h"], True),
        (["5m", "soon", "5m"], False),  # a life that is not known is not compared
    ],
)
def test_lives_may_only_get_shorter(check: Check, ttls: list[str | None], reported: bool) -> None:
    body = claude(user([marked(f"Part {at}.", ttl) for at, ttl in enumerate(ttls)]))
    assert bool(check("ttl-order", body)) == reported


def test_lives_are_compared_in_the_providers_order(check: Check) -> None:
    tools = [{"name": "hours", "input_schema": {"type": "object"}, **MARK}]
    (found,) = check("ttl-order", claude(user("Hi."), system=[marked("Be brief.", "1h")], tools=tools))
    assert "1h" in pointed(found)
    assert check("ttl-order", claude(user([marked("Hi.")]), system=[marked("Be brief.", "1h")])) == []


def turn(blocks: int) -> dict[str, Any]:
    """A running conversation, marked at its end, whose newest message has so many blocks; the answer is one more."""
    return claude(user("Go on."), assistant("Yes."), user([*map(text, map(str, range(blocks - 1))), marked("Now.")]))


@pytest.mark.parametrize(("added", "reported"), [(19, False), (20, True), (25, True)])
def test_the_look_back_counts_the_blocks_since_the_call_before(check: Check, added: int, reported: bool) -> None:
    # The marker's own position is the first of 20, so what was written 20 blocks above it is out of reach.
    found = check("lookback-exceeded", turn(added - 1))
    assert bool(found) == reported
    if found:
        assert f"{added} blocks" in found[0].message


def test_a_run_of_calls_is_one_position_and_so_is_one_of_results(check: Check) -> None:
    calls = [{"type": "tool_use", "id": f"t{at}", "name": "hours", "input": {}} for at in range(30)]
    results = [{"type": "tool_result", "tool_use_id": f"t{at}", "content": "nine"} for at in range(30)]
    body = claude(user("All branches."), assistant(calls), user([*results[:-1], {**results[-1], **MARK}]))
    assert check("lookback-exceeded", body) == []


def test_a_breakpoint_where_the_call_before_ended_is_found_by_itself(check: Check) -> None:
    body = turn(30)
    body["messages"][0] = user([marked("Go on.")])
    assert check("lookback-exceeded", body) == []


@pytest.mark.parametrize("row", load_toml("breakpoints.toml")["site"], ids=lambda row: row["site"])
def test_a_row_about_a_site_is_complete(row: dict[str, Any]) -> None:
    assert row["effect"] in ("refused", "ignored")
    assert all(provider(name).max_breakpoints for name in row["providers"])
    assert row["source"].startswith(("https://", "pkg:"))
    assert isinstance(row["checked_on"], date)
    assert row["do"].endswith(".") and not row["said"].endswith(".")


def test_a_row_about_the_order_of_lives_is_complete() -> None:
    for row in load_toml("breakpoints.toml")["order"]:
        assert row["effect"] in ("refused", "ignored")
        assert all(provider(name).max_breakpoints for name in row["providers"])
        assert isinstance(row["checked_on"], date)


def test_a_marked_message_is_refused_and_a_marked_block_is_not(check: Check) -> None:
    (found,) = check("breakpoint-dropped", claude({**user("Hi."), **MARK}))
    assert found.severity is Severity.ERROR
    assert check("breakpoint-dropped", claude(user([marked("Hi.")]))) == []


@pytest.mark.parametrize(("of", "said"), [("anthropic", "langchain-anthropic 1.7.10"), ("openai", None)])
def test_what_a_library_loses_is_said_with_its_version(of: str, said: str | None) -> None:
    source = Source("agent.py", "additional_kwargs={'cache_control': {}}")
    marker = Marker(-1, Place(source, Span(0, len(source.text))), site="langchain additional_kwargs")
    appraisal = appraise(Prompt("agent.py", "", (), (marker,)), provider(of), provider_known=True)
    found = list(dropped(appraisal, rule("breakpoint-dropped")))
    assert [finding.severity for finding in found] == ([Severity.WARNING] if said else [])
    assert all(said and said in finding.message and "nothing is cached here" in finding.message for finding in found)


def test_where_the_marker_counts_it_is_not_dropped(check: Check) -> None:
    body = {"model": "house-model", "messages": [{**user("Hi."), **MARK}]}
    assert check("breakpoint-dropped", body) == []


@pytest.mark.parametrize("name", ["all", "below-minimum", "paid-writes", "breakpoint-on-volatile"])
def test_a_breakpoint_above_everything_is_no_trouble(check: Check, name: str) -> None:
    empty = {"type": "text", "text": "", **MARK}
    found = check(name, claude(user([empty, text("{{ question }}")])))
    assert {finding.rule for finding in found} <= {"breakpoint-dropped"}
