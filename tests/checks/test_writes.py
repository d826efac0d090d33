"""Writes that nobody reads."""

from __future__ import annotations

import pytest

from promptlint.checks.minimum import ordinal
from promptlint.checks.writes import duration
from promptlint.finding import Severity

from .conftest import Check
from .test_breakpoints import assistant, claude, marked, text, user

KNOWN = '[values]\nrubric = "constant"\nserial = "request"\n[sizes]\nrubric = 3000\nanswer = 900\n'
RULES = " data" * 600


def test_the_breakpoint_belongs_on_the_rubric(check: Check) -> None:
    body = claude(user([text("{{ rubric }}"), marked("{{ answer }}")]))
    (found,) = check("breakpoint-on-volatile", body, config=KNOWN)
    assert found.severity is Severity.WARNING
    value, stable = found.related
    assert (value.place.text, stable.place.text) == ("{{ answer }}", "{{ rubric }}")


@pytest.mark.parametrize(
    "messages",
    [
        (user([marked("{{ rubric }}"), text("{{ answer }}")]),),
        (
            user("{{ rubric }}"),
            assistant("Yes."),
            user("{{ answer }}"),
            assistant("{{ reply }}"),
            user([marked("{{ q }}")]),
        ),
        (user([marked("{{ answer }}")]),),  # nothing above it to read
        (user([marked("{{ answer }} " + RULES)]),),  # the value itself is in the way
    ],
)
def test_these_breakpoints_stand_where_they_should(check: Check, messages: tuple[dict[str, object], ...]) -> None:
    assert check("breakpoint-on-volatile", claude(*messages), config=KNOWN) == []


def test_one_cause_has_one_finding(check: Check) -> None:
    end = claude(user("{{ question }}"), system=[marked(RULES + "\nIt is {{ serial }}.")])
    above = claude(user("{{ question }}"), system=[marked("It is {{ serial }}.\n" + RULES)])
    assert [finding.rule for finding in check("all", end, config=KNOWN)] == ["breakpoint-on-volatile"]
    rules = [finding.rule for finding in check("all", above, config=KNOWN)]
    assert "breakpoint-on-volatile" not in rules and "turn-state-in-prefix" in rules


@pytest.mark.parametrize("events", ["session", "user", "day", "constant"])
def test_what_stays_for_a_conversation_is_read_in_it(check: Check, events: str) -> None:
    body = claude(user("{{ question }}"), system=[marked(RULES + "\n{{ serial }}")])
    config = KNOWN.replace('"request"', f'"{events}"')
    assert check("breakpoint-on-volatile", body, config=config) == []


def test_a_tail_is_paid_for_only_where_writing_costs_more(check: Check) -> None:
    def body(model: str, **more: object) -> dict[str, object]:
        messages = [{"role": "developer", "content": "{{ rubric }}"}, user("{{ answer }}")]
        return {"model": model, **more, "messages": messages}

    (found,) = check("paid-writes", body("gpt-5.6-terra"), config=KNOWN)
    assert found.severity is Severity.NOTE and "900 tokens" in found.message and "25 %" in found.message
    (found,) = check("paid-writes", body("gpt-5.6-terra", prompt_cache_options={"ttl": "12h"}), config=KNOWN)
    assert "150 %" in found.message
    assert check("paid-writes", body("gpt-5"), config=KNOWN) == []
    assert check("paid-writes", body("gpt-5.6-terra", prompt_cache_options={"mode": "explicit"}), config=KNOWN) == []
    assert check("paid-writes", body("gpt-5.6-terra", tools=[{"type": "function", "function": {"name": "f"}}])) == []


@pytest.mark.parametrize(
    ("interval", "ttl", "help"),
    [
        ('"4m"', None, None),
        ('"5m"', None, None),
        ('"6m"', None, "A TTL of 1h lasts, and pays from the 3rd request"),
        ("3601", "1h", "No TTL of this provider lasts that long"),
        ("3600", "1h", None),
    ],
)
def test_an_entry_has_to_outlive_the_interval(check: Check, interval: str, ttl: str | None, help: str | None) -> None:
    body = claude(user("Hi."), system=[marked(RULES, ttl)])
    found = check("ttl-shorter-than-interval", body, config=f"[traffic]\ninterval = {interval}\n")
    assert [finding.advice.startswith(help or "?") for finding in found] == ([True] if help else [])


def test_without_an_interval_nothing_is_said_about_lives(check: Check) -> None:
    assert check("ttl-shorter-than-interval", claude(user("Hi."), system=[marked(RULES)])) == []


def test_numbers_are_said_as_people_do() -> None:
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 102, 1111)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "1,111th")
    ]
    assert [duration(seconds) for seconds in (45, 90, 120, 7200, 86400)] == ["45s", "90s", "2m", "2h", "1d"]
