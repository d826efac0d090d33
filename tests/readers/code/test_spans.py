"""Characters, holes and names stand where their spans say, in random programs of both languages."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import promptlint
from promptlint.expression import Literal, Name, Slot
from promptlint.program import Module
from promptlint.source import Source, Span, alignment

Read = Callable[[str, str], Module]
Parts = Callable[[object], Iterator[Any]]
PLAIN = [*"aZ09 é漢😀\U0001d11e$#", "\u2028"]
NAMES = ["a", "naïve", "名前", "role", "x1"]


class Writer:
    """Writes a random program and notes where its texts, holes and names stand."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.code = ""
        self.texts: set[tuple[Span, str]] = set()
        self.holes: set[Span] = set()
        self.names: set[tuple[Span, str]] = set()
        self._text, self._start = "", 0

    def choose(self, options: list[Any]) -> Any:
        return self.random.choice(options)

    def write(self, code: str) -> None:
        self.code += code

    def name(self) -> None:
        name = self.choose(NAMES)
        self.names.add((Span(len(self.code), len(self.code) + len(name)), name))
        self.write(name)

    def number(self) -> None:
        self.write(str(self.random.randrange(100)))

    def row(self, opening: str, write: Callable[[int], None], closing: str, depth: int, most: int = 3) -> None:
        self.write(opening)
        for index in range(self.random.randrange(most + 1)):
            self.write(", " if index else "")
            write(depth + 1)
        self.write(closing)

    def begin(self) -> None:
        """A text begins here."""
        self._text, self._start = "", len(self.code)

    def character(self, written: str, character: str) -> None:
        self.write(written)
        self._text += character

    def end(self) -> None:
        if self._text:
            self.texts.add((Span(self._start, len(self.code)), self._text))

    def alone(self, written: str, character: str) -> None:
        """An escape whose characters do not show what it writes is a text of its own."""
        self.end()
        self.begin()
        self.character(written, character)
        self.end()
        self.begin()

    def hole(self, opening: str, depth: int, closing: str) -> None:
        self.end()
        start = len(self.code)
        self.write(opening)
        self.value(depth + 1)
        self.write(closing)
        self.holes.add(Span(start, len(self.code)))
        self.begin()

    def value(self, depth: int) -> None:
        raise NotImplementedError


class Script(Writer):
    def program(self) -> str:
        for _ in range(self.random.randrange(1, 4)):
            self.choose([self.declaration, self.returned, self.pushed])()
            self.write(self.choose([";\n", ";\r\n", "; "]))
        return self.code

    def declaration(self) -> None:
        self.write("const target")
        self.write(": string = " if self.random.random() < 0.2 else " = ")
        self.value(0)

    def returned(self) -> None:
        self.write("function f() { return ")
        self.value(0)
        self.write(" }")

    def pushed(self) -> None:
        self.name()
        self.write(".push(")
        self.value(0)
        self.write(")")

    def value(self, depth: int) -> None:
        simple = [self.name, self.number, self.string]
        if depth > 3:
            self.choose(simple)()
            return
        kind = self.random.randrange(9)
        match kind:
            case 0 | 1:
                self.choose(simple)()
            case 2 | 3 | 4:
                self.template(depth)
            case 5:
                self.value(depth + 1)
                self.write(self.choose([" + ", " ||\n", " ?? "]))
                self.choose([self.name, self.string])()
            case 6:
                self.row("[", self.value, "]", depth)
            case 7:
                self.row("({", self.entry, "})", depth)
            case 8:
                self.row("f(", self.value, ").b", depth)

    def entry(self, depth: int) -> None:
        if self.random.random() < 0.5:
            self.begin()
            key = self.choose(NAMES)
            self.character(key, key)
            self.end()
        else:
            self.string()
        self.write(": ")
        self.value(depth)

    def string(self) -> None:
        quote = self.choose(["'", '"'])
        self.write(quote)
        self.begin()
        for _ in range(self.random.randrange(6)):
            self.inside([*PLAIN, "`", "${"])
        self.end()
        self.write(quote)

    def template(self, depth: int) -> None:
        self.write("`")
        self.begin()
        for _ in range(self.random.randrange(6)):
            if self.random.random() < 0.4:
                self.hole("${", depth, self.choose(["}", " }", "/* } */}"]))
            elif self.random.random() < 0.2:
                self.character(self.choose(["\n", "\r\n"]), "\n")
            else:
                self.inside([*(plain for plain in PLAIN if plain != "$"), "'", '"', "}"])
        self.end()
        self.write("`")

    def inside(self, plain: list[str]) -> None:
        match self.random.randrange(5):
            case 0:
                pairs = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\\\": "\\", "\\'": "'", '\\"': '"', "\\`": "`"}
                self.character(*self.choose(list(pairs.items())))
            case 1:
                other = {"\\x41": "A", "\\u00e9": "é", "\\u{1F600}": "😀", "\\ud83d\\ude00": "😀", "\\v": "\v"}
                self.alone(*self.choose(list(other.items())))
            case _:
                character = self.choose(plain)
                self.character(character, character)


class Python(Writer):
    def program(self) -> str:
        for _ in range(self.random.randrange(1, 4)):
            self.name()
            self.write(self.choose([" = ", ": str = ", " += "]))
            self.value(0)
            self.write(self.choose(["\n", "\r\n", "  # é\n"]))
        return self.code

    def value(self, depth: int) -> None:
        simple = [self.name, self.number, self.string]
        if depth > 3:
            self.choose(simple)()
            return
        match self.random.randrange(9):
            case 0 | 1:
                self.choose(simple)()
            case 2 | 3 | 4:
                self.formatted(depth)
            case 5:
                self.write("(")
                self.formatted(depth)
                self.write(self.choose([" ", "\n", "  # é\r\n"]))
                self.choose([self.string, lambda: self.formatted(depth)])()
                self.write(")")
            case 6:
                self.row("[", self.value, "]", depth)
            case 7:
                self.row("f(", self.value, ").b", depth)
            case 8:
                self.name()
                self.write(" + ")
                self.choose([self.name, self.string])()

    def string(self) -> None:
        prefix, quote = self.choose(["", "", "r", "u"]), self.choose(["'", '"', '"""', "'''"])
        self.write(prefix + quote)
        self.begin()
        for _ in range(self.random.randrange(6)):
            self.inside("r" in prefix, len(quote) == 3, ["{", "}}", *PLAIN])
        self.end()
        self.write(quote)

    def formatted(self, depth: int) -> None:
        prefix, quote = self.choose(["f", "F", "t", "rf", "fr"]), self.choose(["'", '"', '"""', "'''"])
        self.write(prefix + quote)
        self.begin()
        for _ in range(self.random.randrange(6)):
            if self.random.random() < 0.4:
                # A brace right behind the hole's own would be an escaped one.
                self.hole("{", depth, self.choose(["}", " }", "!r}", ":>10}", ":%H:%M}"]))
            elif self.random.random() < 0.2:
                # Of two braces only the first is text.
                brace = self.choose(["{", "}"])
                self.character(brace, brace)
                self.end()
                self.write(brace)
                self.begin()
            else:
                self.inside("r" in prefix, len(quote) == 3, PLAIN)
        self.end()
        self.write(quote)

    def inside(self, is_raw: bool, is_long: bool, plain: list[str]) -> None:
        match self.random.randrange(6):
            case 0 if not is_raw:
                pairs = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\\\": "\\", "\\'": "'", '\\"': '"'}
                self.character(*self.choose(list(pairs.items())))
            case 1 if not is_raw:
                other = {"\\x41": "A", "\\u00e9": "é", "\\U0001F600": "😀", "\\N{BULLET}": "•", "\\101": "A"}
                self.alone(*self.choose(list(other.items())))
            case 2 if is_raw:
                self.character("\\d", "\\d")
            case 3 if is_long:
                self.character(self.choose(["\n", "\r\n"]), "\n")
            case _:
                character = self.choose(plain)
                self.character(character, character)


def check_places(source: Source, module: Module, parts: Parts) -> None:
    """What holds for every program."""
    for part in parts(module):
        if isinstance(part, Span):
            assert 0 <= part.start <= part.end <= len(source.text)
            continue
        written = source.slice(part.span) if hasattr(part, "span") else ""
        if isinstance(part, Literal) and isinstance(part.value, str):
            check_characters(written, part.value)
        elif isinstance(part, Name) and not part.id.startswith("<"):
            assert written in (part.id, "this", "")


def check_characters(written: str, text: str) -> None:
    if len(text) == 1 and written.startswith("\\"):
        return
    offsets = alignment(written, text)
    assert offsets is not None, (written, text)
    assert len(offsets) == len(text) + 1
    for character, at in zip(text, offsets, strict=False):
        assert written[at] in (character, "\\", "\r"), (written, text)


def check_written(writer: Script | Python, module: Module, parts: Parts) -> None:
    source = Source("x", writer.code)
    check_places(source, module, parts)
    found = list(parts(module))
    literals = {(each.span, each.value) for each in found if isinstance(each, Literal) and isinstance(each.value, str)}
    assert {pair for pair in literals if pair[1]} == writer.texts, writer.code
    slots = [each for each in found if isinstance(each, Slot)]
    assert writer.holes <= {slot.span for slot in slots}, writer.code
    assert all(slot.span in writer.holes or slot.span == slot.of.span for slot in slots), writer.code
    names = {(each.span, each.id) for each in found if isinstance(each, Name)}
    assert names >= writer.names, writer.code


@settings(max_examples=300)
@given(seed=st.integers(0, 10**9))
def test_a_random_script_keeps_its_places(seed: int, module: Read, parts: Parts) -> None:
    writer = Script(seed)
    check_written(writer, module(writer.program(), "x.ts"), parts)


@settings(max_examples=300)
@given(seed=st.integers(0, 10**9))
def test_a_random_python_program_keeps_its_places(seed: int, module: Read, parts: Parts) -> None:
    writer = Python(seed)
    check_written(writer, module(writer.program(), "x.py"), parts)


@settings(max_examples=300)
@given(seed=st.integers(0, 10**9), language=st.sampled_from(["ts", "tsx", "js", "py"]))
def test_a_broken_program_is_read_and_keeps_its_places(seed: int, language: str, module: Read, parts: Parts) -> None:
    writer = Python(seed) if language == "py" else Script(seed)
    code = writer.program()
    at = writer.random.randrange(len(code) + 1)
    dropped = at + writer.random.randrange(3)
    broken = (
        code[:at]
        + writer.choose(["", "'", '"', "`", "${", "{", "}", ")", "(", "\\", "\n", "=", '"""'])
        + code[dropped:]
    )
    check_places(Source("x", broken), module(broken, f"x.{language}"), parts)


@settings(max_examples=300)
@given(
    code=st.text(alphabet="ab é😀\n\r\t '\"`{}$()[]=>:;,.+!&|?/*<#\\rf"),
    language=st.sampled_from(["ts", "tsx", "js", "py"]),
)
def test_any_text_is_read(code: str, language: str, module: Read, parts: Parts) -> None:
    check_places(Source("x", code), module(code, f"x.{language}"), parts)


def test_real_programs_keep_their_places(module: Read, parts: Parts) -> None:
    """The package itself."""
    files = sorted(Path(promptlint.__file__).parent.rglob("*.py"))
    assert len(files) > 100
    for file in files:
        code = file.read_text(encoding="utf-8")
        check_places(Source(str(file), code), module(code, file.name), parts)
