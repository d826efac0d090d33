"""One TypeScript or JavaScript program that is being read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from promptlint.expression import Expression, Unknown
from promptlint.program import Statement
from promptlint.readers.code.tree import Reading, named

if TYPE_CHECKING:
    from tree_sitter import Node

Body = tuple[Statement, ...]

_WRAPPERS = frozenset({"ERROR", "statement_block", "program"})
_BLOCKS = frozenset({"statement_block", "else_clause", "finally_clause"})
_HOISTED = frozenset({"function_declaration", "generator_function_declaration"})


@dataclass(slots=True)
class ScriptReading(Reading):
    """`values` and `steps` say how each kind of node is read as an expression and as statements.

    They are given from outside because the two hold each other: a statement has values, a function is a value that has
    statements.
    """

    values: Mapping[str, Callable[[Node, ScriptReading], Expression]] = field(kw_only=True)
    steps: Mapping[str, Callable[[Node, ScriptReading], Iterator[Statement]]] = field(kw_only=True)

    def value(self, node: Node) -> Expression:
        """The node's expression; `Unknown` around what it is made of where the language has nothing closer."""
        self.depth += 1
        try:
            if self.is_too_deep() or node.is_missing:
                return Unknown((), self.span(node))
            read = self.values.get(node.type)
            return self.unknown(node) if read is None else read(node, self)
        finally:
            self.depth -= 1

    def unknown(self, node: Node) -> Unknown:
        return Unknown(tuple(self.value(child) for child in named(node)), self.span(node))

    def statements(self, nodes: Iterable[Node]) -> Body:
        """Statements in order, functions first; of what cannot be read the parts that can be are."""
        outer, self.pending = self.pending, []
        self.depth += 1
        found: list[Statement] = []
        try:
            for node in () if self.is_too_deep() else sorted(nodes, key=_stands_below_functions):
                read = self.steps.get(node.type)
                if read is not None:
                    read_now = tuple(read(node, self))
                    found.extend((*self.take_pending(), *read_now))
                elif node.type in _WRAPPERS:
                    found.extend(self.statements(named(node)))
        finally:
            self.pending = outer
            self.depth -= 1
        return tuple(found)

    def block(self, node: Node | None) -> Body:
        """The statements of a block, or of the one statement that stands in a block's place."""
        if node is None:
            return ()
        return self.statements(named(node) if node.type in _BLOCKS else (node,))

    def plain(self, node: Node) -> str:
        """The node's text, a string's without its quotes: a module's path, a key."""
        return self.of(node).strip("'\"") if node.type == "string" else self.of(node)

    def is_marked(self, node: Node, *words: str) -> bool:
        """Whether one of the words stands in the node by itself: `static`, `get`, `default`, `type`."""
        return any(child.type in words for child in node.children)


def _stands_below_functions(node: Node) -> bool:
    """A function declaration counts from the start of its block on."""
    if node.type == "export_statement":
        node = node.child_by_field_name("declaration") or node
    return node.type not in _HOISTED


def inner(node: Node) -> Node | None:
    return next(named(node), None)


def written(node: Node) -> Node:
    """What stands in parentheses, under a type, or is waited for."""
    while node.type in TRANSPARENT:
        parts = list(named(node))
        if not parts:
            break
        node = parts[-1] if node.type == "type_assertion" else parts[0]
    return node


TRANSPARENT = frozenset(
    {
        "parenthesized_expression",
        "await_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "type_assertion",
        "instantiation_expression",
    }
)
"""Nodes around a value that leave it as it is."""
