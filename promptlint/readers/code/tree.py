"""A parsed program with positions in characters."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from pathlib import PurePath
from typing import TYPE_CHECKING

from promptlint.program import PYTHON_SUFFIXES, Assign, Define, Function, FunctionParameter, Statement
from promptlint.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_DEEPEST = 100
"""Nested deeper than this, an expression is unknown: Python's own stack is the limit."""


_TYPESCRIPT = frozenset({".ts", ".mts", ".cts"})


def grammar_of(path: str) -> str:
    """The grammar that a program's name asks for: "python", "typescript", "tsx" or "javascript"."""
    suffix = PurePath(path).suffix.lower()
    if suffix in PYTHON_SUFFIXES:
        return "python"
    return "typescript" if suffix in _TYPESCRIPT else "tsx" if suffix == ".tsx" else "javascript"


@cache
def parser(language: str) -> Parser:
    """The parser of a language: "python", "typescript", "tsx" or "javascript"."""
    from tree_sitter import Language, Parser

    if language == "python":
        import tree_sitter_python

        return Parser(Language(tree_sitter_python.language()))
    if language == "javascript":
        import tree_sitter_javascript

        return Parser(Language(tree_sitter_javascript.language()))
    import tree_sitter_typescript

    grammar = tree_sitter_typescript.language_tsx if language == "tsx" else tree_sitter_typescript.language_typescript
    return Parser(Language(grammar()))


_FIRST = bytes(byte & 0xC0 != 0x80 for byte in range(256))
"""For each byte of UTF-8, 1 where a character begins with it and 0 where it goes on."""


class Offsets:
    """Byte offsets of a text as UTF-8 to offsets in characters."""

    def __init__(self, text: str) -> None:
        self.data = text.encode("utf-8", "replace")
        self._table: Sequence[int] | None = None
        if len(self.data) != len(text):
            self._table = array("L", accumulate(self.data.translate(_FIRST), initial=0))

    def __getitem__(self, byte: int) -> int:
        return byte if self._table is None else self._table[byte]


@dataclass(slots=True)
class Reading:
    """What is known while one program is read.

    `pending` are statements that an expression needs before its own statement: an anonymous function's definition,
    an assignment inside an expression.
    """

    text: str
    offsets: Offsets
    pending: list[Statement] = field(default_factory=list)
    depth: int = 0

    def span(self, node: Node) -> Span:
        return Span(self.offsets[node.start_byte], self.offsets[node.end_byte])

    def between(self, first: Node, last: Node) -> Span:
        """From the start of one node to the end of another."""
        return Span(self.offsets[first.start_byte], self.offsets[last.end_byte])

    def of(self, node: Node) -> str:
        """The node's text."""
        return self.text[self.offsets[node.start_byte] : self.offsets[node.end_byte]]

    def operands(self, node: Node, *signs: str) -> list[Node]:
        """What stands between operators of one rank, in one row; the node alone when it has none of them.

        `a + b + c` nests to the left, and may be longer than anything can nest.
        """
        found: list[Node] = []
        while (sign := field_of(node, "operator")) is not None and self.of(sign) in signs:
            left, right = field_of(node, "left"), field_of(node, "right")
            if left is None or right is None:
                break
            found.append(right)
            node = left
        return [node, *reversed(found)]

    def take_pending(self, after: int = 0) -> tuple[Statement, ...]:
        """The pending statements from an index on, taken off."""
        taken = tuple(self.pending[after:])
        del self.pending[after:]
        return taken

    def define(self, parameters: tuple[FunctionParameter, ...], body: tuple[Statement, ...], span: Span) -> str:
        """Give an anonymous function a name of its own, which is returned."""
        name = f"<function@{span.start}>"
        self.pending.append(Define(Function(name, parameters, body, span)))
        return name

    def assign(self, statement: Assign) -> None:
        self.pending.append(statement)

    def is_too_deep(self) -> bool:
        return self.depth > _DEEPEST


def named(node: Node) -> Iterator[Node]:
    """The named children without comments."""
    return (child for child in node.named_children if child.type != "comment")


def field_of(node: Node, name: str) -> Node | None:
    return node.child_by_field_name(name)
