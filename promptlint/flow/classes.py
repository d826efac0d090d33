"""Classes of the project: by what name they are known, what their objects can do and hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from promptlint.expression import Attribute, Bound, Expression, Kept, Name, Stepped
from promptlint.flow.calling import parameter_names
from promptlint.flow.modules import home_of, member_of, names_of
from promptlint.flow.names import ClassIn, Closure, Names, Program, uses_names
from promptlint.flow.stepping import assigned, reinserted
from promptlint.flow.texts import module_value
from promptlint.program import Assign
from promptlint.source import Span

if TYPE_CHECKING:
    from promptlint.flow.follow import Follower

_DEEPEST = 6
"""Parents of parents that are looked at."""


def class_named(follower: Follower, named: Expression, names: Names, program: Program) -> ClassIn | None:
    """The class of the project that an expression in a program names, there or in another module."""
    match named:
        case Name(id=name):
            if (known := names.class_of(name)) is not None:
                return known
            entry = names.imported(name)
            other = None if entry is None else follower.project.module(program, entry[0])
            if entry is None or other is None:
                return None
            home, own = home_of(follower, other, entry[1])
        case Attribute():
            found = member_of(follower, named, names, program)
            if found is None:
                return None
            home, own = found
        case _:
            return None
    return names_of(follower, home).classes.get(own)


def parent_method(follower: Follower, known: ClassIn, name: str) -> Closure | None:
    """The method that `super()` means: of the nearest parent that has it."""
    line = (each for each in _line(follower, known) if each is not known)
    return next((each.methods[name] for each in line if name in each.methods), None)


def method_named(follower: Follower, known: ClassIn, name: str) -> Closure | None:
    """A method of a class, or of the nearest parent that has it."""
    return next((each.methods[name] for each in _line(follower, known) if name in each.methods), None)


def field_named(follower: Follower, known: ClassIn, name: str) -> Expression | None:
    """What a class or its nearest parent gives its objects under a name; None where that cannot be seen."""
    for each in _line(follower, known):
        if (found := _fields_of(follower, each).get(name)) is not None:
            return found
        if name in _changed_elsewhere(each):
            return None
    return None


def _line(follower: Follower, known: ClassIn) -> Iterator[ClassIn]:
    """A class and its parents, the nearest first."""
    waiting, seen = [(known, 0)], {id(known)}
    while waiting:
        at, depth = waiting.pop(0)
        yield at
        for base in at.definition.bases if depth < _DEEPEST else ():
            parent = class_named(follower, base, at.names.outer or at.names, at.program)
            if parent is not None and id(parent) not in seen:
                seen.add(id(parent))
                waiting.append((parent, depth + 1))


def _fields_of(follower: Follower, known: ClassIn) -> dict[str, Expression]:
    """Values of a class's body, and what `__init__` sets, kept for the session."""
    if known.fields is None:
        known.fields = {}
        known.fields, known.wants_callers = _made(follower, known, with_callers=False)
    if known.wants_callers and not follower.project.is_binding:
        known.wants_callers = False
        known.fields, _ = _made(follower, known, with_callers=True)
    return known.fields


def _made(follower: Follower, known: ClassIn, with_callers: bool) -> tuple[dict[str, Expression], bool]:
    """The fields of a class's objects; and whether any is made of what `__init__` is given."""
    from promptlint.flow.follow import Follower

    inner = Follower(known.program, follower.project)
    body = Names(outer=known.names.outer)
    inner.run([each for each in known.definition.body if isinstance(each, Assign)], body)
    fields = {name: module_value(value, value.span) for name, value in body.values.items()}
    made, wants_callers = known.methods.get("__init__"), False
    if made is not None:
        own = frozenset(parameter_names(made.function.parameters))
        scope = Names(outer=known.names, own=own)
        if with_callers:
            follower.project.bind(scope, made)
        inner.run(made.function.body, scope)
        for name, value in scope.values.items():
            if name.startswith("self.") and name.count(".") == 1 and isinstance(value, Bound):
                fields[name[5:]] = replace(value, value=Kept(value.value, "session", value.span))
                wants_callers = wants_callers or uses_names(value, own)
    changed = _changed_elsewhere(known)
    fields = {name: value for name, value in fields.items() if name not in changed}
    for name, target, span in _moved_about(known):
        fields[name] = Bound(f"self.{name}", Stepped(target, span, "order"), known.program.source, span)
    return fields, wants_callers


def _changed_elsewhere(known: ClassIn) -> frozenset[str]:
    """Fields that other methods than `__init__` set."""
    if known.changed is None:
        bodies = (method.function.body for name, method in known.methods.items() if name != "__init__")
        places = (place for body in bodies for place in assigned(body))
        known.changed = frozenset(place.split(".")[1] for place in places if place.startswith("self."))
    return known.changed


def _moved_about(known: ClassIn) -> Iterator[tuple[str, Expression, Span]]:
    """Lists of which a method leaves items out and puts others at the end: what comes back stands elsewhere."""
    for method in known.methods.values():
        for place, target, span in reinserted(method.function.body):
            if place.startswith("self.") and place.count(".") == 1:
                yield place[5:], target, span
