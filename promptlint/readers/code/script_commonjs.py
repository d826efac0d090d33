"""CommonJS: `require`, `module.exports` and `exports.name`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from promptlint.expression import Name
from promptlint.program import ImportFrom, Statement
from promptlint.readers.code.script_functions import given
from promptlint.readers.code.script_reading import ScriptReading, inner, written
from promptlint.readers.code.tree import field_of, named

if TYPE_CHECKING:
    from tree_sitter import Node

NAMED = frozenset({"identifier", "type_identifier", "shorthand_property_identifier"})
"""Values that are known under a name of their own."""


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


def common_export(node: Node, reading: ScriptReading) -> Iterator[Statement] | None:
    """What `module.exports = value` and `exports.name = value` give values to; None for another assignment."""
    name = _exported_as(node, reading)
    return None if name is None else _values(node, name, reading)


def common_names(node: Node, reading: ScriptReading) -> Iterator[tuple[str, str]]:
    """Exported and own name of what a statement exports under a name."""
    assignment = inner(node)
    exported = None if assignment is None else _exported_as(assignment, reading)
    if assignment is not None and exported is not None:
        for key, value in _pairs(assignment, exported, reading):
            if value.type in NAMED:
                yield _name(key, reading), reading.of(value)


def _pattern_names(pattern: Node, reading: ScriptReading) -> Iterator[tuple[str, str]]:
    for part in named(pattern):
        name = field_of(part, "key") or field_of(part, "left") or part
        local = field_of(part, "value") or name
        if local.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield reading.plain(name), reading.of(local)


def _required_module(node: Node, reading: ScriptReading) -> str | None:
    function, arguments = field_of(node, "function"), field_of(node, "arguments")
    if node.type != "call_expression" or function is None or arguments is None:
        return None
    if reading.of(function) not in ("require", "import"):
        return None
    name = inner(arguments)
    return reading.plain(name) if name is not None and name.type == "string" else None


def _exported_as(node: Node, reading: ScriptReading) -> str | None:
    """The name that an assignment exports, "" for the whole of `module.exports`; None when it exports nothing."""
    left = field_of(node, "left")
    if node.type != "assignment_expression" or left is None or left.type != "member_expression":
        return None
    path = reading.of(left).removeprefix("module.").split(".")
    if path[0] != "exports" or len(path) > 2:
        return None
    return path[1] if len(path) == 2 else ""


def _pairs(node: Node, name: str, reading: ScriptReading) -> Iterator[tuple[Node, Node]]:
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
        key, held = field_of(entry, "key") or field_of(entry, "name"), field_of(entry, "value") or entry
        if entry.type == "shorthand_property_identifier":
            yield entry, entry
        elif key is not None and key.type in ("property_identifier", "string"):
            yield key, held


def _is_nothing(node: Node, reading: ScriptReading) -> bool:
    return node.type == "undefined" or (node.type == "unary_expression" and reading.of(node).startswith("void "))


def _name(key: Node, reading: ScriptReading) -> str:
    """`module.exports` is the default."""
    name = reading.plain(key)
    return "default" if name == "exports" else name


def _values(node: Node, name: str, reading: ScriptReading) -> Iterator[Statement]:
    for key, value in _pairs(node, name, reading):
        if value.type not in NAMED:
            yield from given(Name(_name(key, reading), reading.span(key)), value, reading.span(value), reading)
