"""Long rows of branches: `elif`, `else if`, and the cases of a switch."""

from __future__ import annotations

from collections.abc import Sequence

from promptlint.expression import Expression
from promptlint.program import If, Statement
from promptlint.source import Span

_DEEPEST = 50
"""Branches in one another. More stand one behind the other: Python's own stack is the limit of what walks them."""

Branch = tuple[Expression | None, tuple[Statement, ...], Span]


def branched(branches: Sequence[Branch], otherwise: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Branches of which one is taken, each in the other one's `otherwise`."""
    rows: list[Statement] = []
    for first in range(0, len(branches), _DEEPEST):
        row = otherwise if first + _DEEPEST >= len(branches) else ()
        for test, body, span in reversed(branches[first : first + _DEEPEST]):
            row = (If(test, body, row, span),)
        rows.extend(row)
    return tuple(rows) if branches else otherwise
