from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.comparing.places import fragment_at, node_at
from promptlint.comparing.serialised import serialised
from promptlint.prompt import Field
from promptlint.readers.json_strings import parse

ORDER = ("tools", "system", "messages")

_KEYS = st.sampled_from(["a", "b/c", "d~e", "cache_control", "cachePoint", "input", "parameters", "content", 'q"'])
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)


def pieces(body: object, order: tuple[str, ...] = ORDER) -> list[tuple[str, str, str]]:
    return [(piece.field.value, piece.pointer, piece.text) for piece in serialised(body, order)]


def test_fields_follow_the_order_and_nothing_stands_between_pieces() -> None:
    body = {"messages": [{"role": "user", "content": "q"}], "system": "s", "tools": [{"name": "t"}], "model": "m"}
    tools, system, messages = (
        ("tools", "/tools/0", '{"name":"t"}'),
        ("system", "/system", '"s"'),
        ("messages", "/messages/0", '{"role":"user","content":"q"}'),
    )
    assert pieces(body) == [tools, system, messages]
    assert pieces(body, ("system", "tools", "messages")) == [system, tools, messages]


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"instructions": "i", "input": "q", "tools": [{}]}, ["/tools/0", "/instructions", "/input"]),
        (
            {"config": {"tools": [{}], "systemInstruction": "s"}, "contents": [{}]},
            ["/config/tools/0", "/config/systemInstruction", "/contents/0"],
        ),
        ({"toolConfig": {"tools": [{"toolSpec": {}}, {"cachePoint": {}}]}, "messages": []}, ["/toolConfig/tools/0"]),
        ([{"role": "user", "content": "q"}], ["/0"]),
    ],
)  # fmt: skip
def test_every_vendor_holds_its_fields_elsewhere(body: object, pointers: list[str]) -> None:
    assert [pointer for _, pointer, _ in pieces(body)] == pointers


def test_system_messages_above_all_others_are_the_system_field() -> None:
    body = {"messages": [{"role": role} for role in ("system", "developer", "user", "system")]}
    assert [piece.field for piece in serialised(body, ORDER)] == [Field.SYSTEM, Field.SYSTEM] + [Field.MESSAGES] * 2


def test_markers_are_left_out_but_not_where_the_model_reads_them() -> None:
    marker = {"type": "ephemeral"}
    tool = {"name": "t", "cache_control": marker, "input_schema": {"properties": {"cache_control": {"type": "string"}}}}
    body = {"tools": [tool], "system": [{"type": "text", "text": "s", "cache_control": marker}]}
    plain = {"tools": [{**tool}], "system": [{"type": "text", "text": "s"}]}
    del plain["tools"][0]["cache_control"]
    assert pieces(body) == pieces(plain)
    assert '"cache_control":{"type":"string"}' in pieces(body)[0][2]


@given(_VALUES, st.sampled_from([None, 1, 4]), st.booleans(), st.data())
def test_each_character_of_a_piece_has_the_place_where_it_is_written(
    value: Any, indent: int | None, escapes: bool, data: st.DataObject
) -> None:
    """The text of the fragments is the serialised text, and a string's characters are found through its escapes."""
    text = json.dumps({"tools": [value]}, indent=indent, ensure_ascii=escapes)
    root, problems = parse(text, 0, len(text))
    assert root is not None and not problems
    for piece in serialised(json.loads(text), ORDER):
        node = node_at(root, piece.pointer)
        assert node is not None
        offset = data.draw(st.integers(0, max(0, len(piece.text) - 1)))
        fragment = fragment_at(node, piece.pointer, offset)
        assert piece.text[fragment.start :].startswith(fragment.text)
        assert fragment.start <= offset < fragment.start + len(fragment.text)
        assert node_at(root, fragment.pointer) is not None
        if fragment.string is not None and 0 < offset - fragment.start < len(fragment.text) - 1:
            at = fragment.character(offset)
            written = json.dumps(fragment.string.value[:at], ensure_ascii=False)
            after = json.dumps(fragment.string.value[: at + 1], ensure_ascii=False)
            assert len(written) - 1 <= offset - fragment.start < len(after) - 1
