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
    Literal,
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
    in a list or lists in a `zip`; else an item as a whole. The number of an item in `enumerate` is no item."""
    count = len(targets)
    if count > 1 and isinstance(iterated, Call):
        name, lists = path(iterated.function), iterated.arguments
        if name == ("zip",) and len(lists) == count and not any(isinstance(each, Spread) for each in lists):
            return [Element(each, span) for each in lists]
        if name == ("enumerate",):
            # The number of an item is the same whatever the item is.
            return [Element(Literal(0, span), span), *(Element(iterated, span) for _ in targets[1:])]
    columns = [_Column(at, count).of(iterated) if count > 1 else None for at in range(count)]
    return [Element(iterated if column is None else column, span) for column in columns]


class _Column:
    """The values at one of `count` places of the items of a list. What several names share is looked at once."""

    def __init__(self, at: int, count: int) -> None:
        self._at, self._count = at, count
        self._known: dict[tuple[int, bool], Expression | None] = {}

    def of(self, value: Expression, deep: int = 0) -> Expression | None:
        """The list with such a value in the place of each item; None where an item is not seen to have so many."""
        return self._once(value, deep, item=False)

    def _picked(self, item: Expression, deep: int) -> Expression | None:
        """The value at the place of an item that is seen to have so many."""
        return self._once(item, deep, item=True)

    def _once(self, value: Expression, deep: int, *, item: bool) -> Expression | None:
        if deep > _DEEPEST:
            return None
        place = id(value), item
        if place not in self._known:
            self._known[place] = self._look_at(value, deep + 1) if item else self._look(value, deep + 1)
        return self._known[place]

    def _look(self, value: Expression, deep: int) -> Expression | None:
        match value:
            case Slice(of=of):
                return None if (column := self.of(of, deep)) is None else replace(value, of=column)
            case Call(function=Name(id=name), arguments=(of, *rest)) if name in SAME_ITEMS:
                return None if (column := self.of(of, deep)) is None else replace(value, arguments=(column, *rest))
            case Call(function=Attribute(of=of, name=name) as method) if name in SAME_ITEMS:
                column = self.of(of, deep)
                return None if column is None else replace(value, function=replace(method, of=column))
            case Repeat(body=body):
                # One item each time, as in a comprehension, or a list of those that a loop adds each time.
                found = [made for made in (self._picked(body, deep), self.of(body, deep)) if made is not None]
                return replace(value, body=found[0]) if len(found) == 1 else None
            case Series(items=items):
                parts = [
                    self.of(each, deep) if isinstance(each, Spread) else self._picked(each, deep) for each in items
                ]
                seen = tuple(each for each in parts if each is not None)
                return replace(value, items=seen) if len(seen) == len(items) else None
        return _within(value, lambda of: self.of(of, deep))

    def _look_at(self, item: Expression, deep: int) -> Expression | None:
        if isinstance(item, Series):
            seen = len(item.items) == self._count and not any(isinstance(each, Spread | Repeat) for each in item.items)
            return item.items[self._at] if seen else None
        return _within(item, lambda of: self._picked(of, deep))


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
