"""What a TypeScript or JavaScript file takes from others and hands on, as ES and CommonJS modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from promptlint.expression import Name
from promptlint.program import Assign, ImportFrom, Statement
from promptlint.readers.code.script_functions import anonymous, class_definition, decorating
from promptlint.readers.code.script_reading import ScriptReading, inner, written
from promptlint.readers.code.tree import field_of, named

if TYPE_CHECKING:
    from tree_sitter import Node

_Names = tuple[tuple[str, str], ...]
_NAMED = frozenset({"identifier", "type_identifier", "shorthand_property_identifier"})


def import_statement(node: Node, reading: ScriptReading) -> Iterator[Statement]:
    if reading.is_marked(node, "type", "typeof"):
        return
    span = reading.span(node)
    required = next((child for child in named(node) if child.type == "import_require_clause"), None)
    source = field_of(node if required is None else required, "source")
    if source is None:
        return
    module = _plain(source, reading)
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


def required(node: Node, reading: ScriptReading) -> ImportFrom | None:
    """A declaration whose value is another module, or one name out of it: `const a = require("./a").b`."""
    target, value = field_of(node, "name"), field_of(node, "value")
    if target is None or value is None:
        return None
    value, span = written(value), reading.span(node)
    taken = field_of(value, "property") if value.type == "member_expression" else None
    owner = field_of(value, "object") if taken is not None else value
    module = None if owner is None else _required_module(written(owner), reading)
    if module is None:
        return None
    if taken is not None:
        whole = target.type == "identifier"
        return ImportFrom(module, span, ((reading.of(taken), reading.of(target)),)) if whole else None
    if target.type == "identifier":
        return ImportFrom(module, span, alias=reading.of(target))
    names = tuple(_pattern_names(target, reading)) if target.type == "object_pattern" else ()
    return ImportFrom(module, span, names) if names else None


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
            given, word = reading.value(value), next(c for c in node.children if c.type in ("default", "="))
            yield from reading.take_pending()
            yield Assign(Name("default", reading.span(word)), given, reading.span(node))


def common_export(node: Node, reading: ScriptReading) -> Iterator[Statement] | None:
    """What `module.exports = value` and `exports.name = value` give values to; None for another assignment."""
    name = _exported_as(node, reading)
    return None if name is None else _common_values(node, name, reading)


def exports(nodes: Iterable[Node], reading: ScriptReading) -> _Names:
    """Names under which other modules know what this one calls otherwise."""
    return tuple(pair for node in nodes for pair in _exports(node, reading) if pair[0] != pair[1])


def _exports(node: Node, reading: ScriptReading) -> Iterator[tuple[str, str]]:
    if node.type == "expression_statement":
        assignment = inner(node)
        name = _exported_as(assignment, reading) if assignment is not None else None
        if assignment is not None and name is not None:
            for key, given in _common_pairs(assignment, name, reading):
                if given.type in _NAMED:
                    yield _common_name(key, reading), reading.of(given)
        return
    if node.type != "export_statement" or field_of(node, "source") is not None or reading.is_marked(node, "type"):
        return
    declaration, value = field_of(node, "declaration"), field_of(node, "value") or _assigned(node)
    named_by = field_of(declaration, "name") if declaration is not None else value
    if named_by is not None and named_by.type in _NAMED and reading.is_marked(node, "default", "="):
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
    module, span = _plain(source, reading), reading.span(node)
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
            yield _plain(name, reading), _plain(alias or name, reading)


def _pattern_names(pattern: Node, reading: ScriptReading) -> Iterator[tuple[str, str]]:
    for part in named(pattern):
        name = field_of(part, "key") or field_of(part, "left") or part
        local = field_of(part, "value") or name
        if local.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield _plain(name, reading), reading.of(local)


def _required_module(node: Node, reading: ScriptReading) -> str | None:
    function, arguments = field_of(node, "function"), field_of(node, "arguments")
    if node.type != "call_expression" or function is None or arguments is None:
        return None
    if reading.of(function) not in ("require", "import"):
        return None
    name = inner(arguments)
    return _plain(name, reading) if name is not None and name.type == "string" else None


def _exported_as(node: Node, reading: ScriptReading) -> str | None:
    """The name that an assignment exports, "" for the whole of `module.exports`; None when it exports nothing."""
    left = field_of(node, "left")
    if node.type != "assignment_expression" or left is None or left.type != "member_expression":
        return None
    path = reading.of(left).removeprefix("module.").split(".")
    if path[0] != "exports" or len(path) > 2:
        return None
    return path[1] if len(path) == 2 else ""


def _common_pairs(node: Node, name: str, reading: ScriptReading) -> Iterator[tuple[Node, Node]]:
    """The keys and values that an assignment exports."""
    left, value = field_of(node, "left"), field_of(node, "right")
    whole = None if left is None else field_of(left, "property")
    if whole is None or value is None:
        return
    value = written(value)
    if value.type == "assignment_expression" or _is_nothing(value, reading):
        # Compilers begin with `exports.a = exports.b = void 0`.
        return
    if name or value.type != "object":
        yield whole, value
        return
    for entry in named(value):
        key, given = field_of(entry, "key") or field_of(entry, "name"), field_of(entry, "value") or entry
        if entry.type == "shorthand_property_identifier":
            yield entry, entry
        elif key is not None and key.type in ("property_identifier", "string"):
            yield key, given


def _is_nothing(node: Node, reading: ScriptReading) -> bool:
    return node.type == "undefined" or (node.type == "unary_expression" and reading.of(node).startswith("void "))


def _common_name(key: Node, reading: ScriptReading) -> str:
    """`module.exports` is the default."""
    name = _plain(key, reading)
    return "default" if name == "exports" else name


def _common_values(node: Node, name: str, reading: ScriptReading) -> Iterator[Statement]:
    for key, value in _common_pairs(node, name, reading):
        if value.type not in _NAMED:
            given = anonymous(value, reading) if value.type == "method_definition" else reading.value(value)
            yield from reading.take_pending()
            yield Assign(Name(_common_name(key, reading), reading.span(key)), given, reading.span(value))


def _plain(node: Node, reading: ScriptReading) -> str:
    return reading.of(node).strip("'\"") if node.type == "string" else reading.of(node)
