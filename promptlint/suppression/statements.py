"""Statements of a program, for comments that speak of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from promptlint.program import Assign, Augment, Class, Define, Do, For, Function, If, Return, Statement, Yield
from promptlint.source import Span


def statements(body: Iterable[Statement]) -> Iterator[Span]:
    """Simple statements, however deep: one that holds others is too much for a comment."""
    waiting = list(body)
    while waiting:
        match waiting.pop():
            case If(body=inner, otherwise=otherwise):
                waiting.extend((*inner, *otherwise))
            case For(body=inner) | Define(what=Function(body=inner) | Class(body=inner)):
                waiting.extend(inner)
            case Assign(span=span) | Augment(span=span) | Do(span=span) | Return(span=span) | Yield(span=span):
                yield span


def statement_at(body: Iterable[Statement], offset: int) -> Span | None:
    """The smallest simple statement that holds an offset."""
    around = [span for span in statements(body) if span.start <= offset < span.end]
    return min(around, key=lambda span: span.end - span.start, default=None)
