"""What names mean after a branch or a loop: alternatives and repetitions, with what both share said once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from promptlint.expression import Bound, Choice, Expression, Join, Literal, Repeat, Series, Slot, Spread, Unknown
from promptlint.flow.names import Names
from promptlint.source import Span
from promptlint.traversal import bare, weight

_SMALL = 40
"""Nodes of values that are compared with each other: larger ones are the same only if they are one."""


def alternatives(test: Expression | None, one: Expression, other: Expression, span: Span) -> Expression:
    """One of two values; text or items that both begin with stand before the choice."""
    if one is other or (one.span == other.span and weight(one, _SMALL) <= _SMALL and one == other):
        return one
    match one, other:
        case Bound(), Bound() if one.name == other.name and one.source is other.source and _grows(one, other):
            inner = alternatives(test, one.value, other.value, span)
            longer = one if _length(one.value) >= _length(other.value) else other
            return replace(longer, value=inner)
        case Series(items=left), Series(items=right):
            shared = _shared(left, right)
            if shared or not left or not right:
                rest = Choice(test, (replace(one, items=left[shared:]), replace(other, items=right[shared:])), span)
                return replace(one, items=(*left[:shared], Spread(rest, span)))
        case (Series(items=longer), _) if _begins(longer, other):
            return alternatives(test, one, _begun(longer, other), span)
        case (_, Series(items=longer)) if _begins(longer, one):
            return alternatives(test, _begun(longer, one), other, span)
        case _ if isinstance(one, Join) or isinstance(other, Join):
            left, right = _text_parts(one), _text_parts(other)
            shared = _shared(left, right)
            if shared:
                rest = Choice(test, (_text(left[shared:], span), _text(right[shared:], span)), span)
                return Join((*left[:shared], rest), span)
    return Choice(test, (one, other), span)


def repeated(iterated: Expression, before: Expression, after: Expression, span: Span) -> Expression:
    """A value that a loop may have changed: what it adds is repeated, anything else is one of two."""
    if before is after:
        return after
    match before, after:
        case Bound(), Bound() if before.name == after.name and before.source is after.source:
            return replace(after, value=repeated(iterated, before.value, after.value, span))
        case Series(items=left), Series(items=right) if _shared(left, right) == len(left):
            added = replace(after, items=right[len(left) :])
            return replace(after, items=(*left, Spread(Repeat((), iterated, added, span), span)))
    left, right = _text_parts(before), _text_parts(after)
    if left and isinstance(after, Join) and _shared(left, right) == len(left):
        return Join((*left, Repeat((), iterated, _text(right[len(left) :], span), span)), after.span)
    return Choice(None, (before, after), span)


def join_branches(names: Names, test: Expression | None, arms: Sequence[Names], span: Span) -> None:
    """After a branch with two arms, `names` hold what either left; changed in place."""
    one, other = arms
    for name in _changed(names, arms):
        left, right = one.values.get(name), other.values.get(name)
        if left is None or right is None:
            value = left or right
            assert value is not None
            names.values[name] = value
        else:
            names.values[name] = alternatives(test, left, right, span)
    _take_definitions(names, arms)


def join_loop(names: Names, iterated: Expression, after: Names, span: Span) -> None:
    """After a loop, `names` hold what its body did any number of times; changed in place."""
    for name in _changed(names, (after,)):
        before, value = names.values.get(name), after.values[name]
        names.values[name] = value if before is None else repeated(iterated, before, value, span)
    _take_definitions(names, (after,))


def _changed(names: Names, arms: Iterable[Names]) -> list[str]:
    changed: dict[str, None] = {}
    for arm in arms:
        for name, value in arm.values.items():
            if names.values.get(name) is not value:
                changed[name] = None
    return list(changed)


def _take_definitions(names: Names, arms: Iterable[Names]) -> None:
    for arm in arms:
        names.functions.update(arm.functions)
        names.classes.update(arm.classes)
        names.imports.update(arm.imports)


def _shared(left: Sequence[Expression], right: Sequence[Expression]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one is not other and not (isinstance(one, Spread) and isinstance(other, Spread) and one.of is other.of):
            break
        count += 1
    return count


def _begins(items: Sequence[Expression], value: Expression) -> bool:
    """Whether items begin with all those of the list that is known by a name, or with a list that cannot be seen."""
    held = bare(value)
    if isinstance(held, Series):
        return held is not value and _shared(items, held.items) == len(held.items)
    return bool(items) and isinstance(items[0], Spread) and bare(items[0].of) is held


def _begun(items: Sequence[Expression], value: Expression) -> Series:
    """The list that items begin with."""
    held = bare(value)
    return held if isinstance(held, Series) else Series((items[0],), items[0].span)


def _grows(one: Bound, other: Bound) -> bool:
    """Whether two values of a name have a beginning in common, or can have."""
    return isinstance(one.value, Series | Join) or isinstance(other.value, Series | Join)


def _length(value: Expression) -> int:
    match value:
        case Series(items=parts) | Join(parts=parts):
            return len(parts)
    return 1


def _text_parts(value: Expression) -> tuple[Expression, ...]:
    """Parts of a text, through the names that it was given."""
    match value:
        case Join(parts=parts):
            return parts
        case Slot(of=of) | Bound(value=of) if isinstance(of, Join):
            return of.parts
        case Literal(value=str()) | Bound():
            return (value,)
    return ()


def _text(parts: tuple[Expression, ...], span: Span) -> Expression:
    if not parts:
        return Literal("", Span(span.end, span.end))
    return parts[0] if len(parts) == 1 else Join(parts, span)


def growing(value: Expression, span: Span) -> Expression:
    """A list that a loop around its use adds to: at each turn it holds what earlier turns added."""
    match value:
        case Bound(value=inner):
            return replace(value, value=growing(inner, span))
        case Series(items=items):
            return replace(value, items=(*items, Spread(Unknown((), span), span)))
    return value
