"""Breakpoints below the minimum, and prefixes above it without one. " data" is one token of o200k_base."""

from __future__ import annotations

from typing import Any

import pytest

from promptlint.finding import Severity

from .conftest import Check
from .test_breakpoints import MARK, assistant, claude, marked, text, user


def gpt(tokens: int, **more: Any) -> dict[str, Any]:
    """A request to GPT-5.6 (exact counts, minimum 1,024) with so many tokens above its breakpoint."""
    system = [text(" data" * tokens, prompt_cache_breakpoint={"mode": "explicit"})]
    return {"model": "gpt-5.6-terra", **more, "messages": [{"role": "developer", "content": system}, user("Hi.")]}


@pytest.mark.parametrize(("tokens", "reported"), [(15, True), (1023, True), (1024, False), (5000, False)])
def test_an_exact_count_is_compared_exactly(check: Check, tokens: int, reported: bool) -> None:
    found = check("below-minimum", gpt(tokens))
    assert bool(found) == reported
    if found:
        assert f"{tokens:,} tokens" in found[0].message and "about" not in found[0].message
        assert found[0].severity is Severity.WARNING


def test_an_estimate_that_could_be_long_enough_is_a_note(check: Check) -> None:
    # claude-opus-5: 512; counts are o200k_base x1.5 [1.25, 1.85]. 270 words: 405 (337 to 500), surely below.
    # 300 words: 450 (375 to 555), perhaps. 350 words: 525 (437 to 648), more likely above.
    levels = []
    for words in (270, 300, 350):
        found = check("below-minimum", claude(user("Hi."), system=[marked(" data" * words)]))
        levels += [[finding.severity for finding in found]]
    assert levels == [[Severity.WARNING], [Severity.NOTE], []]


def test_a_model_that_is_not_known_is_only_judged_below_the_least_of_all(check: Check) -> None:
    unnamed = {"anthropic_version": "2023-06-01", "max_tokens": 9, "messages": [user("Hi.")]}
    assert check("below-minimum", {**unnamed, "system": [marked(" data" * 1000)]}) == []
    (found,) = check("below-minimum", {**unnamed, "system": [marked("Be brief.")]})
    assert "from 512 to 4,096 on" in found.message


def test_padding_is_priced(check: Check) -> None:
    # 500 tokens, padded to 1,024 for 1.25 and read for 0.1: 1,177.6 / (500 - 102.4) = 2.96, so from the 3rd use on.
    (found,) = check("below-minimum", gpt(500))
    assert found.advice.startswith("Padding it to 1,024 tokens pays from the 3rd use")
    (found,) = check("below-minimum", gpt(50))
    assert found.advice.startswith("Padding it to 1,024 tokens never pays")


def test_what_grows_or_has_no_known_size_is_left_alone(check: Check) -> None:
    assert check("below-minimum", claude(user([marked("Hi.")]), system="Be brief.")) == []
    assert check("below-minimum", claude(user("{{ question }}"), system=[marked("{{ handbook }}")])) == []
    image = {"type": "image", "source": {"type": "url", "url": "https://files.example/plan.png"}}
    assert check("below-minimum", claude(user([image, marked("The plan."), text("Where?")]))) == []


def test_a_larger_one_below_makes_a_small_one_right(check: Check) -> None:
    body = claude(user("Hi."), system=[marked("Be brief."), marked(" data" * 500)])
    assert check("below-minimum", body) == []


@pytest.mark.parametrize(("words", "reported"), [(400, False), (420, True)])
def test_a_prefix_is_surely_long_enough_by_the_lower_end_of_its_count(check: Check, words: int, reported: bool) -> None:
    # 400 words are at least 500 tokens, 420 at least 525; the minimum is 512.
    assert bool(check("missing-breakpoint", claude(user("Hi."), system=" data" * words))) == reported


def test_one_breakpoint_anywhere_is_one(check: Check) -> None:
    assert check("missing-breakpoint", claude(user([marked("Hi.")]), system=" data" * 500)) == []
    assert check("missing-breakpoint", claude(user("Hi."), system=" data" * 500, **MARK)) == []


def test_history_is_worth_one_where_the_system_text_is_not(check: Check) -> None:
    talk = (user("Read this: " + " data" * 500), assistant("Done."))
    (found,) = check("missing-breakpoint", claude(*talk, user("And?")))
    assert "above the newest turn" in found.message
    assert found.place.text == "Done."
    # The same as a template's first question: nothing of it is known to come back.
    assert check("missing-breakpoint", claude(user("Read this: {{ text }} " + " data" * 500))) == []
