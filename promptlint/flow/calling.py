"""Calls of the project's functions, followed into their bodies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from promptlint.expression import Bound, Call, Expression, Kept, Name, Series, Spread, path
from promptlint.flow.names import Closure, Names, bare, place_of
from promptlint.program import FunctionParameter, ParameterKind

if TYPE_CHECKING:
    from promptlint.flow.follow import Follower

_DEEPEST = 6
"""Calls inside calls that are followed."""

_CACHES = frozenset({"cache", "lru_cache", "cached_property", "alru_cache", "cached"})


def enter(
    follower: Follower,
    closure: Closure,
    expression: Call,
    given: Sequence[Expression],
    keywords: Sequence[tuple[str, Expression]],
    names: Names,
    of: Expression | None = None,
) -> Expression:
    """What a function of the project returns, under its name; the call itself where that cannot be seen."""
    function = closure.function
    unseen = Call(expression.function, tuple(given), tuple(keywords), expression.span)
    if follower.entered is not None and not follower.open:
        follower.entered(closure, expression, given, keywords)
    if len(follower.open) >= _DEEPEST or function in follower.open:
        return unseen
    inner = Names(outer=closure.names, own=frozenset(parameter_names(function.parameters)))
    _bind(follower, inner, closure, expression, given, keywords, names)
    if closure.owner is not None:
        inner.owner = closure.owner
        _bind_object(inner, of, names)
    with follower.inside(closure):
        value = follower.returned(function.body, inner, function.span)
    if value is None:
        return unseen
    if any(_is_cache(decorator) for decorator in function.decorators):
        value = Kept(value, "session", function.span)
    return Bound(f"{function.name}()", value, closure.program.source, function.span)


def arguments_of(
    follower: Follower,
    closure: Closure,
    expression: Call,
    given: Sequence[Expression],
    keywords: Sequence[tuple[str, Expression]],
) -> dict[str, Bound]:
    """The values that a call hands to a function's parameters, under their names."""
    found: dict[str, Bound] = {}
    for name, (value, raw) in _handed(closure, expression, given, keywords).items():
        found[name] = follower.bound(name, value, value.span if raw is None else raw.span)
    return found


def _handed(
    closure: Closure,
    expression: Call,
    given: Sequence[Expression],
    keywords: Sequence[tuple[str, Expression]],
) -> dict[str, tuple[Expression, Expression | None]]:
    """Each parameter's value, with the argument as it is written where there is one."""
    parameters = _without_object(closure)
    plain = [each for each in parameters if each.kind is ParameterKind.PLAIN]
    by_name, written = dict(keywords), dict(expression.keywords)
    values: dict[str, tuple[Expression, Expression | None]] = {}
    for number, parameter in enumerate(plain):
        if number < len(given) and not any(isinstance(each, Spread) for each in given[: number + 1]):
            raw = expression.arguments[number] if number < len(expression.arguments) else None
            values[parameter.name] = (given[number], raw)
    for parameter in parameters:
        if parameter.name in by_name:
            values[parameter.name] = (by_name[parameter.name], written.get(parameter.name))
        elif parameter.kind is ParameterKind.REST and len(given) > len(plain):
            rest = Series(tuple(given[len(plain) :]), expression.span)
            values[parameter.name] = (rest, None)
    return values


def _without_object(closure: Closure) -> Sequence[FunctionParameter]:
    """A method's parameters without the object that it is called on."""
    parameters = closure.function.parameters
    is_method = closure.owner is not None and parameters and parameters[0].name in ("self", "cls")
    return parameters[1:] if is_method else parameters


def _bind(
    follower: Follower,
    inner: Names,
    closure: Closure,
    expression: Call,
    given: Sequence[Expression],
    keywords: Sequence[tuple[str, Expression]],
    names: Names,
) -> None:
    """Give a function's parameters the arguments of a call, and their defaults to the others."""
    handed = _handed(closure, expression, given, keywords)
    for name, (value, raw) in handed.items():
        inner.bind(name, follower.bound(name, value, value.span if raw is None else raw.span))
        _bind_attributes(inner, name, raw, names)
    if any(name == "**" for name, _ in keywords):
        return
    for parameter in _without_object(closure):
        if parameter.name not in handed and parameter.default is not None:
            default = Bound(parameter.name, parameter.default, closure.program.source, parameter.span)
            inner.bind(parameter.name, default)


def _bind_attributes(inner: Names, parameter: str, raw: Expression | None, names: Names) -> None:
    """What is known of an argument's attributes is known of the parameter's."""
    place = place_of(raw) if raw is not None else ""
    if place:
        scope: Names | None = names
        while scope is not None:
            for name, value in scope.values.items():
                if name.startswith(f"{place}."):
                    inner.values.setdefault(f"{parameter}{name[len(place) :]}", value)
            scope = scope.outer


def _bind_object(inner: Names, of: Expression | None, names: Names) -> None:
    """A method called on the object that is followed sees what has been set on it."""
    if of is not None and isinstance(bare(of), Name) and bare(of) == Name("self", bare(of).span):
        for name, value in names.values.items():
            if name.startswith("self."):
                inner.values[name] = value


def parameter_names(parameters: Sequence[FunctionParameter]) -> Iterator[str]:
    for parameter in parameters:
        yield parameter.name
        yield from parameter.fields


def _is_cache(decorator: Expression) -> bool:
    function = decorator.function if isinstance(decorator, Call) else decorator
    return path(function)[-1:] in {(name,) for name in _CACHES}
