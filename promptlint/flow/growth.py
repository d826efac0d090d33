"""Lists that a function is handed and adds to: what it adds is known to its caller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from promptlint.expression import Bound, Entry, Expression, Literal, Name, Record, Series, Spread
from promptlint.flow.names import Closure, Names, place_of
from promptlint.flow.stepping import grown, statements
from promptlint.program import Assign, Function
from promptlint.traversal import bare

if TYPE_CHECKING:
    from promptlint.flow.follow import Follower


def take_added(
    follower: Follower, closure: Closure, inner: Names, written: Mapping[str, Expression | None], names: Names
) -> None:
    """Add to the caller's lists what a function has added to them; `written` are the arguments as they are written."""
    function, all_grown = closure.function, closure.program.grown
    if id(function) not in all_grown:
        all_grown[id(function)] = _grown(function)
    lists = all_grown[id(function)]
    for local, argument in _locals(function, written) if lists else ():
        place = place_of(argument)
        before, after = names.value(place) if place else None, inner.values.get(local)
        if local not in lists or before is None or after is None:
            continue
        added = _added(before, after)
        if added:
            ours = isinstance(before, Bound) and before.source is follower.program.source
            series = bare(before)
            known = series.items if ours and isinstance(series, Series) else (Spread(before, argument.span),)
            new = Bound(local, Series(tuple(added), added[0].span), closure.program.source, added[0].span)
            whole = Series((*known, Spread(new, argument.span)), argument.span)
            names.values[place] = follower.bound(place, whole, argument.span)


def _grown(function: Function) -> frozenset[str]:
    """Names of parameters and their fields that a function adds to and gives no other value."""
    found = set(grown(function.body))
    if not found:
        return frozenset()
    for statement in statements(function.body):
        match statement:
            case Assign(target=Name(id=name), value=value) if not place_of(value).startswith("<"):
                found.discard(name)
    return frozenset(found)


def _locals(function: Function, written: Mapping[str, Expression | None]) -> Iterator[tuple[str, Expression]]:
    """Names in the function's body with the arguments that they stand for, also in a record that it takes apart."""
    for parameter in function.parameters:
        argument = written.get(parameter.name)
        if isinstance(argument, Record) and parameter.fields:
            for entry in argument.entries:
                match entry:
                    case Entry(key=Literal(value=str() as key), value=value) if key in parameter.fields:
                        yield key, value
        elif argument is not None:
            yield parameter.name, argument


def _added(before: Expression, after: Expression) -> Sequence[Expression]:
    """The items that a list has got behind those that it had; none where that cannot be seen."""
    left, right = bare(before), bare(after)
    if not isinstance(right, Series) or left is right:
        return ()
    if isinstance(left, Series):
        count = len(left.items)
        same = len(right.items) > count and all(
            one is other for one, other in zip(left.items, right.items, strict=False)
        )
        return right.items[count:] if same else ()
    match right.items:
        case (Spread(of=of), *added) if bare(of) is left:
            return added
    return ()
