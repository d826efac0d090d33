from __future__ import annotations

import json
import random
import re
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from promptlint.data import load_toml
from promptlint.events import Confidence, Event
from promptlint.lifetimes.table import KINDS
from promptlint.shapes import Shape, difference, in_code, shapes_in
from promptlint.shapes import values as values_module
from promptlint.shapes.nearby import REACH
from promptlint.shapes.table import compiled, expanded, quiet, rows

DOCUMENT = load_toml("shapes.toml")
ENTRIES: list[dict[str, Any]] = DOCUMENT["shape"]
WORDS = {"time", "date", "uuid", "ulid", "hash", "epoch", "counter", "number", "id", "path"}
SETTINGS = {"name", "kind", "events", "confidence", "word", "keywords", "forms", "pattern", "enumerates"}
UUID = "6513270e-269e-4d37-b2a7-4de452e6b438"


def seen(text: str) -> list[tuple[str, str]]:
    return [(shape.name, text[shape.start : shape.end]) for shape in shapes_in(text)]


# The table


def test_names_are_unique_and_every_row_is_used_by_a_text() -> None:
    names = [entry["name"] for entry in ENTRIES]
    assert len(set(names)) == len(names)
    assert [row.name for row in rows()] == names


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_rows_are_complete(entry: dict[str, Any]) -> None:
    assert entry.keys() <= SETTINGS | {"why", "source", "match", "no_match"}
    assert entry["kind"] in KINDS
    assert entry["events"] and set(entry["events"]) <= set(Event)
    assert entry["confidence"] in ("low", "medium")
    assert entry["word"] in WORDS | {"text"}
    assert entry["why"].endswith(".")
    assert entry.get("source", "https://").startswith("https://")
    assert entry.get("keywords") or entry.get("forms")
    assert entry["match"] and entry["no_match"]
    keywords = entry.get("keywords", [])
    for keyword in DOCUMENT["keywords"][keywords] if isinstance(keywords, str) else keywords:
        assert keyword == keyword.lower()
    for form in entry.get("forms", []):
        assert sum(letter in form for letter in "9xw") <= 1


def examples(key: str) -> Iterator[Any]:
    for entry in ENTRIES:
        for text in entry[key]:
            yield pytest.param(entry["name"], text, id=f"{entry['name']}: {text[:50]!r}")


@pytest.mark.parametrize("name, marked", list(examples("match")))
def test_rows_find_their_examples(name: str, marked: str) -> None:
    assert marked.count("«") == marked.count("»") == 1
    value = marked[marked.index("«") + 1 : marked.index("»")]
    text = marked.replace("«", "").replace("»", "")
    found = [shape for shape in shapes_in(text) if shape.name == name]
    assert [(shape.start, text[shape.start : shape.end]) for shape in found] == [(marked.index("«"), value)]


@pytest.mark.parametrize("name, text", list(examples("no_match")))
def test_rows_leave_others_alone(name: str, text: str) -> None:
    assert name not in [found for found, _ in seen(text)]


PATTERNS = [
    *((row.name, row.pattern) for row in rows()),
    *((name, getattr(quiet(), name)) for name in ("example", "counted", "own", "link", "paragraph", "after", "values")),
]


@pytest.mark.parametrize("name, pattern", PATTERNS, ids=[name for name, _ in PATTERNS])
def test_patterns_are_bounded_and_do_not_nest_quantifiers(name: str, pattern: str) -> None:
    compiled(pattern)
    assert "%" not in re.sub(r"\[[^\]]*\]|%\]", "", pattern)
    parsed = re._parser.parse(pattern)  # type: ignore[attr-defined]
    assert list(quantifier_problems(parsed, inside=False)) == []
    if name in {row.name for row in rows()}:
        assert parsed.getwidth()[1] < REACH + 64


def quantifier_problems(parsed: Any, inside: bool) -> Iterator[str]:
    for operator, argument in parsed:
        repeats = False
        if str(operator) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, _ = argument
            repeats = high > 1
            if high > 1000:
                yield f"unbounded from {low}"
            if inside and repeats and low != high:
                yield f"nested {{{low},{high}}}"
        for part in nested(argument):
            yield from quantifier_problems(part, inside or repeats)


def nested(argument: Any) -> Iterator[Any]:
    if isinstance(argument, re._parser.SubPattern):  # type: ignore[attr-defined]
        yield argument
    elif isinstance(argument, (list, tuple)):
        for part in argument:
            yield from nested(part)


def test_nested_quantifiers_are_noticed() -> None:
    for pattern in (r"(?:a{1,3}b){0,4}", r"(?:x+)?y{2,3}", r"(?=(?:a|bc{0,2}){2})"):
        assert list(quantifier_problems(re._parser.parse(pattern), inside=False))  # type: ignore[attr-defined]


def test_parts_hold_only_parts_that_stand_before_them() -> None:
    for part in DOCUMENT["parts"].values():
        assert not re.search(r"%[a-z-]+%", expanded(part, DOCUMENT["parts"]))


def test_confidence_is_medium_at_most_and_low_for_bare_dates_and_digests() -> None:
    assert all(row.confidence < Confidence.HIGH for row in rows())
    low = {row.name for row in rows() if row.confidence is Confidence.LOW}
    assert low == {"iso-midnight", "iso-date", "named-date", "digest", "key-hex", "key-random"}


# Values


def test_a_shape_says_what_changes_it() -> None:
    text = f"session_id: {UUID}\nNow: 2026-11-29T10:15:02Z\nDay 2026-11-29"
    session, now, day = shapes_in(text)
    start = text.index(UUID)
    events = frozenset({Event.SESSION})
    assert session == Shape("session", events, Confidence.MEDIUM, start, start + len(UUID), "session-id")
    assert (now.kind, now.events, now.confidence) == ("clock", frozenset({Event.REQUEST}), Confidence.MEDIUM)
    assert (day.kind, day.events, day.confidence) == ("clock", frozenset({Event.DAY}), Confidence.LOW)


@pytest.mark.parametrize(
    "text, found",
    [
        (f"/data/{UUID}/a.txt", [("uuid-path", f"/data/{UUID}/a.txt")]),
        (f"request_id={UUID}", [("request-id", UUID)]),
        (f"tenant_id: {UUID}", [("tenant-id", UUID)]),
        (
            "Today is Sunday, November 29, 2026 at 10:15 AM.",
            [("month-first-time", "Sunday, November 29, 2026 at 10:15 AM")],
        ),
        ("timestamp: 2026-11-29T10:15:02Z", [("iso-time", "2026-11-29T10:15:02Z")]),
        ("hash: " + "9f" * 20, []),
        ("step 3 of 20, iteration 1 of 2", [("step-of", "3 of 20"), ("step-of", "1 of 2")]),
        ("step 3 of 20, 1,204 tokens left", [("step-of", "3 of 20"), ("budget-left", "1,204")]),
        ("Zeit 😀 2026-11-29T10:15:02Z é", [("iso-time", "2026-11-29T10:15:02Z")]),
    ],
)
def test_of_overlapping_shapes_the_longer_or_stronger_stays(text: str, found: list[tuple[str, str]]) -> None:
    assert seen(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "She was born on 12 May 1980 in Graz.",
        "Python 3.11.7, version 2.0.1-rc.3, semver ^1.2.3, v20.11.0",
        "Call +1 (415) 555-2671, 0664 1234567 or 4155552671.",
        "It costs $1,299.00, 12.50 EUR or 1 000 000 yen; 15% off.",
        "ISBN 978-3-16-148410-0 and 9783161484100",
        "ISO 8601, ISO/IEC 27001:2022, ISO 3166-1 alpha-2, RFC 2822",
        "gpt-4-0613, gpt-4o-2024-08-06, claude-opus-4-5-20250930, gpt-3.5-turbo-1106, llama-3.1-70b",
        "192.168.0.1, 10.0.0.0/8, 2001:db8::8a2e:370:7334, 127.0.0.1:8080",
        "#ff00aa, #0f0, color: #1a2b3c, rgb(12, 34, 56), bg=1a2b3c",
        "fixed in 3f2a91b and commit 9ab41c7e",
        '{"type": "string", "format": "date-time", "examples": ["2026-01-31T10:30:00Z"]}',
        '{"type": "string", "format": "uuid", "default": "6513270e-269e-4d37-b2a7-4de452e6b438"}',
        'Say the time, e.g. "10:30", or "half past ten".',
        "The id 00000000-0000-0000-0000-000000000000 means nobody.",
        "ids like `6513270e-269e-4d37-b2a7-4de452e6b438`",
        "Example: order 6513270e-269e-4d37-b2a7-4de452e6b438 arrived 2026-01-31T10:30:00Z",
        "For example, at 2026-01-31T10:30:00Z the job ran.",
        "Timestamps use the format 2026-01-31T10:30:00Z.",
        "Write dates as 2026-01-31T10:30:00Z format",
        "Example:\nuser: where is 6513270e-269e-4d37-b2a7-4de452e6b438?\nassistant: it left on 2026-01-31T10:30:00Z",
        '```json\n{"time": "2026-01-31T10:30:00Z", "request_id": "req-9f2c"}\n```\nAnswer like that.',
        "2026-11-29 10:15:02,123 INFO started",
        "Step 1: read. Step 2: write. Step 3: test.",
        "Use at most 20 turns; if 3 attempts remain, stop. max_steps: 20. temperature: 0.7, top_p=0.95",
        "Always include the request_id, session_id and timestamp in your answer.",
        "Opening hours: 9:00 AM - 5:00 PM, Monday to Friday, 24/7, 365 days",
        "The policy of 2019-01-01 is valid from 2026-01-01 until 2026-12-31.",
        "Knowledge cutoff: 2025-03-31. Released 2026-02-01, updated on 3 March 2026.",
        "Write to support@acme.com or /tmp/output.txt.",
        "Card 4111 1111 1111 1111, IBAN DE89370400440532013000",
        "sha256, md5, base64, utf-8, uuid4, int64",
        "x = 0x1f4a; y = 1e5; mask=0xdeadbeef",
    ],
)
def test_prose_is_quiet(text: str) -> None:
    assert seen(text) == []


def test_links_and_own_times_count_for_less() -> None:
    assert [shape.confidence for shape in shapes_in(f"see https://x.org/a/{UUID}")] == [Confidence.LOW]
    assert [shape.confidence for shape in shapes_in("updated_at: 2026-11-29T10:15:02Z")] == [Confidence.LOW]


BODY: dict[str, Any] = {
    "system": "You are a support agent of Acme.\nRefund policy, effective 2026-01-01: returns within 30 days.",
    "messages": [
        {"role": "user", "content": f"Example: where is my order {UUID}?"},
        {"role": "assistant", "content": "Example: it was shipped on 12 March 2026."},
    ],
}


def test_a_body_with_a_fixed_date_and_an_example_gives_nothing_and_with_a_clock_it_does() -> None:
    texts = [BODY["system"], *(message["content"] for message in BODY["messages"])]
    assert [seen(text) for text in texts] == [[], [], []]
    assert seen(json.dumps(BODY)) == []
    dated = {**BODY, "system": f"Now: 2026-11-29T10:15:02Z\n{BODY['system']}"}
    assert seen(json.dumps(dated)) == seen(dated["system"]) == [("iso-time", "2026-11-29T10:15:02Z")]


def test_fenced_code_is_code() -> None:
    text = "a\n```py\nb\n```\nc\n~~~\n```\nd\n~~~\ne\n```\nf"
    assert {letter: in_code(text, text.index(letter)) for letter in "abcdef"} == {
        "a": False, "b": True, "c": False, "d": True, "e": False, "f": True,
    }  # fmt: skip
    assert not in_code("", 0)
    assert seen(f"```\n{UUID}\n```\n{UUID}") == [("uuid", UUID)]


# Properties

TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(
            [
                "2026-11-29", "T", "10:15:02", "Z", " ", "\n", UUID, "session_id", "=", ": ", "step ", "3", " of ",
                "20",
                "/tmp/", "tmp8x2k_q1z", "timestamp", "1795947302", "Nov 29, 2026", "today", "```", "e.g. ", "nonce",
                "9f2c", "ü", "😀", '"', "user", "@acme.de", "https://",
            ]
        ),
        max_size=40,
    ).map("".join),
)  # fmt: skip


@settings(deadline=None)
@given(TEXTS)
def test_shapes_are_inside_the_text_in_order_and_apart(text: str) -> None:
    found = shapes_in(text)
    ends = [0, *(shape.end for shape in found)]
    for end, shape in zip(ends, found, strict=False):
        assert end <= shape.start < shape.end <= len(text)
    assert shapes_in(text) == found


BITS = [
    *(text.replace("«", "").replace("»", "") for entry in ENTRIES for text in entry["match"]),
    *" \n=:>x7",
    "word " * 60,
]


@settings(deadline=None)
@given(st.one_of(TEXTS, st.lists(st.sampled_from(BITS), max_size=8).map("".join)))
def test_keywords_and_forms_lose_nothing(text: str) -> None:
    near = {(match.row.name, match.start, match.end) for match in values_module.matches(text)}
    for row in rows():
        pattern = compiled(row.pattern)
        spans = [match.span("value" if "value" in pattern.groupindex else 0) for match in pattern.finditer(text)]
        assert {(row.name, *span) for span in spans} == {match for match in near if match[0] == row.name}


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_shapes_far_from_others_stay(before: str, after: str) -> None:
    assume("```" not in before)
    text = f"{before}\n\n{'word ' * 80}\n\nNow: 2026-11-29T10:15:02Z\n\n{'word ' * 80}\n\n{after}"
    assert ("iso-time", text.index("Now: 2026-11-29T10:15:02Z") + 5) in [(s.name, s.start) for s in shapes_in(text)]


CARRIERS = st.sampled_from(
    ["{}", "Value: {}", "It is {}, so answer.", "(«{}»)", "a\n{}\nb", '{{"x":"{}"}}', "ü😀 {} ß"]
)
MOMENTS = st.datetimes(
    datetime(2020, 1, 1), datetime(2049, 12, 31), timezones=st.sampled_from([UTC, timezone(timedelta(hours=5.5))])
)


def assert_found(carrier: str, value: str, names: set[str]) -> None:
    text = carrier.format(value)
    start = text.index(value)
    (shape,) = shapes_in(text)
    assert (shape.start, shape.end) == (start, start + len(value)) and shape.name in names


@settings(deadline=None)
@given(CARRIERS, st.randoms(use_true_random=False), st.sampled_from([1, 3, 4, 5, 6, 7]), st.booleans())
def test_uuids_are_found(carrier: str, source: random.Random, version: int, upper: bool) -> None:
    value = str(uuid.UUID(int=source.getrandbits(128) | 1 << 126, version=min(version, 5)))
    value = f"{value[:14]}{version}{value[15:]}"
    assume(len(set(value)) > 6)
    assert_found(carrier, value.upper() if upper else value, {"uuid"})


@settings(deadline=None)
@given(CARRIERS, st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=24, max_size=24))
def test_ulids_are_found(carrier: str, rest: str) -> None:
    assume(len(set(rest)) > 6)
    assert_found(carrier, f"01{rest}", {"ulid", "hex"} if set(rest) <= set("0123456789ABCDEF") else {"ulid"})


@settings(deadline=None)
@given(CARRIERS, MOMENTS, st.sampled_from(["T", " "]), st.sampled_from(["auto", "minutes", "seconds", "milliseconds"]))
def test_iso_times_are_found(carrier: str, moment: datetime, separator: str, timespec: str) -> None:
    value = moment.isoformat(separator, timespec)
    assert_found(carrier, value, {"iso-midnight" if re.search(r"[T ]00:00(?::00(?:\.0+)?)?[+]", value) else "iso-time"})


@settings(deadline=None)
@given(
    CARRIERS, MOMENTS, st.sampled_from(["%a, %d %b %Y %H:%M:%S %z", "%a %b %d %Y %H:%M:%S GMT%z", "%d %B %Y, %H:%M"])
)
def test_written_times_are_found(carrier: str, moment: datetime, style: str) -> None:
    assert_found(carrier, moment.strftime(style), {"rfc-2822-time", "month-first-time"})


@settings(deadline=None)
@given(
    st.sampled_from(["timestamp: {}", '{{"ts":{}}}', "unix_time={}", "now is {},"]), MOMENTS, st.sampled_from([1, 1000])
)
def test_epochs_are_found(carrier: str, moment: datetime, per_second: int) -> None:
    assume(moment.year < 2036)
    assert_found(carrier, str(int(moment.timestamp()) * per_second), {"epoch"})


SPOKEN = [
    "the", "session", "user", "step", "time", "id", "is", "today", "request", "key", "date", "token", "left", "now",
    "turn", "May", "of", "nonce", "hash", "message", "call", "remaining", "as",
]  # fmt: skip
PLAIN = ["we", "have", "about", "and", "then", "or", "rooms", "people", "You", "are", "helpful", "tone"]
SALAD = st.one_of(
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12),
    st.sampled_from(SPOKEN),
    st.sampled_from([".", ",", ":", "-", "(", ")", '"', "=", "\n", "/", "'s"]),
)


@settings(deadline=None)
@given(st.lists(SALAD, max_size=80), st.sampled_from([" ", ""]))
def test_word_salad_gives_nothing(words: list[str], between: str) -> None:
    assert shapes_in(between.join(words)) == ()


@settings(deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PLAIN), st.integers(0, 999)), max_size=40))
def test_small_numbers_in_prose_give_nothing(words: list[object]) -> None:
    assert shapes_in(" ".join(map(str, words))) == ()


# Differences


@pytest.mark.parametrize(
    "a, b, word",
    [
        ("same", "same", None),
        ("", "", None),
        ("Now: 2026-11-29T10:15:02Z.", "Now: 2026-11-29T10:15:03Z.", "time"),
        ("Now: 2026-11-29T10:15:02Z.", "Now: 2026-12-01T10:15:03Z.", "time"),
        ("at 10:15 we", "at 10:16 we", "time"),
        ("at 9:59 PM we", "at 10:00 PM we", "time"),
        ("Today is 2026-11-29.", "Today is 2026-11-30.", "date"),
        ("November 29, 2026", "November 30, 2026", "date"),
        ("Now: 2026-11-29 10:15", "Now: 2026-11-30", "time"),
        (f"id {UUID} x", f"id {uuid.UUID(int=7 << 100 | 11, version=4)} x", "uuid"),
        ("e.g. 01KB7Q3M5XJ8V2RZ9T4WYH6NCE", "e.g. 01KB7Q3M5XJ8V2RZ9T4WYH6NCF", "ulid"),
        ("x-client-bill: v=3.1; h=36ee5;", "x-client-bill: v=3.1; h=0aaa9;", "hash"),
        ("ref 6513270e269e4d37b2a74de452e6b438", "ref 7513270e269e4d37b2a74de452e6b438", "hash"),
        ("took 1795947302 x", "took 1795947309 x", "epoch"),
        ("step 3 of 20", "step 4 of 20", "counter"),
        ("Step 9", "Step 10", "counter"),
        ("You have 3 attempts left", "You have 2 attempts left", "counter"),
        ("12 rooms", "14 rooms", "number"),
        ("costs 1.50", "costs 1.75", "number"),
        ("session_id: s-77", "session_id: s-78", "id"),
        (f"cwd /w/{UUID}", f"cwd /w/{UUID[:-1]}0", "path"),
        ('{"a": 1, "b": [2]}', '{"b": [2], "a": 1}', "key-order"),
        ('Tools: {"a": {"x": 1, "y": 2}} end', 'Tools: {"a": {"y": 2, "x": 1}} END', "key-order"),
        ('[{"n": "a"}, {"n": "b"}]', '[{"n": "b"}, {"n": "a"}]', "reorder"),
        ("- a\n- b\n- c", "- b\n- a\n- c", "reorder"),
        ("Tools: read, write", "Tools: write, read", "reorder"),
        ("- read\n- write\nNow 1", "- write\n- read\nNow 2", "reorder"),
        ("a b", "a  b", "whitespace"),
        ("a\nb c", "a\r\nb d", "whitespace"),
        ("a", "a\n", "whitespace"),
        ("You are Ann", "You are ann", "case"),
        ("Hello", "Hello world", "text"),
        ("decade", "facade", "text"),
        ("claude-opus-4-5", "claude-opus-4-6", "text"),
        ("red", "blue", "text"),
        ("", "x", "text"),
    ],
)
def test_difference(a: str, b: str, word: str | None) -> None:
    assert difference(a, b) == difference(b, a) == word


def test_what_differs_far_below_is_found() -> None:
    assert difference("word " * 50_000 + "step 3.", "word " * 50_000 + "step 4.") == "counter"


@settings(deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_difference_is_symmetric_and_none_only_for_equal_texts(before: str, a: str, b: str) -> None:
    word = difference(before + a, before + b)
    assert word == difference(before + b, before + a)
    assert (word is None) == (a == b)
    assert word is None or word in WORDS | {"reorder", "key-order", "whitespace", "case", "text"}


@settings(deadline=None)
@given(MOMENTS, MOMENTS)
def test_different_moments_differ_by_time(a: datetime, b: datetime) -> None:
    assume(a.isoformat(" ", "seconds") != b.isoformat(" ", "seconds"))
    word = difference(*(f"Now: {moment.isoformat(' ', 'seconds')}\nGo." for moment in (a, b)))
    assert word in ("time", "date") if a.time() == b.time() else word == "time"


# Time

ADVERSARIAL = {
    "digits": "0", "hex": "a1", "dashes": "-aaaa-aaaa-aaaa-", "near uuids": "/-aaaa-1aaa-aaaa-", "uuids": f"{UUID} ",
    "times": "2026-11-29T10:15:02Z ", "dates": "Jan 11 2026 ", "keys": "session_id: a1", "quotes": 'step"\'`*"\'`*1',
    "assignments": "id=a1b2c3d4e5 ", "temporary": "/tmp/tmp0-a", "blanks": "1 \t \t", "brackets": '{"a":[1,',
    "counters": "step 1 of 3 ", "clocks": "time 9:99 now 10:15", "fences": "```\n1", "links": "https://a0/",
}  # fmt: skip


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_a_megabyte_made_to_be_slow_ends_soon(name: str) -> None:
    text = (ADVERSARIAL[name] * (1_000_000 // len(ADVERSARIAL[name]) + 1))[:1_000_000]
    start = time.process_time()
    shapes_in(text)
    assert time.process_time() - start < 2
    start = time.process_time()
    difference(text, f"{text[:-1]}~")
    assert time.process_time() - start < 2


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(PLAIN), min_size=99))
def test_prose_costs_no_pattern(words: list[str]) -> None:
    assert shapes_in(" ".join(words)) == ()


def test_out_of_time_gives_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values_module, "MATCHING", 0)
    assert shapes_in("Now: 2026-11-29T10:15:02Z") == ()
    monkeypatch.undo()
    monkeypatch.setattr(values_module, "JUDGING", -1)
    assert shapes_in("Now: 2026-11-29T10:15:02Z") == ()
