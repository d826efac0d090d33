"""Jinja's own lexer, with offsets instead of line numbers.

jinja2's lexer and parser carry a line number from every token to every node. Here the "line number" of a token is
the offset of its first character, so the stock parser yields nodes that know where they stand, and its errors too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from jinja2 import Environment, TemplateSyntaxError
from jinja2.lexer import Token, TokenStream

from promptlint.source import Span


@dataclass(slots=True)
class Item:
    """A stretch of the template: `data`, or one whole tag (`variable`, `block`, `comment`, `raw`)."""

    kind: str
    span: Span
    text: str = ""


@dataclass(slots=True)
class Lexed:
    """What the lexer saw: the items that cover the text, in order, and where each token ends."""

    items: list[Item] = field(default_factory=list)
    token_ends: dict[int, int] = field(default_factory=dict)

    def item_at(self, offset: int) -> int:
        """Index of the item that holds the character at `offset`."""
        low, high = 0, len(self.items)
        while low < high:
            middle = (low + high) // 2
            if self.items[middle].span.end <= offset:
                low = middle + 1
            else:
                high = middle
        return low


class Newlines:
    """Offsets between a text and the same text with every line end written as LF, as the lexer wants it."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self._at: list[int] = []
        self._start = start
        if "\r" in text:
            found = text.find("\r\n")
            while found >= 0:
                self._at.append(found - len(self._at))
                found = text.find("\r\n", found + 2)
            self.text = text.replace("\r\n", "\n").replace("\r", "\n")

    def original(self, offset: int) -> int:
        """Offset in the source of a normalised offset."""
        return self._start + offset + bisect_right(self._at, offset - 1)


_CLOSERS = {
    "variable_begin": "variable_end",
    "block_begin": "block_end",
    "comment_begin": "comment_end",
}
_STARTS = frozenset({"data", *_CLOSERS})


class OffsetStream(TokenStream):
    """A token stream that knows where the last consumed token ended."""

    def __init__(self, tokens: Iterator[Token], ends: dict[int, int]) -> None:
        self.last_end = 0
        self._ends = ends
        super().__init__(tokens, None, None)

    def __next__(self) -> Token:
        token = super().__next__()
        self.last_end = self._ends.get(token.lineno, self.last_end)
        return token


class OffsetEnvironment(Environment):
    """An environment whose tokens carry offsets; one use a template."""

    def __init__(self) -> None:
        super().__init__(keep_trailing_newline=True, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
        self.lexed = Lexed()
        self.tokens: list[tuple[int, str, str]] = []

    def lex_into(self, text: str, newlines: Newlines) -> None:
        """Read all of `text`. Raises TemplateSyntaxError whose `lineno` is an offset; what was read stays."""
        self.lexed = Lexed()
        self.tokens = []
        for token in self._with_offsets(text, newlines):
            self.tokens.append(token)

    def _with_offsets(self, text: str, newlines: Newlines) -> Iterator[tuple[int, str, str]]:
        items, ends, original = self.lexed.items, self.lexed.token_ends, newlines.original
        cursor, covered, opened = 0, original(0), ""
        try:
            for _, kind, value in self.lexer.tokeniter(text, None):
                # Only white space that a tag's "-" swallowed can stand between a token and the next.
                while not text.startswith(value, cursor):
                    cursor += 1
                begin, cursor = original(cursor), cursor + len(value)
                end = original(cursor)
                ends[begin] = end
                if kind in _STARTS and begin > covered:
                    items.append(Item("raw", Span(covered, begin)))
                    covered = begin
                if kind == "data":
                    items.append(Item("data", Span(begin, end), value))
                    covered = end
                elif kind in _CLOSERS:
                    opened = kind
                elif opened and kind == _CLOSERS[opened]:
                    # The closing token also holds the white space that it swallows.
                    covered_to = original(cursor - len(value) + len(value.rstrip()))
                    items.append(Item(opened.removesuffix("_begin"), Span(covered, covered_to)))
                    covered, opened = covered_to, ""
                yield begin, kind, value
        except TemplateSyntaxError as error:
            error.lineno = original(min(cursor + _blank(text, cursor), len(text)))
            raise
        finally:
            end = original(len(text))
            if covered < end:
                items.append(Item("raw", Span(covered, end)))

    def _tokenize(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> OffsetStream:
        return OffsetStream(self.lexer.wrap(iter(self.tokens), name, filename), self.lexed.token_ends)


def _blank(text: str, at: int) -> int:
    return len(text) - at - len(text[at:].lstrip())
