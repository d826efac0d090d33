"""The names that a loop unpacks each item into: `for item, score in scored`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Element,
    Expression,
    Kept,
    Name,
    Repeat,
    Series,
    Slice,
    Slot,
    Spread,
    path,
)
from promptlint.lifetimes.entries import SAME_ITEMS
from promptlint.source import Span

_DEEPEST = 40


def unpacked(iterated: Expression, targets: Sequence[str], span: Span) -> list[Expression]:
    """What each name is given: the values that stand in its place in the items where all of them can be seen, as pairs
    in a list or lists in a `zip`; else an item as a whole."""
    count = len(targets)
    if count > 1 and isinstance(iterated, Call) and path(iterated.function) == ("zip",):
        lists = iterated.arguments
        if len(lists) == count and not any(isinstance(each, Spread) for each in lists):
            return [Element(each, span) for each in lists]
    columns = [_column(iterated, at, count, _DEEPEST) if count > 1 else None for at in range(count)]
    return [Element(iterated if column is None else column, span) for column in columns]


def _column(value: Expression, at: int, count: int, deep: int) -> Expression | None:
    """The list with one of `count` values in the place of each item; None where an item is not seen to have so many."""
    if not deep:
        return None

    def inner(of: Expression) -> Expression | None:
        return _column(of, at, count, deep - 1)

    match value:
        case Slice(of=of) if (column := inner(of)) is not None:
            return replace(value, of=column)
        case Call(function=Name(id=name), arguments=(of, *rest)) if name in SAME_ITEMS:
            return None if (column := inner(of)) is None else replace(value, arguments=(column, *rest))
        case Call(function=Attribute(of=of, name=name) as method) if name in SAME_ITEMS:
            return None if (column := inner(of)) is None else replace(value, function=replace(method, of=column))
        case Repeat(body=body):
            # One item each time, as in a comprehension, or a list of those that a loop adds each time.
            found = [made for made in (_picked(body, at, count, deep - 1), inner(body)) if made is not None]
            return replace(value, body=found[0]) if len(found) == 1 else None
        case Series(items=items):
            picked = []
            for item in items:
                one = inner(item) if isinstance(item, Spread) else _picked(item, at, count, deep - 1)
                if one is None:
                    return None
                picked.append(one)
            return replace(value, items=tuple(picked))
    return _within(value, inner)


def _picked(item: Expression, at: int, count: int, deep: int) -> Expression | None:
    """The value at a place of an item that is seen to have `count`."""
    if not deep:
        return None
    if isinstance(item, Series):
        seen = len(item.items) == count and not any(isinstance(each, Spread | Repeat) for each in item.items)
        return item.items[at] if seen else None
    return _within(item, lambda of: _picked(of, at, count, deep - 1))


def _within(value: Expression, change: Callable[[Expression], Expression | None]) -> Expression | None:
    """The value with another one behind its names; each option of several."""
    match value:
        case Bound(value=of):
            return None if (made := change(of)) is None else replace(value, value=made)
        case Slot(of=of) | Kept(of=of) | Spread(of=of):
            return None if (made := change(of)) is None else replace(value, of=made)
        case Choice(options=options):
            found = [change(option) for option in options]
            options = tuple(each for each in found if each is not None)
            return replace(value, options=options) if options and len(options) == len(found) else None
    return None
