from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.checks.pairs import pair_findings
from promptlint.comparing.comparison import Comparison
from promptlint.comparing.difference import difference_of
from promptlint.comparing.serialised import serialised
from promptlint.finding import Severity

Compare = Callable[..., Comparison]
QUICK = settings(max_examples=40, deadline=None)
ORDERS = st.permutations(["tools", "system", "messages"]).map(tuple)

_WORD = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
_TOOL = st.fixed_dictionaries({"name": _WORD, "description": _WORD, "input_schema": st.just({"type": "object"})})
_BODIES = st.builds(
    lambda tools, system, talk: {
        "model": "claude-sonnet-4-5",
        "tools": tools,
        "system": [{"type": "text", "text": text} for text in system],
        "messages": [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(talk)],
    },
    st.lists(_TOOL, max_size=3),
    st.lists(_WORD, max_size=3),
    st.lists(_WORD, min_size=1, max_size=4),
)


def rules(comparison: Comparison) -> list[tuple[str, Severity]]:
    return [(finding.rule, finding.severity) for finding in pair_findings(comparison)]


@QUICK
@given(_BODIES, ORDERS)
def test_a_request_is_identical_to_itself(compare: Compare, body: dict[str, Any], order: tuple[str, ...]) -> None:
    same = compare(body, json.loads(json.dumps(body)), order=order)
    assert (same.relation, same.reading.appends, same.reading.share) == ("identical", True, 1.0)
    assert same.reading.common == same.reading.total
    assert not pair_findings(same) and not same.loses_prefix


@QUICK
@given(_BODIES, st.lists(_WORD, min_size=1, max_size=3), st.sampled_from([None, 2]))
def test_an_appended_message_only_appends(
    compare: Compare, body: dict[str, Any], more: list[str], indent: int | None
) -> None:
    longer = {**body, "messages": [*body["messages"], *({"role": "user", "content": text} for text in more)]}
    found = compare(body, longer, indent=indent)
    assert (found.relation, found.reading.appends, found.reading.share) == ("append-only", True, 1.0)
    assert found.reading.common == found.reading.total
    assert not pair_findings(found)
    back = compare(longer, body)
    assert (back.relation, back.reading.appends, back.loses_prefix) == ("shortened", False, False)


@QUICK
@given(_BODIES, ORDERS, st.sampled_from([None, 2]), st.data())
def test_a_planted_change_has_its_exact_pointer_and_offset(
    compare: Compare, body: dict[str, Any], order: tuple[str, ...], indent: int | None, data: st.DataObject
) -> None:
    places = [("messages", at, "content") for at in range(len(body["messages"]))]
    places += [("system", at, "text") for at in range(len(body["system"]))]
    places += [("tools", at, "description") for at in range(len(body["tools"]))]
    field, index, key = data.draw(st.sampled_from(places))
    text = body[field][index][key]
    at = data.draw(st.integers(0, len(text) - 1))
    changed = copy.deepcopy(body)
    changed[field][index][key] = text[:at] + ("Δ" if text[at] != "Δ" else "Ω") + text[at + 1 :]
    found = compare(body, changed, order=order, indent=indent)
    difference = difference_of(found, found.reading.found[0])
    whole = "".join(piece.text for piece in serialised(body, order))
    other = "".join(piece.text for piece in serialised(changed, order))
    wanted = next(offset for offset, pair in enumerate(zip(whole, other, strict=False)) if pair[0] != pair[1])
    assert difference.pointer == f"/{field}/{index}/{key}"
    assert difference.offset == found.reading.shared == wanted
    assert found.reading.share == wanted / len(whole)
    old, new = difference.at
    assert new is not None and json.loads(f'"{new.text}"') == changed[field][index][key][at]
    assert old is not None and json.loads(f'"{old.text}"') == text[at]


@QUICK
@given(_BODIES, _BODIES, ORDERS)
def test_the_common_prefix_is_the_same_both_ways(
    compare: Compare, a: dict[str, Any], b: dict[str, Any], order: tuple[str, ...]
) -> None:
    there, back = compare(a, b, order=order), compare(b, a, order=order)
    assert there.reading.shared == back.reading.shared
    assert round(there.reading.share * there.reading.length) == round(back.reading.share * back.reading.length)
    for reading in (there.reading, back.reading):
        assert 0 <= reading.shared <= reading.length
        assert 0 <= reading.prefix <= reading.total
        assert reading.reused[0] <= reading.reused[1] <= max(reading.prefix, 1)


def _body(**changes: Any) -> dict[str, Any]:
    body = {
        "model": "claude-sonnet-4-5",
        "tools": [{"name": name, "input_schema": {"type": "object"}} for name in ("read", "write")],
        "system": "You repair bicycles. Ask for the size of the wheel first.",
        "messages": [{"role": "user", "content": "The chain jumps."}],
    }
    return {**body, **changes}


def _next(**changes: Any) -> dict[str, Any]:
    talk = [{"role": "assistant", "content": "When?"}, {"role": "user", "content": "Uphill."}]
    body = _body(**changes)
    return {**body, "messages": [*body["messages"], *talk]}


_OTHER = [{"role": "user", "content": "A spoke is broken."}]
_READ, _WRITE = _body()["tools"]
_CASES = {
    "a clock within the conversation": (
        _body(system="It is 12:03:11.\nYou repair bicycles."), _next(system="It is 12:04:02.\nYou repair bicycles."),
        [("clock-in-prefix", Severity.ERROR)],
    ),
    "a clock between conversations": (
        _body(system="It is 12:03:11.\nYou repair bicycles."),
        _body(system="It is 12:04:02.\nYou repair bicycles.", messages=_OTHER),
        [("clock-in-prefix", Severity.WARNING)],
    ),
    "a day later": (
        _body(system="Today is 2026-03-02.\nYou repair bicycles."),
        _next(system="Today is 2026-03-03.\nYou repair bicycles."),
        [("date-in-prefix", Severity.NOTE)],
    ),
    "an id": (
        _body(system="Run 3f2b8a52-1c5e-4a7e-9d5b-0d6a1f2c3b4d\nYou repair bicycles."),
        _next(system="Run 9c1d7e30-77aa-4b1c-8e2f-5a6b7c8d9e0f\nYou repair bicycles."),
        [("random-id-in-prefix", Severity.ERROR)],
    ),
    "a counter": (
        _body(system="Step 3 of 20.\nYou repair bicycles."), _next(system="Step 4 of 20.\nYou repair bicycles."),
        [("turn-state-in-prefix", Severity.ERROR)],
    ),
    "tools in another order": (_body(), _next(tools=[_WRITE, _READ]), [("unordered-tools", Severity.ERROR)]),
    "keys in another order": (
        _body(), _next(tools=[dict(reversed(_READ.items())), _WRITE]), [("non-canonical-json", Severity.ERROR)],
    ),
    "a tool more": (_body(tools=[_READ]), _next(), [("dynamic-tool-set", Severity.WARNING)]),
    "a tool less": (_body(), _next(tools=[_WRITE]), [("dynamic-tool-set", Severity.WARNING)]),
    "no tools any more": (_body(), _next(tools=[]), [("dynamic-tool-set", Severity.WARNING)]),
    "another wording": (_body(), _next(system="You repair bikes."), [("prefix-divergence", Severity.WARNING)]),
    "a forced tool": (
        _body(tool_choice={"type": "auto"}), _next(tool_choice={"type": "any"}),
        [("varying-parameter", Severity.WARNING)],
    ),
    "thinking that comes and goes": (
        _body(thinking={"type": "enabled", "budget_tokens": 2000}), _next(),
        [("varying-parameter", Severity.WARNING)],
    ),
    "the same setting, its keys in another order": (
        _body(thinking={"type": "enabled", "budget_tokens": 2000}),
        _next(thinking={"budget_tokens": 2000, "type": "enabled"}),
        [],
    ),
    "two defects": (
        _next(system="It is 12:03:11.\nYou repair bicycles."),
        {**_next(system="It is 12:04:02.\nYou repair bicycles."), "messages": [
            _body()["messages"][0], {"role": "assistant", "content": "[cut]"}, *_next()["messages"][2:],
        ]},
        [("clock-in-prefix", Severity.ERROR), ("history-rewrite", Severity.WARNING)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _CASES)
def test_what_differs_is_found_under_the_rule_that_owns_it(compare: Compare, name: str) -> None:
    a, b, found = _CASES[name]
    comparison = compare(a, b)
    assert rules(comparison) == found
    assert comparison.loses_prefix is bool(found)


@pytest.mark.parametrize("messages", [_OTHER, [*_next()["messages"][:2], {"role": "user", "content": "Always."}]])
def test_a_new_question_is_not_a_break(compare: Compare, messages: list[object]) -> None:
    comparison = compare(_next(), _body(messages=messages))
    assert (comparison.relation, comparison.reading.appends) == ("new-question", False)
    assert not comparison.loses_prefix and not rules(comparison)


def test_a_finding_says_what_it_costs(compare: Compare) -> None:
    clock = "It is 12:03:11.\nYou repair bicycles. Ask for the size of the wheel first."
    comparison = compare(_body(system=clock), _next(system=clock.replace("03:11", "04:02")), provider="sglang")
    (finding,) = pair_findings(comparison)
    cost = finding.cost
    assert cost is not None
    assert cost.now == comparison.reading.reused
    assert finding.place.text == "12:04:02" and finding.related[0].place.text == "12:03:11"
    # All of A but the two or three tokens of the clock: the rest of the system prompt and the question come again.
    assert comparison.reading.total - cost.best[0] <= 8
    assert cost.step[0] == cost.best[0] - cost.now[0] > 10


@pytest.mark.parametrize(
    ("name", "before", "after", "kept"),
    [
        ("tool_choice", {"type": "auto"}, {"type": "any"}, ("tools", "system")),
        ("speed", "standard", "fast", ("tools",)),
        ("model", "claude-sonnet-4-5", "claude-haiku-4-5", ()),
    ],
)
def test_a_setting_loses_the_field_that_the_registry_names(
    compare: Compare, name: str, before: object, after: object, kept: tuple[str, ...]
) -> None:
    comparison = compare(_body(**{name: before}), _next(**{name: after}))
    reading = comparison.reading
    assert reading.appends and reading.share == 1.0, "the text is the same"
    assert reading.prefix == sum(laid.tokens for laid in reading.previous if laid.piece.field.value in kept)
    assert comparison.loses_prefix


def test_what_a_setting_breaks_is_a_fact_about_the_provider(compare: Compare) -> None:
    a, b = _body(model="m", tool_choice="auto"), _next(model="m", tool_choice="any")
    assert not compare(a, b, provider="openai").loses_prefix
    assert not compare(a, b, provider="vllm").loses_prefix
    assert compare(a, b, provider="anthropic").loses_prefix


def test_the_match_rule_and_the_order_are_the_providers(compare: Compare) -> None:
    system = "You repair bicycles. " * 40
    a, b = _body(system=system), _next(system=system, tools=[_READ, {**_WRITE, "description": "Writes."}])
    tokens, blocks = compare(a, b, provider="sglang"), compare(a, b, provider="vllm")
    assert [reading.order[0] for reading in tokens.readings] == ["tools", "system"]
    first, second = tokens.readings
    assert first.reused[0] < 40 < second.reused[0], "what stands above the changed tool is read"
    assert tokens.reading.reused == (tokens.reading.prefix,) * 2
    assert blocks.readings[1].reused[0] % 16 == 0 and blocks.readings[1].reused[0] <= second.reused[0]
    (asked,) = compare(a, b, provider="sglang", order=("system", "tools", "messages")).readings
    assert asked.reused == second.reused


def test_breakpoints_of_the_first_request_are_where_reuse_ends(compare: Compare) -> None:
    marker = {"cache_control": {"type": "ephemeral"}}
    text = {"type": "text", "text": "You repair bicycles. " * 300}
    notes = {"type": "text", "text": "Prices are in the list. " * 300}
    for marked in (True, False):
        blocks = [{**text, **marker}, notes] if marked else [text, {**notes, **marker}]
        comparison = compare(_body(system=blocks), _body(system=[text, {**notes, "text": notes["text"] + "Or not."}]))
        assert comparison.reading.boundaries == "source"
        assert (comparison.reading.reused[0] > 0) is marked


# Templates


def test_templates_part_at_the_first_character_that_differs(compare: Compare) -> None:
    comparison = compare("You repair bicycles.\nAsk {{ x }} first.\n", "You repair bicycles.\nAsk {{ y }} first.\n")
    difference = difference_of(comparison, comparison.reading.found[0])
    assert (difference.kind, difference.pointer, difference.offset) == ("hole", None, 25)
    assert [place.text for place in difference.places if place] == ["{{ x }}", "{{ y }}"]
    assert comparison.relation == "changed" and comparison.loses_prefix
    assert not pair_findings(comparison), "a release is no defect"


def test_text_below_the_end_of_a_template_appends(compare: Compare) -> None:
    comparison = compare("You repair {{ what }}.\n", "You repair {{ what }}.\nAsk first.\n")
    assert (comparison.relation, comparison.reading.share) == ("append-only", 1.0)


def test_text_that_comes_under_a_condition_is_a_difference(compare: Compare) -> None:
    comparison = compare("Start. Ask first. End.", "Start. {% if x %}Ask first.{% endif %} End.")
    assert comparison.relation == "changed"
    assert comparison.reading.shared == len("Start. ")


@QUICK
@given(st.text("ab \n{}é", max_size=40), st.text("ab \n{}é", max_size=40))
def test_plain_texts_share_their_common_prefix(compare: Compare, a: str, b: str) -> None:
    """What is the same is counted in characters, whatever the pieces that the texts are read in."""
    start = "You repair bicycles. "
    comparison = compare(start + a, start + b, suffix=".md", dialect="none")
    shared = next((at for at, pair in enumerate(zip(a, b, strict=False)) if pair[0] != pair[1]), min(len(a), len(b)))
    assert comparison.reading.shared == len(start) + shared
    assert comparison.reading.appends is b.startswith(a)
    assert comparison.reading.prefix <= comparison.reading.total
