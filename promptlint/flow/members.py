"""What stands behind a name or a dot: entries, fields, properties, functions and methods of the project."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Expression,
    Literal,
    Name,
    Record,
    Spread,
    Unknown,
    path,
)
from promptlint.flow.calling import enter
from promptlint.flow.classes import class_named, field_named, method_named, parent_method
from promptlint.flow.lists import entry_of, part_of
from promptlint.flow.modules import home_of, member_of, names_of
from promptlint.flow.names import Closure, Names, Program
from promptlint.traversal import bare, unkept

if TYPE_CHECKING:
    from promptlint.flow.follow import Follower


def attribute(follower: Follower, of: Expression, expression: Attribute, names: Names) -> Expression:
    """An attribute of a value: an entry of a record, a field of the class around, a name of a module."""
    owner = unkept(of)
    if isinstance(owner, Call) and path(owner.function)[-1:] and path(owner.function)[-1][:1].isupper():
        given = dict(owner.keywords).get(expression.name)
        if given is not None:
            return part_of(of, given)
    if isinstance(owner, Choice) and any(isinstance(bare(option), Record) for option in owner.options):
        # What a function's callers hand over: each gives its own record.
        each_way = tuple(
            attribute(follower, option, replace(expression, span=owner.span), names) for option in owner.options
        )
        return part_of(of, replace(owner, options=each_way))
    if isinstance(owner, Record):
        if (entry := entry_of(owner, expression.name)) is not None:
            return part_of(of, entry)
        spreads = [each for each in owner.entries if isinstance(each, Spread)]
        if not spreads:
            # What is not in it is not made of what is.
            return Literal(None, expression.span) if _is_taken_apart(of) else Unknown((), expression.span)
        taken = tuple(attribute(follower, each.of, replace(expression, span=each.span), names) for each in spreads)
        return part_of(of, taken[0] if len(taken) == 1 else Choice(None, taken, owner.span))
    if isinstance(owner, Name) and owner.id == "self" and (known := names.enclosing_class()) is not None:
        found = field_named(follower, known, expression.name)
        if found is not None:
            return found
        method = method_named(follower, known, expression.name)
        if method is not None and any(path(each)[-1:] == ("property",) for each in method.function.decorators):
            return enter(follower, method, Call(expression, (), (), expression.span), (), (), names, of)
    if (place := member_of(follower, expression, names, follower.program)) is not None:
        home, own = place
        if (value := names_of(follower, home).value(own)) is not None:
            return value
    return replace(expression, of=of)


def _is_taken_apart(of: Expression) -> bool:
    """Whether a value is a parameter that is written as the names of its fields."""
    return isinstance(of, Bound) and of.name.startswith("<")


def _defined(follower: Follower, home: Program, own: str) -> Closure | None:
    """The function that a module defines by a name, or by another name that this one stands for."""
    scope = names_of(follower, home)
    if (found := scope.functions.get(own)) is not None:
        return found
    value = scope.values.get(own)
    inner = None if value is None else bare(value)
    return scope.function(inner.id) if isinstance(inner, Name) else None


def _only_method(name: str, names: Names) -> Closure | None:
    """The one method of this name among the classes of the module, on an object that nothing else is known about."""
    scope: Names | None = names
    found: dict[str, Closure] = {}
    while scope is not None:
        for known in scope.classes.values():
            if name in known.methods:
                found[known.definition.name] = known.methods[name]
        scope = scope.outer
    return next(iter(found.values())) if len(found) == 1 else None


def method_of(follower: Follower, of: Expression, function: Attribute, names: Names) -> Closure | None:
    """The project's function that a method call means: of the class around, of an object, of a module."""
    owner = unkept(of)
    match owner:
        case Name(id="self" | "cls") if (known := names.enclosing_class()) is not None:
            return method_named(follower, known, function.name)
        case Call(function=Name(id="super")) if (known := names.enclosing_class()) is not None:
            return parent_method(follower, known, function.name)
        case Name() | Call(function=Name() | Attribute()):
            named = owner.function if isinstance(owner, Call) else owner
            known = class_named(follower, named, names, follower.program)
            if known is not None:
                return method_named(follower, known, function.name)
    if isinstance(function.of, Name | Attribute):
        place = member_of(follower, function, names, follower.program)
        if place is not None:
            return _defined(follower, *place)
        if isinstance(owner, Name | Attribute) and isinstance(function.of, Name):
            return _only_method(function.name, names) if names.imported(function.of.id) is None else None
    return None


def function_of(follower: Follower, name: Name, names: Names) -> Closure | None:
    """The project's function that a name calls."""
    value = names.value(name.id)
    target = bare(value) if value is not None else name
    if not isinstance(target, Name):
        return None
    found = names.function(target.id)
    if found is not None:
        return found
    entry = names.imported(target.id)
    if entry is None or not entry[1]:
        return None
    program = follower.project.module(follower.program, entry[0])
    return None if program is None else _defined(follower, *home_of(follower, program, entry[1]))
