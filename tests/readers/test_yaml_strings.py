"""Strings of YAML files: values as PyYAML reads them, and the place of every character."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.readers.yaml_strings import YamlMapping, YamlNode, YamlScalar, YamlSequence, compose
from promptlint.source import Span

BREAKS = ("\r\n", "\n", "\r", "\x85", "\u2028", "\u2029")
BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def scalars(text: str) -> dict[str, YamlScalar]:
    """Scalar values of a mapping by key."""
    found = compose(text)
    assert found.problems == ()
    (document,) = found.documents
    assert isinstance(document, YamlMapping)
    return {key: node for key, node in document.fields().items() if isinstance(node, YamlScalar)}


def written(text: str, scalar: YamlScalar) -> list[str]:
    """What stands in the file for each character of the value."""
    held = scalar.held()
    assert held.value == scalar.value
    assert len(held.starts) == len(held.ends) == len(held.value)
    return [text[start:end] for start, end in zip(held.starts, held.ends, strict=True)]


@pytest.mark.parametrize(
    ("text", "value", "places"),
    [
        ("a: |\n  x\n  y\n", "x\ny\n", "x.\n.y.\n"),
        ("a: |-\n  x\n\n  y\n\n", "x\n\ny", "x.\n.\n.y"),
        ("a: |+\n  x\n\n", "x\n\n", "x.\n.\n"),
        ("a: |2\n   x\n  y\n", " x\ny\n", " .x.\n.y.\n"),
        ("a: >-\n  x\n  y\n", "x y", "x.\n.y"),
        ("a: >\n  x\n\n  y\n", "x\ny\n", "x.\n.y.\n"),
        ("a: >\n  x\n   y\n  z\n", "x\n y\nz\n", "x.\n. .y.\n.z.\n"),
        ("a: >1-\n  x\n", " x", " .x"),
        ("a: 'it''s'\n", "it's", "i.t.''.s"),
        ("a: 'x\n\n  y'\n", "x\ny", "x.\n.y"),
        ('a: "\\n\\x41\\u00e9\\U0001F600"\n', "\nA\u00e9\U0001f600", "\\n.\\x41.\\u00e9.\\U0001F600"),
        ('a: "x \\\n   y"\n', "x y", "x. .y"),
        ("a: \"x '' y\"\n", "x '' y", "x. .'.'. .y"),
        ("a: x '' y\n", "x '' y", "x. .'.'. .y"),
        ("a: x\n  y\n", "x y", "x.\n.y"),
        ("a: x\n\n  y\n", "x\ny", "x.\n.y"),
        ("a: |\r\n  x\r\n  y\r\n", "x\ny\n", "x.\r\n.y.\r\n"),
        ("a: \U0001f600 x\n", "\U0001f600 x", "\U0001f600. .x"),
        ("a: |\n  x\u2028  y\x85  z\n", "x\u2028y\nz\n", "x.\u2028.y.\x85.z.\n"),
    ],
)
def test_each_character_has_its_place(text: str, value: str, places: str) -> None:
    scalar = scalars(text)["a"]
    assert scalar.value == value == yaml.safe_load(text)["a"]
    assert written(text, scalar) == places.split(".")


def test_a_span_holds_the_literal_without_tag_and_anchor() -> None:
    text = "a: !prompt &x 'hi'\nb: *x\n"
    found = scalars(text)
    assert found["a"] is found["b"]
    assert (text[found["a"].span.start : found["a"].span.end], found["a"].tag) == ("'hi'", "!prompt")


def test_tags_of_other_programs_pass() -> None:
    text = "a: !include x.md\nb: !ref [1]\nc: !!python/name:os.system x\n"
    assert scalars(text)["a"].value == "x.md"


def test_positions_of_a_slice_are_those_of_the_whole() -> None:
    text = "---\ntitle: >-\n  one\n  two\n---\nbody: [\n"
    found = compose(text, 4, text.index("---", 4))
    assert found.problems == ()
    (document,) = found.documents
    assert isinstance(document, YamlMapping)
    title = document.fields()["title"]
    assert isinstance(title, YamlScalar)
    assert written(text, title) == ["o", "n", "e", "\n", "t", "w", "o"]


def test_several_documents() -> None:
    found = compose("a: 1\n---\nb: 2\n...\n")
    assert len(found.documents) == 2


def test_a_byte_order_mark_is_no_text() -> None:
    text = "\ufeffa: x\n"
    assert written(text, scalars(text)["a"]) == ["x"]


def test_an_alias_can_close_a_circle() -> None:
    found = compose("a: &top\n  b: *top\n  c: [*top]\n")
    (document,) = found.documents
    assert isinstance(document, YamlMapping)
    inner = document.fields()["a"]
    assert isinstance(inner, YamlMapping)
    assert inner.fields()["b"] is inner
    assert found.problems == ()


def test_merged_mappings_fill_what_is_missing() -> None:
    text = "x: &x {a: 1, b: 2}\ny: &y {c: 3}\nz:\n  <<: [*x, *y]\n  b: 4\n"
    (document,) = compose(text).documents
    assert isinstance(document, YamlMapping)
    merged = document.fields()["z"]
    assert isinstance(merged, YamlMapping)
    values = {key: node.value for key, node in merged.fields().items() if isinstance(node, YamlScalar)}
    assert values == yaml.safe_load(text.replace("1", "'1'").replace("2", "'2'").replace("3", "'3'"))["z"] | {"b": "4"}


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ('a: "x\n', '"x', "end of stream; close"),
        ("a:\n\tb: 1", "\tb", "tabs"),
        ("a: b: c", ": c", "put quotes"),
        ("a: %x", "%x", "put quotes"),
        ("a: *nowhere", "*nowhere", "nothing above is anchored"),
        ("a: [1, 2", "[1", "close"),
        ('a: "\\q"', "q", "backslash"),
        ('a: "\\U00110000"', "00110000", "out of range"),
        ('a: "\\UFFFFFFFF"', "FFFFFFFF", "out of range"),
        ("a: x\x07y", "\x07", "U+0007"),
        ("a: x\x7fy", "\x7f", "U+007F"),
        ("a: b\n c: d\n", ": d", "put quotes"),
    ],
)
def test_what_cannot_be_read_is_a_problem_at_its_place(text: str, at: str, message: str) -> None:
    (problem,) = compose(text).problems
    assert text[problem.span.start :].startswith(at[0])
    assert problem.span.start == text.rindex(at)
    assert message in problem.message


def test_what_stands_above_a_problem_is_kept() -> None:
    found = compose("a: |\n  text\nb: [x, y\nc: 'z\n")
    (document,) = found.documents
    assert isinstance(document, YamlMapping)
    assert isinstance(document.fields()["a"], YamlScalar)
    assert len(found.problems) == 1


def test_a_refused_character_does_not_hide_the_rest() -> None:
    text = "a: x\x07y\nb: z\n"
    (document,) = compose(text).documents
    assert isinstance(document, YamlMapping)
    b = document.fields()["b"]
    assert isinstance(b, YamlScalar)
    assert b.span == Span(10, 11)


@pytest.mark.parametrize("text", ["[" * 10_000, "{a: " * 10_000, "- " * 10_000, "? " * 10_000, "a: [\n" * 3_000])
def test_deep_nesting_is_a_problem(text: str) -> None:
    (problem,) = compose(text).problems
    assert "deep" in problem.message or "cannot be read" in problem.message


def test_entities_that_multiply_are_not_multiplied() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert compose("\n".join(lines)).problems == ()


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab\n\r \t-:?[]{}|>'\"\\#&*!%@`,.+12x\x85\u2028\ufeff\x07\ud800\U0001f600~<", max_size=60))
def test_nothing_raises(text: str) -> None:
    found = compose(text)
    for problem in found.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)


# Generated documents. Each is written by hand-made rules, not by an emitter, so that unusual spellings occur.


WORDS = (
    *("a", "ab", "x1", "{{x}}", "\U0001f600", "\u00e9\u4f60", "-", "it's", "''", "'", 'say"', '""', "#1", "a:b", "%d"),
    *("\\n", "\\", "\\x41", "\ufeff.", "|", "> x", "...", "[1]"),
)
PLAIN_WORDS = ("x", "y1", "it's", "x''", "a '' b", "a:b", "c#d", "\u00e9", "\U0001f600", 'q"', "12", "a\\n")


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        roll = self.random.random()
        self.end = "\n" if roll < 0.6 else "\r\n" if roll < 0.85 else "\r" if roll < 0.92 else None
        self.styles: Counter[str] = Counter()

    def newline(self) -> str:
        return self.end or self.random.choice(BREAKS)

    def word(self) -> str:
        return self.random.choice(WORDS)

    def words(self, least: int = 1) -> str:
        blank = self.random.choice([" ", " ", " ", "  ", "\t"])
        return blank.join(self.word() for _ in range(self.random.randint(least, 4)))

    def document(self) -> str:
        start = self.random.choice(["", "", "", "---" + self.newline(), "\ufeff", "# c" + self.newline()])
        lines = "".join(self.entry(f"k{n}", 0) for n in range(self.random.randint(1, 5)))
        if self.random.random() < 0.2:
            lines = lines.rstrip("\r\n\x85\u2028\u2029")
        return start + lines

    def entry(self, key: str, indent: int) -> str:
        pad = " " * indent
        roll = self.random.random()
        step = self.random.randint(1, 4)
        if indent < 8 and roll < 0.12:
            inner = "".join(self.entry(f"{key}{n}", indent + step) for n in range(self.random.randint(1, 3)))
            return f"{pad}{key}:{self.newline()}{inner}"
        if indent < 8 and roll < 0.24:
            items = (f"{pad}{' ' * step}- {self.scalar(indent + step)}" for _ in range(self.random.randint(1, 3)))
            return f"{pad}{key}:{self.newline()}{''.join(items)}"
        if roll < 0.28:
            flow = self.random.choice(["{{a: {}, b: {}}}", "[{}, {}]"])
            return f"{pad}{key}: {flow.format(self.inline(indent), self.inline(indent))}{self.newline()}"
        return f"{pad}{key}: {self.scalar(indent)}"

    def inline(self, indent: int) -> str:
        spellings: list[Callable[[int], str]] = [self.double, self.single, lambda _: self.random.choice(["x", "x y"])]
        return self.random.choice(spellings)(indent)

    def scalar(self, indent: int) -> str:
        tag = self.random.choice([""] * 8 + ["!x ", "!!str ", f"&n{self.random.randint(0, 10**9)} "])
        style = self.random.choice('||>>""\'p')
        self.styles[style] += 1
        if style in "|>":
            return tag + self.block(style, indent)
        if style == '"':
            return tag + self.double(indent) + self.newline()
        if style == "'":
            return tag + self.single(indent) + self.newline()
        return tag + self.plain(indent) + self.newline()

    def block(self, style: str, indent: int) -> str:
        more = self.random.randint(1, 5)
        explicit = self.random.random() < 0.4
        marks = [self.random.choice(["", "-", "+"]), str(more) if explicit else ""]
        self.random.shuffle(marks)
        comment = self.random.choice(["", "", "", " # c", "  "])
        lines, filled = [], False
        for _ in range(self.random.randint(0, 7)):
            roll = self.random.random()
            if roll < 0.25:
                most = indent + more + 3 if filled else indent + more
                lines.append(" " * self.random.randint(0, most))
                continue
            extra = self.random.choice(["", "", "", " ", "   ", "\t"]) if explicit or filled else ""
            lines.append(" " * (indent + more) + extra + self.words() + self.random.choice(["", "", "", " ", "\t"]))
            filled = True
        return style + "".join(marks) + comment + self.newline() + "".join(line + self.newline() for line in lines)

    def folds(self, indent: int) -> str:
        """A line break inside a flow scalar, with blank lines."""
        blanks = "".join(
            self.newline() + " " * self.random.randint(0, 3) for _ in range(self.random.choice([0, 0, 1, 2]))
        )
        before = self.random.choice(["", "", " ", "\t"])
        return before + self.newline() + blanks + " " * (indent + self.random.randint(1, 4))

    def joined(self, parts: list[str], indent: int) -> str:
        seams = (self.random.choice([" ", " ", "  ", self.folds(indent)]) for _ in parts)
        return "".join(part + seam for part, seam in zip(parts, seams, strict=True)).rstrip()

    def double(self, indent: int) -> str:
        escapes = [
            r"\n", r"\t", r"\"", r"\\", r"\x41", r"\u00e9", r"\U0001F600", r"\ ", r"\0", r"\e", r"\N", r"\_", r"\L",
            r"\P", r"\/", r"\a", r"\ud83d", "\\" + self.newline() + " " * (indent + 2),
            "\\" + self.newline() + " " + self.newline() + " " * (indent + 1),
        ]  # fmt: skip
        parts = []
        for _ in range(self.random.randint(0, 5)):
            word = self.word().replace("\\", "").replace('"', "")
            parts.append(word + self.random.choice(["", self.random.choice(escapes)]))
        return '"' + self.joined(parts, indent) + self.random.choice(["", " "]) + '"'

    def single(self, indent: int) -> str:
        parts = [self.word().replace("'", "''") for _ in range(self.random.randint(0, 5))]
        return "'" + self.joined(parts, indent) + "'"

    def plain(self, indent: int) -> str:
        parts = [self.random.choice(PLAIN_WORDS) for _ in range(5)]
        return self.joined(parts[: self.random.randint(1, 5)], indent)


def pairs(ours: YamlNode, theirs: Any) -> Iterator[tuple[YamlScalar, Any]]:
    """Scalars of our tree with those of PyYAML's."""
    if isinstance(ours, YamlScalar):
        yield ours, theirs
    elif isinstance(ours, YamlSequence):
        for one, other in zip(ours.items, theirs.value, strict=True):
            yield from pairs(one, other)
    else:
        for (key, value), (other_key, other_value) in zip(ours.pairs, theirs.value, strict=True):
            yield from pairs(key, other_key)
            yield from pairs(value, other_value)


def plain_values(node: YamlNode) -> Any:
    if isinstance(node, YamlScalar):
        return node.value
    if isinstance(node, YamlSequence):
        return [plain_values(item) for item in node.items]
    return {key.value: plain_values(value) for key, value in node.pairs if isinstance(key, YamlScalar)}


def same_strings(ours: Any, loaded: Any) -> bool:
    """Whether every string that `yaml.safe_load` gives is ours."""
    if isinstance(loaded, str):
        return bool(ours == loaded)
    if isinstance(loaded, list):
        return all(same_strings(one, other) for one, other in zip(ours, loaded, strict=True))
    if isinstance(loaded, dict):
        return all(same_strings(ours[str(key)], value) for key, value in loaded.items())
    return True


def check_places(text: str, scalar: YamlScalar) -> None:
    held, span = scalar.held(), scalar.span
    columns, at = set(), None
    for index, (character, start, end) in enumerate(zip(held.value, held.starts, held.ends, strict=True)):
        token = text[start:end]
        assert stands_for(token, character, scalar.style), (token, character, scalar)
        assert span.start <= start < end <= span.end
        if at is None:
            before = text[span.start : start]
            if scalar.style in ("|", ">"):
                before = before[BREAK.search(before).end() :]  # type: ignore[union-attr]
        else:
            before = text[at:start]
            assert (
                not before or BREAK.search(before) or BREAK.match(token) or BREAK.match(text[held.starts[index - 1] :])
            )
        blank = before.replace("\\", "") if scalar.style == '"' else before
        blank = blank.lstrip("\"'") if index == 0 else blank
        assert blank.strip(" \t\r\n\x85\u2028\u2029") == "", (before, scalar)
        if scalar.style in ("|", ">") and not BREAK.match(token):
            line = max((found.end() for found in BREAK.finditer(text, 0, start)), default=0)
            if held.starts[index - 1] < line or index == 0:
                columns.add(start - line)
        at = end
    # All lines of a block scalar begin in one column; it must not depend on the line.
    assert len(columns) <= 1, (columns, scalar)


def stands_for(token: str, character: str, style: str) -> bool:
    if token == character:
        return True
    if BREAK.fullmatch(token):
        return character == "\n" or (character == " " and style != "|")
    if style == "'":
        return token == "''" and character == "'"
    return style == '"' and token.startswith("\\") and yaml.safe_load(f'"{token}"') == character


def run(count: int, first: int) -> Counter[str]:
    """Check that many documents that PyYAML reads; how many scalars of each style they held."""
    seen: Counter[str] = Counter()
    seed = first
    while seen["documents"] < count:
        generator = Generator(seed)
        seed += 1
        text = generator.document()
        found = compose(text)
        try:
            (theirs,) = yaml.compose_all(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError:
            assert found.problems
            seen["refused"] += 1
            continue
        assert found.problems == (), (text, found.problems)
        (document,) = found.documents
        for ours, other in pairs(document, theirs):
            assert (ours.value, ours.style) == (other.value, other.style or ""), text
            check_places(text, ours)
            seen[ours.style or "plain"] += 1
            seen["characters"] += len(ours.value)
        try:
            loaded = yaml.safe_load(text)
        except yaml.YAMLError:  # a tag of ours
            loaded = None
        assert same_strings(plain_values(document), loaded)
        seen["loaded"] += loaded is not None
        seen["documents"] += 1
    return seen


def test_generated_documents() -> None:
    seen = run(2_000, 0)
    assert min(seen[style] for style in ("|", ">", '"', "'", "plain")) > 500
    assert seen["loaded"] > 1_000


@pytest.mark.long
def test_many_generated_documents() -> None:
    run(10_000, 1_000_000)
