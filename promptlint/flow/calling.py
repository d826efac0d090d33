"""Calls of the project's functions, followed into their bodies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from promptlint.expression import Bound, Call, Entry, Expression, Kept, Literal, Name, Record, Series, Spread, path
from promptlint.flow.growth import take_added
from promptlint.flow.lists import mapping_of, part_of
from promptlint.flow.names import Closure, Names, place_of
from promptlint.flow.texts import is_constant
from promptlint.program import FunctionParameter, ParameterKind
from promptlint.source import Span
from promptlint.traversal import bare

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
    if len(follower.open) >= _DEEPEST or any(function is each for each in follower.open):
        return unseen
    inner = Names(outer=closure.names, own=frozenset(parameter_names(function.parameters)))
    handed = _handed(closure, expression, given, keywords)
    _bind(follower, inner, closure, handed, keywords, names)
    if closure.owner is not None:
        inner.owner = closure.owner
        _bind_object(inner, of, names)
    with follower.inside(closure):
        value = follower.returned(function.body, inner, function.span)
    if _is_own_object(of):
        _take_object(names, inner)
    take_added(follower, closure, inner, {name: raw for name, (_, raw) in handed.items()}, names)
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


def default_of(follower: Follower, closure: Closure, name: str, default: Expression, span: Span) -> Expression:
    """The value of a parameter that a call leaves out: Python computes it once, JavaScript at each call."""
    with follower.inside(closure):
        value = follower.value(default, closure.names)
    if closure.program.module.language == "python" and not is_constant(value):
        value = Kept(value, "restart", span)
    return Bound(name, value, closure.program.source, span)


def _handed(
    closure: Closure,
    expression: Call,
    given: Sequence[Expression],
    keywords: Sequence[tuple[str, Expression]],
) -> dict[str, tuple[Expression, Expression | None]]:
    """Each parameter's value, with the argument as it is written where there is one."""
    parameters = _without_object(closure)
    named = {each.name for each in parameters}
    plain = [each for each in parameters if each.kind is ParameterKind.PLAIN]
    by_name = {name: value for name, value in keywords if name != "**"}
    written = dict(expression.keywords)
    for name, value in keywords:
        by_name.update(mapping_of(value) if name == "**" else {})
    given = _unpacked(given)
    values: dict[str, tuple[Expression, Expression | None]] = {}
    for number, parameter in enumerate(plain):
        if number < len(given) and not any(isinstance(each, Spread) for each in given[: number + 1]):
            raw = expression.arguments[: number + 1]
            in_place = len(raw) > number and not any(isinstance(each, Spread) for each in raw)
            values[parameter.name] = (given[number], raw[number] if in_place else None)
    for parameter in parameters:
        if parameter.name in by_name:
            values[parameter.name] = (by_name[parameter.name], written.get(parameter.name))
        elif parameter.kind is ParameterKind.REST and len(given) > len(plain):
            rest = Series(tuple(given[len(plain) :]), expression.span)
            values[parameter.name] = (rest, None)
        elif parameter.kind is ParameterKind.KEYWORDS and by_name.keys() - named:
            others = ((name, value) for name, value in by_name.items() if name not in named)
            entries = tuple(Entry(Literal(name, value.span), value, value.span) for name, value in others)
            values[parameter.name] = (Record(entries, expression.span), None)
    return values


def _unpacked(given: Sequence[Expression]) -> Sequence[Expression]:
    """Arguments with the items of `*values` that can be seen in its place."""
    found: list[Expression] = []
    for value in given:
        series = bare(value.of) if isinstance(value, Spread) else None
        if isinstance(series, Series) and isinstance(value, Spread):
            found.extend(part_of(value.of, item) for item in series.items)
        else:
            found.append(value)
    return found


def _without_object(closure: Closure) -> Sequence[FunctionParameter]:
    """A method's parameters without the object that it is called on."""
    parameters = closure.function.parameters
    is_method = closure.owner is not None and parameters and parameters[0].name in ("self", "cls")
    return parameters[1:] if is_method else parameters


def _bind(
    follower: Follower,
    inner: Names,
    closure: Closure,
    handed: Mapping[str, tuple[Expression, Expression | None]],
    keywords: Sequence[tuple[str, Expression]],
    names: Names,
) -> None:
    """Give a function's parameters the arguments of a call, and their defaults to the others."""
    for name, (value, raw) in handed.items():
        inner.bind(name, follower.bound(name, value, value.span if raw is None else raw.span))
        _bind_attributes(inner, name, raw, names)
    if any(name == "**" and not isinstance(bare(value), Record) for name, value in keywords):
        return
    for parameter in _without_object(closure):
        if parameter.name not in handed and parameter.default is not None:
            inner.bind(parameter.name, default_of(follower, closure, parameter.name, parameter.default, parameter.span))


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
    if _is_own_object(of):
        for name, value in names.values.items():
            if name.startswith("self."):
                inner.values[name] = value


def _take_object(names: Names, inner: Names) -> None:
    """What a method of the object that is followed has set on it is known behind the call."""
    for name, value in inner.values.items():
        if name.startswith("self.") and names.values.get(name) is not value:
            names.values[name] = value


def _is_own_object(of: Expression | None) -> bool:
    return of is not None and isinstance(inner := bare(of), Name) and inner.id == "self"


def parameter_names(parameters: Sequence[FunctionParameter]) -> Iterator[str]:
    for parameter in parameters:
        yield parameter.name
        yield from parameter.fields


def _is_cache(decorator: Expression) -> bool:
    function = decorator.function if isinstance(decorator, Call) else decorator
    return path(function)[-1:] in {(name,) for name in _CACHES}
