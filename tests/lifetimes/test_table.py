from __future__ import annotations

import tomllib
from collections import Counter
from typing import Any

import pytest

from promptlint.data import data_path
from promptlint.events import Confidence, Event, Evidence
from promptlint.expression import Attribute, Call, Expression, Name
from promptlint.lifetimes.classify import lifetime_of
from promptlint.lifetimes.names import snake
from promptlint.lifetimes.table import KINDS, Table, shipped, with_documents
from promptlint.source import Source, Span

FILES = sorted(data_path("sources").glob("*.toml"))
DOCUMENTS = {file.name: tomllib.loads(file.read_text(encoding="utf-8")) for file in FILES}
ROWS: list[dict[str, Any]] = [
    row for document in DOCUMENTS.values() for key in ("source", "command") for row in document.get(key, ())
]
LISTS = ("calls", "paths", "filters", "names", "low_names", "roots", "attributes", "macros", "commands")


def test_documents_have_no_other_tables() -> None:
    for document in DOCUMENTS.values():
        assert document.keys() <= {"source", "command", "operations"}
        assert document.get("operations", {}).keys() <= {"same", "methods", "filters", "runners", "readers"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.get("why", "?")[:40])
def test_every_row_is_complete(row: dict[str, Any]) -> None:
    Table().add({"source": [row]})
    assert row["why"].endswith(".")
    assert any(row.get(key) for key in LISTS)
    if row.get("calls") or row.get("macros"):
        assert row.get("source", "").startswith("https://") or row["kind"] == "retrieval"


@pytest.mark.parametrize(
    "keys", [("names", "low_names"), ("calls",), ("paths",), ("filters",), ("macros",), ("roots",)]
)
def test_no_spelling_stands_in_two_rows(keys: tuple[str, ...]) -> None:
    counted = Counter(spelling for row in ROWS for key in keys for spelling in row.get(key, ()))
    assert [spelling for spelling, count in counted.items() if count > 1] == []


def test_every_kind_is_in_the_tables() -> None:
    assert {row["kind"] for row in ROWS} == KINDS


def test_names_are_in_snake_case_and_globs_are_open_at_one_end() -> None:
    for row in ROWS:
        for name in (*row.get("names", ()), *row.get("low_names", ()), *row.get("roots", ())):
            assert snake(name.strip("*")) == name.strip("*").strip("_")
            assert name.count("*") <= 1
            assert "*" not in name.strip("*")


@pytest.mark.parametrize("call", [call for row in ROWS if row["kind"] == "clock" for call in row.get("calls", ())])
def test_every_clock_call_is_a_clock(call: str) -> None:
    head, *rest = call.split(".")
    function: Expression = Name(head, Span(0, 0))
    for step in rest:
        function = Attribute(function, step, Span(0, 0))
    lifetime = lifetime_of(Call(function, (), (), Span(0, 0)), Source("prompt.py", ""))
    assert [cause.kind for cause in lifetime.causes] == ["clock"]
    assert lifetime.causes[0].evidence is Evidence.CALL
    assert lifetime.causes[0].confidence is Confidence.HIGH


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"kind": "clock", "events": ["day"], "why": "w.", "cals": []}, "unknown key 'cals'"),
        ({"kind": "watch", "events": ["day"]}, "no known kind"),
        ({"kind": "clock"}, "says not when it changes"),
        ({"kind": "clock", "by": "format", "events": ["day"]}, "says not when it changes"),
        ({"kind": "clock", "events": ["hourly"]}, "unknown event"),
        ({"kind": "clock", "by": "format", "grammar": "icu"}, "no known grammar"),
    ],
)
def test_a_broken_row_says_what_is_wrong(row: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Table().add({"source": [row]})


def test_a_user_may_bring_rows() -> None:
    row = {"kind": "id", "events": ["request"], "calls": ["mint_id"], "why": "Ours."}
    table = with_documents([{"source": [row]}])
    call = Call(Name("mint_id", Span(0, 7)), (), (), Span(0, 9))
    lifetime = lifetime_of(call, Source("prompt.py", "mint_id()"), table=table)
    assert lifetime.events == {Event.REQUEST}
    assert ("mint_id",) not in shipped().calls


def test_a_row_may_say_what_its_globs_do_not_mean() -> None:
    row = {"kind": "input", "events": ["turn"], "names": ["blurb_*"], "unless": ["*_size"], "why": "Ours."}
    table = with_documents([{"source": [row]}])
    for name, events in {"blurb_text": {Event.TURN}, "blurb_size": set()}.items():
        assert lifetime_of(Name(name, Span(0, 1)), Source("prompt.py", ""), table=table).events == events
