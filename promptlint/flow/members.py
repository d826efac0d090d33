"""What stands behind a name in a program: attributes, classes, modules of the project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from promptlint.expression import Attribute, Bound, Call, Expression, Kept, Name, Record, Stepped, path
from promptlint.flow.calling import enter, parameter_names
from promptlint.flow.lists import entry_of, part_of
from promptlint.flow.names import ClassIn, Closure, Names, Program, bare
from promptlint.flow.stepping import assigned, reinserted
from promptlint.flow.texts import module_value
from promptlint.program import Assign
from promptlint.source import Span

if TYPE_CHECKING:
    from promptlint.flow.follow import Follower

_DEEPEST = 6
"""Modules that a name is taken through."""


def attribute(follower: Follower, of: Expression, expression: Attribute, names: Names) -> Expression:
    """An attribute of a value: an entry of a record, a field of the class around, a name of a module."""
    owner = bare(of)
    if isinstance(owner, Kept):
        owner = bare(owner.of)
    if isinstance(owner, Call) and path(owner.function)[-1:] and path(owner.function)[-1][:1].isupper():
        given = dict(owner.keywords).get(expression.name)
        if given is not None:
            return part_of(of, given)
    if isinstance(owner, Record) and (entry := entry_of(owner, expression.name)) is not None:
        return part_of(of, entry)
    if isinstance(owner, Name) and owner.id == "self" and (known := names.enclosing_class()) is not None:
        found = fields_of(follower, known).get(expression.name)
        if found is not None:
            return found
        method = known.methods.get(expression.name)
        if method is not None and any(path(each)[-1:] == ("property",) for each in method.function.decorators):
            return enter(follower, method, Call(expression, (), (), expression.span), (), (), names, of)
    return replace(expression, of=of)


def imported(follower: Follower, name: Name, target: tuple[str, str]) -> Expression:
    """What an imported name stands for: a value of the project, or a path into another package."""
    module, wanted = target
    program = follower.module(follower.program, module)
    if program is not None and wanted:
        value = names_of(follower, program).value(_exported(program, wanted))
        if value is not None:
            return value
    words = [word for word in module.replace("node:", "").replace("/", ".").split(".") if word]
    inner: Expression = Name(words[0] if words else name.id, name.span)
    for word in words[1:] + ([wanted] if wanted and wanted != "default" else []):
        inner = Attribute(inner, word, name.span)
    return inner


def names_of(follower: Follower, program: Program) -> Names:
    """What a module's top level gives names to; empty while it is being followed itself."""
    from promptlint.flow.follow import Follower

    if program.names is None:
        program.names = Names()
        inner = Follower(program, follower.module, follower.steps)
        inner.run(program.module.body, program.names)
        for key, value in program.names.values.items():
            program.names.values[key] = module_value(value, value.span)
    return program.names


def fields_of(follower: Follower, known: ClassIn) -> dict[str, Expression]:
    """What a class gives its objects: values of its body, and what `__init__` sets, kept for the session."""
    from promptlint.flow.follow import Follower

    if known.fields is None:
        known.fields = {}
        inner = Follower(known.program, follower.module, follower.steps)
        body = Names(outer=known.names.outer)
        inner.run([each for each in known.definition.body if isinstance(each, Assign)], body)
        fields = {name: module_value(value, value.span) for name, value in body.values.items()}
        made = known.methods.get("__init__")
        if made is not None:
            scope = Names(outer=known.names, own=frozenset(parameter_names(made.function.parameters)))
            inner.run(made.function.body, scope)
            for name, value in scope.values.items():
                if name.startswith("self.") and name.count(".") == 1 and isinstance(value, Bound):
                    fields[name[5:]] = replace(value, value=Kept(value.value, "session", value.span))
        changed = set(_changed_elsewhere(known))
        known.fields.update({name: value for name, value in fields.items() if name not in changed})
        for name, target, span in _moved_about(known):
            moved = Stepped(target, span, "order")
            known.fields[name] = Bound(f"self.{name}", moved, known.program.source, span)
    return known.fields


def _changed_elsewhere(known: ClassIn) -> Iterator[str]:
    """Fields that other methods than `__init__` set."""
    for name, method in known.methods.items():
        if name != "__init__":
            for place in assigned(method.function.body):
                if place.startswith("self."):
                    yield place.split(".")[1]


def _exported(program: Program, name: str) -> str:
    return dict(program.module.exports).get(name, name)


def _moved_about(known: ClassIn) -> Iterator[tuple[str, Expression, Span]]:
    """Lists of which a method leaves items out and puts others at the end: what comes back stands elsewhere."""
    for method in known.methods.values():
        for place, target, span in reinserted(method.function.body):
            if place.startswith("self.") and place.count(".") == 1:
                yield place[5:], target, span


def resolved_function(follower: Follower, program: Program, name: str, depth: int = 0) -> Closure | None:
    """The function that a module offers by a name, through the modules that it takes it from."""
    scope, own = names_of(follower, program), _exported(program, name)
    found = scope.functions.get(own)
    if found is not None or depth > _DEEPEST:
        return found
    value = scope.values.get(own)
    if value is not None and isinstance(inner := bare(value), Name):
        return scope.function(inner.id)
    entry = scope.imports.get(own)
    if entry is None:
        return None
    other = follower.module(program, entry[0])
    return None if other is None else resolved_function(follower, other, entry[1], depth + 1)


def _module_of(follower: Follower, entry: tuple[str, str] | None) -> Program | None:
    if entry is None:
        return None
    module, name = entry
    if not name:
        return follower.module(follower.program, module)
    # `from package import module`
    joint = "" if module.endswith(".") else "."
    return follower.module(follower.program, f"{module}{joint}{name}")


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
    owner = bare(of)
    if isinstance(owner, Kept):
        owner = bare(owner.of)
    match owner:
        case Name(id="self" | "cls"):
            known = names.enclosing_class()
            return known.methods.get(function.name) if known is not None else None
        case Call(function=Name(id=made)):
            known = names.class_of(made)
            return known.methods.get(function.name) if known is not None else None
        case Name(id=name) if (known := names.class_of(name)) is not None:
            return known.methods.get(function.name)
        case Name() | Attribute() if isinstance(function.of, Name):
            entry = names.imported(function.of.id)
            program = _module_of(follower, entry)
            if program is not None:
                return resolved_function(follower, program, function.name)
            return _only_method(function.name, names) if entry is None else None
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
    program = follower.module(follower.program, entry[0])
    if program is None:
        return None
    return resolved_function(follower, program, entry[1])
