"""JSON with positions: every value has its span, every character of a string the place where it is written.

What json.loads takes, NaN and all, is read as json.loads reads it. What is broken is read as far as it goes.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from promptlint.readers.inside import Held
from promptlint.source import Span
from promptlint.template import Problem

_BLANK = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(r"-?[A-Za-z]+")
_CHARACTERS = re.compile(r'[^"\\\x00-\x1f]*')
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]{4}")
_LOW_HALF = re.compile(r"\\u([dD][c-fC-F][0-9A-Fa-f]{2})")

_WORDS = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JsonObject:
    """Members in the order of the text; a key may stand there more than once."""

    span: Span
    members: tuple[Member, ...]

    def member(self, *keys: str) -> Member | None:
        """The member of the first of these keys that is there; of a key's members the last, as json.loads has it."""
        for key in keys:
            for each in reversed(self.members):
                if each.key.value == key:
                    return each
        return None

    def get(self, *keys: str) -> JsonNode | None:
        """The value of `member`."""
        found = self.member(*keys)
        return found.value if found is not None else None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JsonArray:
    span: Span
    items: tuple[JsonNode, ...]


@dataclass(frozen=True, slots=True, eq=False)
class JsonString:
    held: Held

    @property
    def span(self) -> Span:
        return self.held.span

    @property
    def value(self) -> str:
        return self.held.value


@dataclass(frozen=True, slots=True, eq=False)
class JsonScalar:
    """A number, true, false or null."""

    span: Span
    value: int | float | bool | None


JsonNode = JsonObject | JsonArray | JsonString | JsonScalar


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Member:
    key: Held
    value: JsonNode

    @property
    def span(self) -> Span:
        return Span(self.key.span.start, self.value.span.end)


def parse(text: str, start: int, end: int) -> tuple[JsonNode | None, tuple[Problem, ...]]:
    """The JSON value that text[start:end] is, with what is wrong in it; None when no value can be read at all.

    Never raises. After an error that cannot be seen past, what was open is closed and the rest is not read.
    """
    reader = _Reader(text, end, start)
    return reader.document(), tuple(reader.problems)


def pointer(root: JsonNode, node: JsonNode) -> str | None:
    """JSON pointer (RFC 6901) from `root` to `node`, which is one of its values; None when it is not."""
    above: dict[int, tuple[JsonNode, str]] = {}
    stack = [root]
    while stack:
        parent = stack.pop()
        if parent is node:
            return "".join(reversed(list(_steps(root, node, above))))
        for step, child in _children(parent):
            above[id(child)] = parent, step
            stack.append(child)
    return None


def _steps(root: JsonNode, node: JsonNode, above: dict[int, tuple[JsonNode, str]]) -> Iterator[str]:
    while node is not root:
        node, step = above[id(node)]
        yield "/" + step.replace("~", "~0").replace("/", "~1")


def _children(node: JsonNode) -> Iterator[tuple[str, JsonNode]]:
    if isinstance(node, JsonObject):
        yield from ((member.key.value, member.value) for member in node.members)
    elif isinstance(node, JsonArray):
        yield from ((str(number), item) for number, item in enumerate(node.items))


@dataclass(slots=True)
class _Open:
    """An object (`closer` is its brace) or array whose end has not been reached."""

    start: int
    closer: str
    members: list[Member] = field(default_factory=list)
    items: list[JsonNode] = field(default_factory=list)
    key: Held | None = None

    def add(self, value: JsonNode) -> None:
        if self.closer == "]":
            self.items.append(value)
        elif self.key is not None:
            self.members.append(Member(self.key, value))
            self.key = None

    def closed(self, end: int) -> JsonNode:
        span = Span(self.start, end)
        return JsonArray(span, tuple(self.items)) if self.closer == "]" else JsonObject(span, tuple(self.members))


class _Reader:
    def __init__(self, text: str, end: int, at: int) -> None:
        self._text, self._end, self._at = text, end, at
        self._open: list[_Open] = []
        self._going = True
        self.problems: list[Problem] = []

    def document(self) -> JsonNode | None:
        """The whole text's value. Containers are kept on a stack of our own: depth has no limit."""
        while self._going:
            value = self._value()
            while value is not None:
                if not self._open:
                    if self._peek():
                        self._complain("this stands behind the end of the JSON value; remove it")
                    return value
                self._open[-1].add(value)
                value = self._after_value()
        return self._abandoned()

    def _value(self) -> JsonNode | None:
        """A scalar, or a container that is empty; None when one was opened or nothing can be read."""
        found = self._peek()
        if found == '"':
            return JsonString(self._string())
        if found and found in "{[":
            self._open.append(_Open(self._at, "}" if found == "{" else "]"))
            self._at += 1
            if self._peek() == self._open[-1].closer:
                return self._close()
            if found == "{":
                self._key()
            return None
        return self._scalar()

    def _after_value(self) -> JsonNode | None:
        """What follows a value in the innermost container: its end, which is returned, or the next value's start."""
        container = self._open[-1]
        found = self._peek()
        if found == container.closer:
            return self._close()
        if found == ",":
            self._at += 1
            if self._peek() == container.closer:
                self._complain(f"a comma stands before this {container.closer}; remove the comma")
                return self._close()
        elif found and (found == '"' or (container.closer == "]" and found in "{[-0123456789")):
            self._complain("a comma is missing here; add one")
        else:
            kind = "array" if container.closer == "]" else "object"
            self._stop(f"this {kind} goes on neither with a comma nor with {container.closer}; add what is missing")
            return None
        if container.closer == "}":
            self._key()
        return None

    def _key(self) -> None:
        if self._peek() != '"':
            self._stop("a key in double quotes is missing here; add it")
            return
        self._open[-1].key = self._string()
        if self._peek() == ":":
            self._at += 1
        elif self._going:
            self._stop("a colon is missing behind this key; add it")

    def _close(self) -> JsonNode:
        self._at += 1
        return self._open.pop().closed(self._at)

    def _abandoned(self) -> JsonNode | None:
        """The outermost container that was opened, with everything that was read so far in it."""
        value: JsonNode | None = None
        while self._open:
            container = self._open.pop()
            if value is not None:
                container.add(value)
            value = container.closed(self._at)
        return value

    def _scalar(self) -> JsonNode | None:
        number = _NUMBER.match(self._text, self._at, self._end)
        if number is not None and number.end() > self._at:
            span = Span(self._at, number.end())
            self._at = span.end
            return JsonScalar(span, _number(number[0], whole=number[1] is None and number[2] is None))
        word = _WORD.match(self._text, self._at, self._end)
        if word is not None and word[0] in _WORDS:
            span = Span(*word.span())
            self._at = span.end
            return JsonScalar(span, _WORDS[word[0]])
        self._stop("a value is missing here; write a string, a number, true, false, null, an object or an array")
        return None

    def _string(self) -> Held:
        """The string that begins at the quote where the reader stands."""
        start, at = self._at, self._at + 1
        plain = _CHARACTERS.match(self._text, at, self._end)
        assert plain is not None
        if self._text.startswith('"', plain.end(), self._end):
            self._at = plain.end() + 1
            return Held(plain[0], range(at, plain.end()), range(at + 1, plain.end() + 1), Span(start, self._at))
        written = [plain[0]]
        starts, ends = array("q", range(at, plain.end())), array("q", range(at + 1, plain.end() + 1))
        at = plain.end()
        while at < self._end and self._text[at] != '"':
            character, after = self._character(at, start)
            written.append(character)
            for _ in character:
                starts.append(at)
                ends.append(after)
            plain = _CHARACTERS.match(self._text, after, self._end)
            assert plain is not None
            written.append(plain[0])
            at = plain.end()
            starts.extend(range(after, at))
            ends.extend(range(after + 1, at + 1))
        self._at = at
        if at < self._end:
            self._at += 1
        else:
            self._stop('this string is not closed; add "', start)
        return Held("".join(written), starts, ends, Span(start, self._at))

    def _character(self, at: int, string: int) -> tuple[str, int]:
        """What the escape or control character at an offset stands for, and where it ends."""
        if self._text[at] != "\\":
            if not self.problems or self.problems[-1].span.start < string:
                self._complain("a control character in this string; write it as an escape, a line end as \\n", at)
            return self._text[at], at + 1
        kind = self._text[at + 1 : min(at + 2, self._end)]
        if kind in _ESCAPES:
            return _ESCAPES[kind], at + 2
        digits = _HEXADECIMAL.match(self._text, at + 2, self._end) if kind == "u" else None
        if digits is None:
            self._complain("this is no escape of JSON; write \\\\ for a backslash", at)
            return "\\", at + 1
        code = int(digits[0], 16)
        low = _LOW_HALF.match(self._text, at + 6, self._end) if 0xD800 <= code < 0xDC00 else None
        if low is None:
            return chr(code), at + 6
        return chr(0x10000 + ((code - 0xD800) << 10) + (int(low[1], 16) - 0xDC00)), at + 12

    def _peek(self) -> str:
        """The next character that is not blank, "" at the end; the reader moves to it."""
        blank = _BLANK.match(self._text, self._at, self._end)
        if blank is not None:
            self._at = blank.end()
        return self._text[self._at] if self._at < self._end else ""

    def _stop(self, message: str, at: int | None = None) -> None:
        if self._going:
            self._complain(message, at)
        self._going = False

    def _complain(self, message: str, at: int | None = None) -> None:
        at = self._at if at is None else at
        self.problems.append(Problem(Span(at, min(at + 1, self._end)), message))


def _number(written: str, whole: bool) -> int | float:
    try:
        return int(written) if whole else float(written)
    except ValueError:
        # Python reads no whole number of thousands of digits; nor does json.loads.
        return float(written)
