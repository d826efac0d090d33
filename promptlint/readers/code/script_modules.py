"""What a TypeScript or JavaScript file takes from others and hands on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from promptlint.expression import Name
from promptlint.program import Assign, ImportFrom, Statement
from promptlint.readers.code.script_commonjs import NAMED, common_names
from promptlint.readers.code.script_functions import class_definition, decorating, given
from promptlint.readers.code.script_reading import ScriptReading, inner
from promptlint.readers.code.tree import field_of, named

if TYPE_CHECKING:
    from tree_sitter import Node

_Names = tuple[tuple[str, str], ...]


def import_statement(node: Node, reading: ScriptReading) -> Iterator[Statement]:
    if reading.is_marked(node, "type", "typeof"):
        return
    span = reading.span(node)
    required = next((child for child in named(node) if child.type == "import_require_clause"), None)
    source = field_of(node if required is None else required, "source")
    if source is None:
        return
    module = reading.plain(source)
    if required is not None:
        name = inner(required)
        if name is not None:
            yield ImportFrom(module, span, alias=reading.of(name))
        return
    names: list[tuple[str, str]] = []
    for clause in (part for child in named(node) if child.type == "import_clause" for part in named(child)):
        within = inner(clause)
        if clause.type == "identifier":
            names.append(("default", reading.of(clause)))
        elif clause.type == "namespace_import" and within is not None:
            yield ImportFrom(module, span, alias=reading.of(within))
        elif clause.type == "named_imports":
            names.extend(_specified(clause, reading))
    if names:
        yield ImportFrom(module, span, tuple(names))


def import_alias(node: Node, reading: ScriptReading) -> Iterator[Statement]:
    """`import A = B.C`."""
    parts = list(named(node))
    if len(parts) == 2:
        yield Assign(reading.value(parts[0]), reading.value(parts[1]), reading.span(node))


def export_statement(node: Node, reading: ScriptReading) -> Iterator[Statement]:
    source, declaration, value = (field_of(node, name) for name in ("source", "declaration", "value"))
    if source is not None:
        yield from _handed_on(node, source, reading)
    elif declaration is not None and declaration.type.endswith("class_declaration"):
        yield from class_definition(declaration, reading, decorating(node, reading))
    elif declaration is not None:
        yield from reading.statements((declaration,))
    else:
        value = value or _assigned(node)
        if value is not None and value.type != "identifier":
            word = next((child for child in node.children if child.type in ("default", "=")), node)
            yield from given(Name("default", reading.span(word)), value, reading.span(node), reading)


def exports(nodes: Iterable[Node], reading: ScriptReading) -> _Names:
    """Names under which other modules know what this one calls otherwise."""
    return tuple(pair for node in nodes for pair in _exports(node, reading) if pair[0] != pair[1])


def _exports(node: Node, reading: ScriptReading) -> Iterator[tuple[str, str]]:
    if node.type == "expression_statement":
        yield from common_names(node, reading)
        return
    if node.type != "export_statement" or field_of(node, "source") is not None or reading.is_marked(node, "type"):
        return
    declaration, value = field_of(node, "declaration"), field_of(node, "value") or _assigned(node)
    named_by = field_of(declaration, "name") if declaration is not None else value
    if named_by is not None and named_by.type in NAMED and reading.is_marked(node, "default", "="):
        yield "default", reading.of(named_by)
    for clause in named(node):
        if clause.type == "export_clause":
            yield from ((alias, local) for local, alias in _specified(clause, reading))


def _assigned(node: Node) -> Node | None:
    """The value of TypeScript's `export = value`."""
    signs = [at for at, child in enumerate(node.children) if child.type == "="]
    return next((child for child in node.children[signs[0] + 1 :] if child.is_named), None) if signs else None


def _handed_on(node: Node, source: Node, reading: ScriptReading) -> Iterator[Statement]:
    if reading.is_marked(node, "type"):
        return
    module, span = reading.plain(source), reading.span(node)
    for child in node.children:
        within = inner(child) if child.is_named else None
        if child.type == "*":
            yield ImportFrom(module, span, (("*", "*"),), exported=True)
        elif child.type == "namespace_export" and within is not None:
            yield ImportFrom(module, span, alias=reading.of(within), exported=True)
        elif child.type == "export_clause":
            names = tuple(_specified(child, reading))
            if names:
                yield ImportFrom(module, span, names, exported=True)


def _specified(clause: Node, reading: ScriptReading) -> Iterator[tuple[str, str]]:
    """(name, alias) of what stands between braces, without types."""
    for specifier in named(clause):
        name, alias = field_of(specifier, "name"), field_of(specifier, "alias")
        if name is not None and not reading.is_marked(specifier, "type", "typeof"):
            yield reading.plain(name), reading.plain(alias or name)
