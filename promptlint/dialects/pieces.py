"""Pieces in the order of the text, without gaps or overlaps."""

from __future__ import annotations

import re
from collections.abc import Callable

from promptlint.expression import Attribute, Expression, Index, Literal, Unknown
from promptlint.source import Span
from promptlint.template import Emit, Piece, PieceKind, Problem, Template

_BRACE = re.compile(r"[{}]")

LONGEST_PATH = 50
"""Steps of a dotted path that are kept; a longer one is Unknown, since readers of expressions recurse."""


class PieceList:
    """Pieces of text[start:end]; every call goes on where the last one ended."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._source = text
        self._start = start
        self._end = end
        self._pieces: list[Piece] = []
        self.at = start

    def text(self, end: int, written: str | None = None) -> int | None:
        """Add literal text up to `end`; None when there is none."""
        if end <= self.at:
            return None
        return self._add(PieceKind.TEXT, end, self._source[self.at : end] if written is None else written)

    def hole(self, end: int, expression: Expression) -> int:
        return self._add(PieceKind.HOLE, end, expression=expression)

    def markup(self, end: int) -> None:
        if end > self.at:
            self._add(PieceKind.MARKUP, end)

    def all(self) -> tuple[Piece, ...]:
        """Every piece; they must cover the text."""
        assert self.at == self._end
        assert all(
            left.span.end == right.span.start for left, right in zip(self._pieces, self._pieces[1:], strict=False)
        )
        assert not self._pieces or self._pieces[0].span.start == self._start
        return tuple(self._pieces)

    def template(self, dialect: str, problems: tuple[Problem, ...] = ()) -> Template:
        """A template that writes every piece but markup, in order."""
        pieces = self.all()
        body = tuple(Emit(at) for at, piece in enumerate(pieces) if piece.kind is not PieceKind.MARKUP)
        return Template(dialect, pieces, body, problems)

    def _add(self, kind: PieceKind, end: int, written: str = "", expression: Expression | None = None) -> int:
        self._pieces.append(Piece(kind, Span(self.at, end), written, expression))
        self.at = end
        return len(self._pieces) - 1


def cut_at_braces(text: str, start: int, end: int, read: Callable[[int], tuple[int, Expression | str]]) -> PieceList:
    """Pieces of text[start:end], in which only a brace can begin anything but literal text.

    `read` is asked at each brace, in order, and says where what begins there ends, with the value that fills a hole or
    the text that is written.
    """
    pieces = PieceList(text, start, end)
    at = start
    while brace := _BRACE.search(text, at, end):
        at, found = read(brace.start())
        if not isinstance(found, str):
            pieces.text(brace.start())
            pieces.hole(at, found)
        elif found != text[brace.start() : at]:
            pieces.text(brace.start())
            pieces.text(at, found)
    pieces.text(end)
    return pieces


def follow(head: Expression, steps: list[tuple[Span, str, bool]]) -> Expression:
    """`head` followed by steps (span, text, whether in brackets); spans run from the head's start."""
    start = head.span.start
    if len(steps) > LONGEST_PATH:
        return Unknown((head,), Span(start, steps[-1][0].end))
    for span, step, bracketed in steps:
        if bracketed:
            key = Literal(int(step) if step.isdecimal() and len(step) < 10 else step, span)
            head = Index(head, key, Span(start, span.end + 1))
        else:
            head = Attribute(head, step, Span(start, span.end))
    return head
