"""Patterns that take a value apart: `const { a, b: [c] } = value`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from promptlint.expression import Attribute, Choice, Expression, Index, Literal, Name, Series, Spread, Unknown
from promptlint.program import Assign
from promptlint.readers.code.script_reading import ScriptReading, inner
from promptlint.readers.code.tree import field_of, named
from promptlint.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

APART = frozenset({"object_pattern", "array_pattern"})
_LOCAL_NAMES = frozenset({"identifier", "shorthand_property_identifier_pattern"})
_WITH_DEFAULT = frozenset({"assignment_pattern", "object_assignment_pattern"})
_WHOLE = _LOCAL_NAMES | {"member_expression", "subscript_expression", "non_null_expression"}


def assigned(pattern: Node, value: Expression, span: Span, reading: ScriptReading) -> Iterator[Assign]:
    """What a target gets of a value: one assignment for each name of an object, one for a whole array."""
    reading.depth += 1
    try:
        if reading.is_too_deep() or pattern.is_missing:
            return
        if pattern.type == "object_pattern":
            for part in named(pattern):
                yield from _of_object(part, value, reading)
        elif pattern.type == "array_pattern":
            yield from _of_array(pattern, value, span, reading)
        elif pattern.type in _WITH_DEFAULT:
            left, right = field_of(pattern, "left"), field_of(pattern, "right")
            if left is not None:
                yield from assigned(left, _or_default(value, right, pattern, reading), span, reading)
        elif pattern.type == "rest_pattern":
            rest = inner(pattern)
            if rest is not None:
                yield from assigned(rest, value, span, reading)
        else:
            target = reading.value(pattern)
            if not (isinstance(target, Name) and isinstance(value, Name) and target.id == value.id):
                yield Assign(target, value, span)
    finally:
        reading.depth -= 1


def local_names(pattern: Node, reading: ScriptReading) -> Iterator[str]:
    """Names that the pattern gives values to, in order."""
    left = [pattern]
    while left:
        node = left.pop()
        if node.type in _LOCAL_NAMES:
            yield reading.of(node)
        elif node.type in _WITH_DEFAULT:
            left.extend(found for found in (field_of(node, "left"),) if found is not None)
        elif node.type == "pair_pattern":
            left.extend(found for found in (field_of(node, "value"),) if found is not None)
        elif node.type in APART or node.type == "rest_pattern":
            left.extend(reversed(list(named(node))))


def key(node: Node, reading: ScriptReading) -> Expression:
    """The key of an object's entry, member or pattern."""
    span = reading.span(node)
    match node.type:
        case "computed_property_name" if (computed := inner(node)) is not None:
            return reading.value(computed)
        case "string":
            return reading.value(node)
    return Literal(reading.of(node), span)


def _of_object(part: Node, value: Expression, reading: ScriptReading) -> Iterator[Assign]:
    span = reading.span(part)
    match part.type:
        case "pair_pattern":
            name, target = field_of(part, "key"), field_of(part, "value")
            if name is not None and target is not None:
                yield from assigned(target, _member(value, name, reading), span, reading)
        case "object_assignment_pattern":
            left = field_of(part, "left")
            if left is not None:
                given = _or_default(_member(value, left, reading), field_of(part, "right"), part, reading)
                yield from assigned(left, given, span, reading)
        case "rest_pattern":
            yield from assigned(part, value, span, reading)
        case _:
            yield from assigned(part, _member(value, part, reading), span, reading)


def _member(value: Expression, name: Node, reading: ScriptReading) -> Expression:
    span = reading.span(name)
    if name.type in ("computed_property_name", "string", "number"):
        return Index(value, key(name, reading), span)
    return Attribute(value, reading.of(name), span)


def _or_default(value: Expression, default: Node | None, pattern: Node, reading: ScriptReading) -> Expression:
    if default is None:
        return value
    return Choice(None, (value, reading.value(default)), reading.span(pattern))


def _of_array(pattern: Node, value: Expression, span: Span, reading: ScriptReading) -> Iterator[Assign]:
    """Names stand in one series; an item that is itself taken apart, or has a default, is assigned by its index."""
    targets: list[Expression] = []
    apart: list[Assign] = []
    for at, item in _items(pattern):
        here = reading.span(item) if item is not None else Span(reading.span(pattern).end, reading.span(pattern).end)
        target: Expression = Unknown((), here)
        rest = inner(item) if item is not None and item.type == "rest_pattern" else None
        if rest is not None and rest.type in _WHOLE:
            target = Spread(reading.value(rest), here)
        elif item is not None and item.type in _WHOLE:
            target = reading.value(item)
        elif item is not None:
            apart.extend(assigned(item, Index(value, Literal(at, here), here), here, reading))
        targets.append(target)
    if any(not isinstance(target, Unknown) for target in targets):
        yield Assign(Series(tuple(targets), reading.span(pattern)), value, span)
    yield from apart


def _items(pattern: Node) -> Iterator[tuple[int, Node | None]]:
    """Items with their index; None where nothing is taken: `[, second]`."""
    at, item = 0, None
    for child in pattern.children:
        if child.type == ",":
            yield at, item
            at, item = at + 1, None
        elif child.is_named and child.type != "comment":
            item = child
    if item is not None:
        yield at, item
