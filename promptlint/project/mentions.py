"""What the top level of a program gives names to, and which names and files each of these uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import PurePosixPath

from promptlint.expression import Expression, Literal, Name
from promptlint.program import (
    Assign,
    Augment,
    Class,
    Define,
    Do,
    For,
    Function,
    If,
    Module,
    Return,
    Statement,
    Yield,
)
from promptlint.traversal import names, parts


def mentions(module: Module) -> dict[str, set[str]]:
    """Names of a module's top level with the names, and the names of files, that stand in what they mean."""
    found: dict[str, set[str]] = {}
    for statement in _flat(module.body):
        for name in _given(statement):
            found.setdefault(name, set()).update(_mentioned(statement))
    for exported, own in module.exports:
        found.setdefault(exported, set()).add(own)
    return found


def defined(module: Module) -> frozenset[str]:
    """The names that a module's top level gives."""
    given = (name for statement in _flat(module.body) for name in _given(statement))
    return frozenset((*given, *(exported for exported, _ in module.exports)))


def users(found: Mapping[str, Set[str]], wanted: Iterable[str]) -> set[str]:
    """The names behind which any of the wanted ones is used, directly or through others."""
    reached, before = set(wanted), -1
    own: set[str] = set()
    while len(own) != before:
        before = len(own)
        own.update(name for name, used in found.items() if not reached.isdisjoint(used))
        reached.update(own)
    return own


def used(found: Mapping[str, Set[str]], wanted: Iterable[str]) -> set[str]:
    """The names that stand behind the wanted ones, these among them."""
    left, seen = list(wanted), set[str]()
    while left:
        name = left.pop()
        if name not in seen and name in found:
            seen.add(name)
            left.extend(found[name])
    return seen


def _flat(body: Iterable[Statement]) -> Iterator[Statement]:
    for statement in body:
        match statement:
            case If(body=one, otherwise=other):
                yield from _flat((*one, *other))
            case For(body=inner):
                yield from _flat(inner)
            case _:
                yield statement


def _given(statement: Statement) -> Iterator[str]:
    match statement:
        case Define(what=what):
            yield what.name
        case Assign(target=target) | Augment(target=target):
            yield from (name.id for name in names(target))


def _mentioned(statement: Statement) -> Iterator[str]:
    for expression in _expressions(statement):
        for part in parts(expression):
            if isinstance(part, Name):
                yield part.id
            elif isinstance(part, Literal) and isinstance(part.value, str) and len(part.value) < 200:
                yield PurePosixPath(part.value).name


def _expressions(statement: Statement) -> Iterator[Expression]:
    match statement:
        case Assign(target=target, value=value) | Augment(target=target, value=value):
            yield from (target, value)
        case Do(value=value) | Yield(value=value):
            yield value
        case Return(value=value) if value is not None:
            yield value
        case If(test=test, body=one, otherwise=other):
            yield from () if test is None else (test,)
            for inner in (*one, *other):
                yield from _expressions(inner)
        case For(iterated=iterated, body=body):
            yield from () if iterated is None else (iterated,)
            for inner in body:
                yield from _expressions(inner)
        case Define(what=Function() as function):
            yield from function.decorators
            yield from (each.default for each in function.parameters if each.default is not None)
            for inner in function.body:
                yield from _expressions(inner)
        case Define(what=Class() as known):
            yield from (*known.bases, *known.decorators)
            for inner in known.body:
                yield from _expressions(inner)
