"""A call in a program: a function of the project, an operation, or something that is only known by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from promptlint.expression import Attribute, Call, Expression, Kept, Name
from promptlint.flow.calling import enter
from promptlint.flow.classes import class_named, method_named
from promptlint.flow.files import filling
from promptlint.flow.members import function_of, method_of
from promptlint.flow.names import ClassIn, Names
from promptlint.flow.operations import operation

if TYPE_CHECKING:
    from promptlint.flow.follow import Follower


def call(follower: Follower, expression: Call, names: Names) -> Expression:
    """What a call gives, as far as it can be seen; else the call with its parts followed."""
    given = tuple(follower.value(argument, names) for argument in expression.arguments)
    keywords = tuple((name, follower.used(value, names)) for name, value in expression.keywords)
    function = expression.function
    if isinstance(function, Name) and (closure := function_of(follower, function, names)) is not None:
        return enter(follower, closure, expression, given, keywords, names)
    if isinstance(function, Attribute):
        of = follower.value(function.of, names)
        closure = method_of(follower, of, function, names)
        if closure is not None:
            return enter(follower, closure, expression, given, keywords, names, of)
        # `JSON` is written like a constant.
        called = of.of if isinstance(of, Kept) and isinstance(of.of, Name) else of
        function = replace(function, of=called)
    else:
        if isinstance(function, Name):
            known = class_named(follower, function, names, follower.program)
            if known is not None:
                _make(follower, known, expression, given, keywords)
        function = follower.value(function, names)
    followed = Call(function, given, keywords, expression.span)
    if follower.fillings is not None and (filled := filling(followed, follower.program.source)) is not None:
        follower.fillings.append(filled)
    found = operation(follower, followed, names)
    if found is not None:
        return found
    given = tuple(_captured(follower, value, expression, names) for value in given)
    keywords = tuple((name, _captured(follower, value, expression, names)) for name, value in keywords)
    return Call(function, given, keywords, expression.span)


def _make(
    follower: Follower,
    known: ClassIn,
    expression: Call,
    given: Sequence[Expression],
    keywords: Sequence[tuple[str, Expression]],
) -> None:
    """A class that is called hands its arguments to `__init__`."""
    made = method_named(follower, known, "__init__")
    if made is not None and follower.entered is not None and not follower.open:
        follower.entered(made, expression, given, keywords)


def _captured(follower: Follower, value: Expression, expression: Call, names: Names) -> Expression:
    """An anonymous function that is handed on stands for what it computes."""
    if isinstance(value, Name) and value.id.startswith("<") and (closure := function_of(follower, value, names)):
        return enter(follower, closure, expression, (), (), names)
    return value
