"""Where each character of a YAML scalar's value stands in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from sys import maxsize

from promptlint.readers.inside import Held
from promptlint.source import Span

_BREAK_CLASS = r"\n\r\x85\u2028\u2029"
_BREAK = re.compile(rf"\r\n|[{_BREAK_CLASS}]")
_KEPT_BREAKS = "\u2028\u2029"
_HEADER = re.compile(r"[|>]([+-]?)[0-9]?([+-]?)")
_SPACES = re.compile(" *")

# A run of line breaks with the blanks around them folds as one.
_DOUBLE = re.compile(
    r"\\(?P<code>x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})"
    rf"|\\(?P<joined>(?:\r\n|[{_BREAK_CLASS}])(?:[ \t]*(?:\r\n|[{_BREAK_CLASS}]))*[ \t]*)"
    r"|\\(?P<letter>[\s\S])"
    rf"|(?P<folded>[ \t]*(?:(?:\r\n|[{_BREAK_CLASS}])[ \t]*)+)"
    rf"|[^\\ \t{_BREAK_CLASS}]+|[ \t]+|\\"
)
_SINGLE = re.compile(
    rf"(?P<doubled>'')|(?P<folded>[ \t]*(?:(?:\r\n|[{_BREAK_CLASS}])[ \t]*)+)|[^' \t{_BREAK_CLASS}]+|[ \t]+|'"
)
_PLAIN = re.compile(rf"(?P<folded> *(?:(?:\r\n|[{_BREAK_CLASS}]) *)+)|[^ {_BREAK_CLASS}]+| +")

# YAML 1.1, section 5.6: what a letter behind a backslash stands for; any other stands for itself.
_LETTERS = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


def held(text: str, value: str, span: Span, style: str, indent: int | None) -> Held:
    """The scalar that stands at `span` in the text.

    `style` is "" (plain), "'", '"', "|" or ">"; `indent` is the column in which a block scalar's lines begin, None
    when it has none. Should the characters not add up to the value, each stands for the whole scalar.
    """
    record = _Record(text)
    if style in ("|", ">"):
        _block(record, span, style == ">", maxsize if indent is None else indent)
    elif style:
        _quoted(record, Span(span.start + 1, span.end - 1), style == '"')
    else:
        _flow(record, span, _PLAIN)
    if "".join(record.written) != value:
        return Held(value, [span.start] * len(value), [span.end] * len(value), span)
    return Held(value, record.starts, record.ends, span)


class _Record:
    """The characters found so far, with the places that stand for them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.written: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def copy(self, start: int, end: int) -> None:
        """Text that stands for itself."""
        self.written.append(self.text[start:end])
        self.starts.extend(range(start, end))
        self.ends.extend(range(start + 1, end + 1))

    def put(self, character: str, start: int, end: int) -> None:
        self.written.append(character)
        self.starts.append(start)
        self.ends.append(end)

    def line_break(self, at: Span) -> None:
        written = self.text[at.start : at.end]
        self.put(written if written in _KEPT_BREAKS else "\n", at.start, at.end)

    def fold(self, start: int, end: int) -> None:
        """A run of line breaks: one alone is a blank, the first of several is nothing."""
        first, *rest = _breaks(self.text, start, end)
        if self.text[first.start] in _KEPT_BREAKS:
            self.line_break(first)
        elif not rest:
            self.put(" ", first.start, first.end)
        for each in rest:
            self.line_break(each)


def _breaks(text: str, start: int, end: int) -> list[Span]:
    return [Span(*found.span()) for found in _BREAK.finditer(text, start, end)]


def _quoted(record: _Record, span: Span, double: bool) -> None:
    _flow(record, span, _DOUBLE if double else _SINGLE)


def _flow(record: _Record, span: Span, pattern: re.Pattern[str]) -> None:
    for found in pattern.finditer(record.text, span.start, span.end):
        start, end = found.span()
        kind, written = found.lastgroup, found[0]
        if kind == "folded":
            record.fold(start, end)
        elif kind == "joined":
            for each in _breaks(record.text, start, end)[1:]:
                record.line_break(each)
        elif kind == "code":
            record.put(chr(int(written[2:], 16)), start, end)
        elif kind == "letter":
            record.put(_LETTERS.get(written[1], written[1]), start, end)
        elif kind == "doubled":
            record.put("'", start, end)
        else:
            record.copy(start, end)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a block scalar without its indentation; `end` is its line break, missing at the end of the file."""

    content: Span
    end: Span | None
    indented: bool
    """It begins with a blank, so it and its neighbours are not folded."""


def _lines(text: str, start: int, end: int, indent: int) -> Iterator[_Line]:
    at = start
    while at < end:
        spaces = _SPACES.match(text, at, min(end, at + indent))
        first = spaces.end() if spaces else at
        found = _BREAK.search(text, at, end)
        last = found.start() if found else end
        yield _Line(Span(first, last), Span(*found.span()) if found else None, text[first:last][:1] in (" ", "\t"))
        at = found.end() if found else end


def _block(record: _Record, span: Span, folded: bool, indent: int) -> None:
    text = record.text
    header = _HEADER.match(text, span.start)
    opening = _BREAK.search(text, span.start, span.end)
    if header is None or opening is None:
        return
    chomping = header[1] or header[2]
    blanks: list[Span] = []
    before: _Line | None = None
    for line in _lines(text, opening.end(), span.end, indent):
        if line.content.start >= line.content.end:
            blanks.extend([line.end] if line.end else [])
            continue
        if before is not None:
            _between(record, before, line, folded, bool(blanks))
        _all(record, blanks)
        blanks.clear()
        record.copy(line.content.start, line.content.end)
        before = line
    if before is not None and before.end is not None and chomping != "-":
        record.line_break(before.end)
    if chomping == "+":
        _all(record, blanks)


def _between(record: _Record, before: _Line, after: _Line, folded: bool, blank_lines: bool) -> None:
    """What the line break behind `before` stands for."""
    end = before.end
    assert end is not None
    if not folded or before.indented or after.indented or record.text[end.start] in _KEPT_BREAKS:
        record.line_break(end)
    elif not blank_lines:
        record.put(" ", end.start, end.end)


def _all(record: _Record, breaks: Sequence[Span]) -> None:
    for each in breaks:
        record.line_break(each)
