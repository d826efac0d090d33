"""Values are what json.loads gives, spans are exact, and nothing that is broken raises."""

import json
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.readers.json_strings import (
    JsonArray,
    JsonNode,
    JsonObject,
    JsonScalar,
    JsonString,
    parse,
    pointer,
)
from promptlint.source import Span, alignment

CHARACTERS = ["\ud800", "\udc00", *"aZ é漢😀\U0001d11e\n\t\x00", *'"\\/{],']
SHORT = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\", "/": "\\/"}
NUMBERS = ["0", "-0", "7", "-12", "3.25", "-0.5", "1e9", "2E-3", "-1.5e+2", "123456789012345678901234567890"]
WORDS = ["true", "false", "null", "NaN", "Infinity", "-Infinity"]
BLANKS = ["", "", "", " ", "\n", "\r\n\t", "  "]


class Writer:
    """Writes a random document, every character of a string in one of the ways that JSON has for it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def blank(self) -> str:
        return self.random.choice(BLANKS)

    def document(self) -> str:
        return self.blank() + self.value(0) + self.blank()

    def value(self, depth: int) -> str:
        kind = self.random.randrange(6 if depth < 4 else 4)
        if kind == 0:
            return self.random.choice(NUMBERS)
        if kind == 1:
            return self.random.choice(WORDS)
        if kind in (2, 3):
            return self.string()
        items = [self.blank() + self.item(kind, depth + 1) + self.blank() for _ in range(self.random.randrange(5))]
        inner = ",".join(items) or self.blank()
        return f"{{{inner}}}" if kind == 4 else f"[{inner}]"

    def item(self, kind: int, depth: int) -> str:
        value = self.value(depth)
        if kind == 5:
            return value
        return f"{self.string()}{self.blank()}:{self.blank()}{value}"

    def string(self) -> str:
        written = (self.character(self.random.choice(CHARACTERS)) for _ in range(self.random.randrange(12)))
        return '"' + "".join(written) + '"'

    def character(self, character: str) -> str:
        way = self.random.randrange(3)
        if way == 0 and character in SHORT:
            return SHORT[character]
        if way == 1 or character < " " or character in '"\\':
            units = character.encode("utf-16-be", "surrogatepass")
            codes = [f"{units[at] * 256 + units[at + 1]:04x}" for at in range(0, len(units), 2)]
            return "".join("\\u" + (code.upper() if self.random.random() < 0.5 else code) for code in codes)
        return character


def plain(node: JsonNode) -> object:
    match node:
        case JsonObject(members=members):
            return {member.key.value: plain(member.value) for member in members}
        case JsonArray(items=items):
            return [plain(item) for item in items]
        case JsonString() | JsonScalar():
            return node.value


def nodes(node: JsonNode) -> Iterator[JsonNode]:
    yield node
    if isinstance(node, JsonObject):
        for member in node.members:
            yield JsonString(member.key)
            yield from nodes(member.value)
    elif isinstance(node, JsonArray):
        for item in node.items:
            yield from nodes(item)


def check(text: str) -> None:
    node, problems = parse(text, 0, len(text))
    assert problems == ()
    assert node is not None
    # Two lone halves in a row are written as one pair, which is what both read them as.
    assert json.dumps(plain(node)) == json.dumps(json.loads(text))
    for each in nodes(node):
        written = text[each.span.start : each.span.end]
        assert written == written.strip()
        assert json.dumps(json.loads(written)) == json.dumps(plain(each))
        if isinstance(each, JsonString):
            check_characters(text, each)


def check_characters(text: str, string: JsonString) -> None:
    held = string.held
    assert len(held.starts) == len(held.ends) == len(held.value)
    borders = [held.span.start + 1, *held.ends]
    assert list(held.starts) == borders[:-1]
    assert borders[-1] == held.span.end - 1
    for character, start, end in zip(held.value, held.starts, held.ends, strict=True):
        assert json.loads(f'"{text[start:end]}"') == character
    if held.value:
        assert held.outside(Span(0, len(held.value))) == Span(held.span.start + 1, held.span.end - 1)


@pytest.mark.parametrize("block", range(20))
def test_random_documents(block: int) -> None:
    for seed in range(block * 125, block * 125 + 125):
        check(Writer(seed).document())


@pytest.mark.long
def test_many_random_documents() -> None:
    for seed in range(100_000, 110_000):
        check(Writer(seed).document())


@pytest.mark.parametrize("block", range(10))
def test_broken_documents_are_told_from_whole_ones(block: int) -> None:
    for seed in range(block * 200, block * 200 + 200):
        writer = Writer(seed)
        text = writer.document()
        at = writer.random.randrange(len(text) + 1)
        broken = text[:at] + writer.random.choice(["", '"', ",", "}", "]", "\\", "x", "\n", ":"]) + text[at + 1 :]
        node, problems = parse(broken, 0, len(broken))
        try:
            expected = json.loads(broken)
        except ValueError:
            assert problems
        else:
            assert problems == ()
            assert node is not None
            assert json.dumps(plain(node)) == json.dumps(expected)
        assert all(0 <= problem.span.start <= problem.span.end <= len(broken) for problem in problems)


@given(st.text(alphabet='{}[]",:\\u0dD8 \nae1-.', max_size=40))
def test_any_text_is_read_without_raising(text: str) -> None:
    node, problems = parse(text, 0, len(text))
    assert node is not None or problems
    assert node is None or 0 <= node.span.start <= node.span.end <= len(text)


def test_only_the_region_is_read() -> None:
    text = 'x = {"a": [1, "b"]} y'
    node, problems = parse(text, 4, len(text) - 2)
    assert problems == ()
    assert isinstance(node, JsonObject)
    assert text[node.span.start : node.span.end] == '{"a": [1, "b"]}'
    assert parse(text, 4, 10)[1][0].span == Span(10, 10)


def test_a_pair_of_surrogates_is_one_character() -> None:
    node, _ = parse(r'"x\ud83d\ude00y"', 0, 16)
    assert isinstance(node, JsonString)
    assert node.value == "x😀y"
    assert list(node.held.starts) == [1, 2, 14]
    assert list(node.held.ends) == [2, 14, 15]
    assert list(alignment(r"x\ud83d\ude00y", "x😀y") or ()) == [0, 1, 13, 14]


@pytest.mark.parametrize("text", [r'"\ud83d"', r'"\ud83dA"', r'"\ude00\ud83d"', r'"\ud83d\ud83d\ude00"'])
def test_halves_of_pairs_are_kept(text: str) -> None:
    check(text)


def test_a_key_that_is_there_twice_is_kept_twice() -> None:
    node, problems = parse('{"a": 1, "b": 2, "a": 3}', 0, 24)
    assert problems == ()
    assert isinstance(node, JsonObject)
    assert [member.key.value for member in node.members] == ["a", "b", "a"]
    last = node.get("a")
    assert isinstance(last, JsonScalar)
    assert last.value == 3
    assert node.get("missing", "b") is not None


@pytest.mark.parametrize(
    "text, at, kept, words",
    [
        ('{"a": 1', 7, {"a": 1}, "}"),
        ('{"a": 1,', 8, {"a": 1}, "key"),
        ('{"a": 1,}', 8, {"a": 1}, "remove the comma"),
        ("[1, 2,]", 6, [1, 2], "remove the comma"),
        ('["a" "b"]', 5, ["a", "b"], "comma is missing"),
        ('{"a": "x" "b": 1}', 10, {"a": "x", "b": 1}, "comma is missing"),
        ('{"a": }', 6, {}, "value is missing"),
        ('{"a" 1}', 5, {}, "colon"),
        ("{a: 1}", 1, {}, "double quotes"),
        ('["a", "b', 6, ["a", "b"], "not closed"),
        (r'["a\qb"]', 3, [r"a\qb"], "escape"),
        (r'["\u12"]', 2, [r"\u12"], "escape"),
        ('["a\nb"]', 3, ["a\nb"], "control character"),
        ("[1] 2", 4, [1], "remove"),
        ('{"a": [1, {"b": 2', 17, {"a": [1, {"b": 2}]}, "}"),
        ("[1, 2}", 5, [1, 2], "]"),
        ("[01]", 2, [0, 1], "comma is missing"),
        ("[tru]", 1, [], "value is missing"),
    ],
)
def test_what_is_broken_has_a_place_and_the_rest_is_kept(text: str, at: int, kept: object, words: str) -> None:
    node, problems = parse(text, 0, len(text))
    assert node is not None
    assert plain(node) == kept
    assert problems[0].span.start == at
    assert words in problems[0].message


@pytest.mark.parametrize("text", ["", "  \n", "hello", "]"])
def test_nothing_to_read(text: str) -> None:
    node, problems = parse(text, 0, len(text))
    assert node is None
    assert len(problems) == 1


def test_many_line_ends_in_one_string_are_one_problem() -> None:
    text = '["' + "line\n" * 50 + '", "b\n"]'
    assert [problem.span.start for problem in parse(text, 0, len(text))[1]] == [6, text.rindex("\n")]


@pytest.mark.parametrize(
    "text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000, '[{"a":' * 50_000]
)
def test_depth_has_no_limit(text: str) -> None:
    node, problems = parse(text, 0, len(text))
    assert isinstance(node, JsonArray | JsonObject)
    assert bool(problems) == (not text.endswith(("]", "}")))
    inner: JsonNode = node
    while below := [*getattr(inner, "items", ()), *(each.value for each in getattr(inner, "members", ()))]:
        inner = below[0]
    assert len(pointer(node, inner) or "") > 99_000


def test_pointers() -> None:
    text = '{"a/b": [1, {"m~n": null}], "": true}'
    node, _ = parse(text, 0, len(text))
    assert isinstance(node, JsonObject)
    assert pointer(node, node) == ""
    found = {pointer(node, each): plain(each) for each in nodes(node) if pointer(node, each) is not None}
    assert found["/a~1b/1/m~0n"] is None
    assert found["/a~1b/0"] == 1
    assert found["/"] is True
    assert pointer(node, JsonScalar(Span(0, 0), None)) is None


def test_a_number_of_thousands_of_digits() -> None:
    node, problems = parse("9" * 5000, 0, 5000)
    assert problems == ()
    assert isinstance(node, JsonScalar)
    assert node.value == float("inf")
