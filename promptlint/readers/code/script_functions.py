"""Functions and classes of TypeScript and JavaScript."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from promptlint.expression import Attribute, Expression, Literal, Name
from promptlint.program import (
    Assign,
    Class,
    Define,
    Function,
    FunctionParameter,
    ParameterKind,
    Return,
    Statement,
)
from promptlint.readers.code.script_patterns import APART, assigned, local_names
from promptlint.readers.code.script_reading import Body, ScriptReading, inner, written
from promptlint.readers.code.tree import field_of, named
from promptlint.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "method_definition"})
_Decorators = tuple[Expression, ...]


def anonymous(node: Node, reading: ScriptReading) -> Expression:
    """The name of a function that is written as a value."""
    parameters, body = _signature(node, reading)
    span = reading.span(node)
    return Name(reading.define(parameters, body, span), span)


def anonymous_class(node: Node, reading: ScriptReading) -> Expression:
    """The name of a class that is written as a value."""
    span = reading.span(node)
    name = f"<class@{span.start}>"
    reading.pending.append(Define(Class(name, _bases(node, reading), _members(node, reading), span)))
    return Name(name, span)


def given(name: Name, value: Node, span: Span, reading: ScriptReading) -> Iterator[Statement]:
    """What a name is given; a function or class is known by that name, as a declared one is."""
    value = written(value)
    if value.type in _FUNCTIONS:
        parameters, body = _signature(value, reading)
        yield Define(Function(name.id, parameters, body, name.span))
        return
    if value.type == "class":
        yield Define(Class(name.id, _bases(value, reading), _members(value, reading), name.span))
        return
    found = reading.value(value)
    yield from reading.take_pending()
    if not (isinstance(found, Name) and found.id == name.id):
        yield Assign(name, found, span)


def function(node: Node, reading: ScriptReading) -> Iterator[Statement]:
    name = field_of(node, "name")
    if name is not None:
        parameters, body = _signature(node, reading)
        yield Define(Function(reading.of(name), parameters, body, reading.span(name)))


def class_definition(node: Node, reading: ScriptReading, outer: _Decorators = ()) -> Iterator[Statement]:
    name = field_of(node, "name")
    if name is None:
        return
    decorators = (*outer, *decorating(node, reading))
    bases, body = _bases(node, reading), _members(node, reading)
    yield Define(Class(reading.of(name), bases, body, reading.span(name), decorators))


def class_body(node: Node, reading: ScriptReading) -> Iterator[Statement]:
    """Members in order; TypeScript's decorators stand before their member, JavaScript's in it."""
    decorators: _Decorators = ()
    for member in named(node):
        if member.type == "decorator":
            decorators = (*decorators, *_decorator(member, reading))
            continue
        if member.type == "method_definition":
            yield from method(member, reading, decorators)
        elif member.type in ("field_definition", "public_field_definition"):
            yield from _field(member, reading)
        else:
            yield from reading.statements((member,))
        decorators = ()


def static_block(node: Node, reading: ScriptReading) -> Iterator[Statement]:
    yield from reading.block(field_of(node, "body"))


def enum(node: Node, reading: ScriptReading) -> Iterator[Statement]:
    """A class with a value for each member; one that is not given counts on."""
    name, body = field_of(node, "name"), field_of(node, "body")
    if name is None or body is None:
        return
    members: list[Statement] = []
    for at, member in enumerate(named(body)):
        key, value = field_of(member, "name") or member, field_of(member, "value")
        span = reading.span(member)
        number = Literal(at, span) if value is None else reading.value(value)
        members.append(Assign(Name(reading.plain(key), reading.span(key)), number, span))
    yield Define(Class(reading.of(name), (), tuple(members), reading.span(name)))


def decorating(node: Node, reading: ScriptReading) -> _Decorators:
    return tuple(found for child in node.children_by_field_name("decorator") for found in _decorator(child, reading))


def _decorator(node: Node, reading: ScriptReading) -> _Decorators:
    called = inner(node)
    return () if called is None else (reading.value(called),)


def method(node: Node, reading: ScriptReading, outer: _Decorators = ()) -> Iterator[Statement]:
    """A getter and a setter are decorated as Python's are, so that both are read in one way."""
    decorators = (*outer, *decorating(node, reading))
    key = field_of(node, "name")
    if key is None:
        return
    name, span = reading.plain(key), reading.span(key)
    if reading.is_marked(node, "get"):
        decorators = (*decorators, Name("property", span))
    elif reading.is_marked(node, "set"):
        decorators = (*decorators, Attribute(Name(name, span), "setter", span))
    parameters, body = _signature(node, reading)
    yield Define(Function("__init__" if name == "constructor" else name, parameters, body, span, decorators))


def _field(node: Node, reading: ScriptReading) -> Iterator[Statement]:
    key, value = field_of(node, "name") or field_of(node, "property"), field_of(node, "value")
    if key is None or value is None or key.type == "computed_property_name":
        return
    yield from given(Name(reading.plain(key), reading.span(key)), value, reading.span(node), reading)


def _bases(node: Node, reading: ScriptReading) -> tuple[Expression, ...]:
    heritage = next((child for child in named(node) if child.type == "class_heritage"), None)
    found: list[Expression] = []
    for child in named(heritage) if heritage is not None else ():
        if child.type == "extends_clause":
            found.extend(reading.value(value) for value in child.children_by_field_name("value"))
        elif child.type != "implements_clause":
            found.append(reading.value(child))
    return tuple(found)


def _members(node: Node, reading: ScriptReading) -> Body:
    return reading.block(field_of(node, "body"))


def _signature(node: Node, reading: ScriptReading) -> tuple[tuple[FunctionParameter, ...], Body]:
    """Parameters and body; the body begins with what the parameters need."""
    before = len(reading.pending)
    parameters: list[FunctionParameter] = []
    begin: list[Statement] = []
    single, several = field_of(node, "parameter"), field_of(node, "parameters")
    for child in (single,) if single is not None else named(several) if several is not None else ():
        found = _parameter(child, reading, begin)
        if found is not None:
            parameters.append(found)
    begin = [*reading.take_pending(before), *begin]
    body = field_of(node, "body")
    if body is None or body.type == "statement_block":
        return tuple(parameters), (*begin, *reading.block(body))
    value = reading.value(body)
    return tuple(parameters), (*begin, *reading.take_pending(before), Return(value, reading.span(body)))


def _parameter(node: Node, reading: ScriptReading, begin: list[Statement]) -> FunctionParameter | None:
    pattern, default = field_of(node, "pattern") or node, field_of(node, "value")
    if pattern.type == "assignment_pattern":
        pattern, default = field_of(pattern, "left") or pattern, field_of(pattern, "right")
    kind = ParameterKind.PLAIN
    if pattern.type == "rest_pattern":
        pattern, kind = inner(pattern) or pattern, ParameterKind.REST
    span = reading.span(pattern)
    value = None if default is None else reading.value(default)
    if pattern.type == "identifier":
        name = reading.of(pattern)
        if any(child.type in _PROPERTIES for child in node.children):
            begin.append(Assign(Attribute(Name("self", span), name, span), Name(name, span), reading.span(node)))
        return FunctionParameter(name, span, value, kind)
    if pattern.type not in APART:
        return None
    name = f"<param@{span.start}>"
    begin.extend(assigned(pattern, Name(name, span), span, reading))
    return FunctionParameter(name, span, value, kind, tuple(local_names(pattern, reading)))


_PROPERTIES = frozenset({"accessibility_modifier", "readonly", "override_modifier"})
"""What makes a constructor's parameter a field of its object."""
