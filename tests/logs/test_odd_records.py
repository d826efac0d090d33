"""Records of no expected form: nothing of them ends the reading, and each is counted with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.logs.formats.recognise import FORMATS, format_named
from promptlint.logs.mapping import FieldMap
from promptlint.logs.places import Part
from promptlint.logs.reading import Reading, requests
from promptlint.logs.record import Request, Skipped
from tests.logs.test_formats import (
    CHAT,
    CHAT_USAGE,
    CLAUDE,
    CLAUDE_USAGE,
    GEN_AI,
    HAR,
    HELICONE,
    LANGFUSE,
    LITELLM,
    OPEN_INFERENCE,
    TIME,
    attributes,
)

SPANS = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": [{"attributes": attributes(GEN_AI)}]}]}]}
COUNT = {"type": "token_count", "info": {"total_token_usage": {}, "last_token_usage": {"input_tokens": 5}}}
RECORDS: dict[str, list[Any]] = {
    "codex": [
        {"type": "session_meta", "payload": {"id": "s9"}},
        {"type": "turn_context", "payload": {"model": "gpt-5.6-codex"}},
        {"type": "event_msg", "timestamp": TIME, "payload": COUNT},
    ],
    "claude-code": [
        {"type": "assistant", "uuid": "u", "sessionId": "s", "message": {"id": "m", "usage": CLAUDE_USAGE}},
    ],
    "har": [HAR],
    "traces": [SPANS, {"attributes": GEN_AI}, {"attributes": OPEN_INFERENCE}],
    "litellm": [LITELLM],
    "helicone": [HELICONE],
    "langfuse": [LANGFUSE],
    "requests": [
        {**CHAT, "usage": CHAT_USAGE},
        {"params": CLAUDE, "response": {"usage": CLAUDE_USAGE}},
        {"request": json.dumps(CHAT), "response": json.dumps({"usage": CHAT_USAGE})},
        {"input": [{"role": "user", "content": [{"type": "input_text", "text": "Q"}]}], "model": "gpt-5.6"},
        {"contents": [{"role": "user", "parts": [{"text": "Q"}]}], "tools": [{"functionDeclarations": [{}]}]},
    ],
}
CALLED = ("requests", "litellm", "helicone")
"""Formats in which every record is a call; in the others some are spans, events or exchanges of another kind."""


def names(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {*value, *(name for inner in value.values() for name in names(inner))}
    return {name for inner in value for name in names(inner)} if isinstance(value, list) else set()


NAMES = sorted(names(list(RECORDS.values())) | {"ttl", "cache_control", "arrayValue", "kvlistValue", "values", "name"})
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(
        [0, -1, 2**70, 10**400, float("nan"), float("inf"), -float("inf"), "", "x", "[", "\ud800", "1e999"]
    )
    | st.text(max_size=6)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), inner, max_size=4)
        | inner.map(json.dumps)
    ),
    max_leaves=12,
)


@st.composite
def mutated(draw: st.DrawFn, record: Any) -> Any:
    """The record with one of its values replaced, or left out."""
    record = json.loads(json.dumps(record))
    place, steps = record, draw(st.integers(1, 7))
    for step in range(steps):
        keys: list[Any] = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = draw(st.sampled_from(keys))
        if step + 1 < steps and isinstance(place[key], dict | list):
            place = place[key]
            continue
        if draw(st.booleans()):
            place[key] = draw(VALUES)
        else:
            del place[key]
        break
    return record


def read(folder: Path, documents: list[Any], reading: Reading) -> tuple[list[Request], list[Skipped]]:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
    skipped: list[Skipped] = []
    return list(requests(Part(str(path)), reading, skipped.append)), skipped


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("odd")


@pytest.mark.parametrize("name", [form.name for form in FORMATS])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_an_odd_record_is_counted_and_the_others_are_read(folder: Path, name: str, data: st.DataObject) -> None:
    sound = RECORDS[name]
    odd = data.draw(VALUES | st.sampled_from(sound).flatmap(mutated))
    mapped = data.draw(st.sampled_from([{}, {"body": "request", "usage": "usage", "ts": "attributes.0.value"}]))
    documents = [*sound, odd, *sound]
    expected, _ = read(folder, sound, Reading(fields=FieldMap(mapped)))
    assert expected
    found, skipped = read(folder, documents, Reading(format=name, fields=FieldMap(mapped)))
    lines = {each.line for each in found}
    assert {each.line for each in expected} <= lines
    if not format_named(name).is_session:
        assert {each.line + len(sound) + 1 for each in expected} <= lines
    if name in CALLED:
        assert len(sound) + 1 in lines | {each.line for each in skipped}
    assert {each.line for each in skipped} <= {*range(1, 2 * len(sound) + 2)}


@settings(max_examples=150, deadline=None)
@given(documents=st.lists(VALUES, min_size=1, max_size=4))
def test_whatever_json_holds_is_read_or_skipped(folder: Path, documents: list[Any]) -> None:
    found, skipped = read(folder, documents, Reading(format="requests"))
    assert {each.line for each in found} | {each.line for each in skipped} == {*range(1, len(documents) + 1)}
    read(folder, documents, Reading())


@pytest.mark.parametrize(
    "odd",
    [
        {"attributes": [{"key": "gen_ai.request.model", "value": {"intValue": "x"}}]},
        {"resourceSpans": ["odd"]},
        {"attributes": [{"key": "a", "value": {"kvlistValue": {"values": [{}]}}}]},
        {"attributes": [{"key": "gen_ai.request.model", "value": {"intValue": float("inf")}}]},
    ],
    ids=["number", "resource", "list", "infinite"],
)
def test_a_span_of_an_odd_form_is_named(folder: Path, odd: Any) -> None:
    found, skipped = read(folder, [{"attributes": GEN_AI}, odd, {"attributes": GEN_AI}], Reading())
    assert [each.line for each in found] == [1, 3]
    ((line, reason),) = [(each.line, each.reason) for each in skipped]
    assert line == 2
    assert reason.startswith("a request of an odd form (")


def test_what_stands_before_an_odd_span_is_read(folder: Path) -> None:
    found, skipped = read(folder, [{"resourceSpans": [*SPANS["resourceSpans"], "odd"]}], Reading())
    assert [each.line for each in found] == [each.line for each in skipped] == [1]


def test_counts_that_cannot_be_are_none(folder: Path) -> None:
    usage = {"gen_ai.usage.input_tokens": 2**70, "llm.token_count.prompt": 9}
    for counts, total in ((usage, 9), ({**usage, "llm.token_count.prompt": -1}, None)):
        (request,), _ = read(folder, [{"attributes": {**GEN_AI, **counts}}], Reading())
        assert (request.measured.total if request.measured else None) == total


def test_what_is_written_as_it_stands_can_be_written(folder: Path) -> None:
    (broken,), _ = read(folder, [{**CHAT, "model": "gpt\ud800"}], Reading())
    assert broken.model == "gpt?"


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+23:00", "1969-12-31T23:59:59Z", -1, 0, "nan", 1e21])
def test_a_time_before_1970_or_of_no_age_is_unknown(folder: Path, time: Any) -> None:
    (request,), _ = read(folder, [{**CHAT, "timestamp": time}], Reading())
    assert request.time is None
