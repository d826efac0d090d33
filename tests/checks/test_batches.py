"""JSON that two requests of a file spell in two ways."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.engine import Engine, Options
from promptlint.finding import Finding

SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5) | st.just('{"a": 1}')
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def found(*lines: str) -> list[Finding]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_text("\n".join(lines), encoding="utf-8")
        outcome = Engine(Options(isolated=True)).check([path])
    assert not outcome.notices and not outcome.broken
    return [finding for finding in outcome.run.findings if finding.rule == "non-canonical-json"]


def tool(value: Any, **body: Any) -> dict[str, Any]:
    return {"model": "gpt-5", "tools": [{"f": value}], "messages": [{"role": "user", "content": "Go on."}], **body}


def call(arguments: str, *said: str) -> dict[str, Any]:
    asked = [{"role": "user", "content": text} for text in said or ("Go on.",)]
    calls = [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": arguments}}]
    answered = [{"role": "assistant", "tool_calls": calls}, {"role": "tool", "tool_call_id": "c1", "content": "8"}]
    return {"model": "gpt-5", "messages": [*asked, *answered]}


def backwards(value: Any) -> Any:
    match value:
        case dict():
            return {key: backwards(item) for key, item in reversed(value.items())}
        case list():
            return [backwards(item) for item in value]
    return value


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_a_tool_is_found_when_its_keys_change_places_and_only_then(value: Any) -> None:
    turned = backwards(value)
    assert not found(json.dumps(tool(value)), json.dumps(tool(value), indent=None, separators=(",", ":")))
    assert not found(json.dumps(tool(value)), json.dumps(tool(value), ensure_ascii=False))
    assert bool(found(json.dumps(tool(value)), json.dumps(tool(turned)))) == (json.dumps(value) != json.dumps(turned))


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', "key-order"),
        ('{"a": {"x": 1, "y": 2}}', '{"a": {"y": 2, "x": 1}}', "key-order"),
        ('{"a": "é"}', '{"a": "\\u00e9"}', "spelling"),
        ('{"a": 1}', '{"a":1}', "spelling"),
        ('{"a": 1}', '{"a": 1}', None),
        ('{"a": 1}', '{"a": 2}', None),
        ('{"a": [1, 2]}', '{"a": [2, 1]}', None),
    ],
)
def test_arguments(first: str, second: str, kind: str | None) -> None:
    kinds = [finding.kind for finding in found(json.dumps(call(first)), json.dumps(call(second)))]
    assert kinds == ([kind] if kind else [])


def test_a_call_is_the_same_only_below_the_same_messages() -> None:
    first, second = '{"a": 1, "b": 2}', '{"b": 2, "a": 1}'
    assert not found(json.dumps(call(first, "One.")), json.dumps(call(second, "Two.")))
    assert found(json.dumps(call(first, "One.", "Two.")), json.dumps(call(second, "One.", "Two.")))


def test_a_system_text_that_changes_hides_nothing_below() -> None:
    first, second = call('{"a": 1, "b": 2}'), call('{"b": 2, "a": 1}')
    for body, time in ((first, "10:15"), (second, "10:16")):
        body["messages"].insert(0, {"role": "system", "content": f"It is {time}."})
    assert found(json.dumps(first), json.dumps(second))


@pytest.mark.parametrize("model", ["gpt-5-mini", "claude-sonnet-4-5", None])
def test_another_model_has_another_prefix(model: str | None) -> None:
    first, second = tool({"a": 1, "b": 2}), tool({"b": 2, "a": 1}, model=model)
    assert not found(json.dumps(first), json.dumps(second))
    assert found(json.dumps(first), json.dumps({**second, "model": "gpt-5"}))


def test_a_breakpoint_is_no_part_of_a_tool() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    first = tool({"a": 1})
    marked = {**first, "tools": [{**mark, **first["tools"][0]}]}
    assert not found(json.dumps(first), json.dumps(marked))
    shuffled = {**first, "tools": [{"name": "t", **mark, "f": {"a": 1}}]}
    assert found(json.dumps({**first, "tools": [{"f": {"a": 1}, "name": "t"}]}), json.dumps(shuffled))


def test_json_without_end_is_text() -> None:
    deep = "[" * 5000
    assert not found(json.dumps(call(deep)), json.dumps(call(deep)))
