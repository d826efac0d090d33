"""Lists and records that a program builds: items, entries, what is added to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Entry,
    Expression,
    Index,
    Join,
    Literal,
    Name,
    Record,
    Series,
    Slice,
    Slot,
    Spread,
    path,
)
from promptlint.flow.names import Names, place_of
from promptlint.source import Source, Span
from promptlint.traversal import bare, unkept

if TYPE_CHECKING:
    from promptlint.flow.follow import Follower


_MOST_PARTS = 2_000
"""Items of lists and parts of texts that are added to others one by one; more stay together."""

_FEW_ITEMS = 30
"""Items of a list that a comprehension or a function is followed for one by one."""


def item(of: Expression, key: Expression, expression: Index) -> Expression:
    """An item of a value that can be seen, else the expression with its parts followed."""
    owner = bare(of)
    match owner, key:
        case Record(), Literal(value=name) if (entry := entry_of(owner, name)) is not None:
            return part_of(of, entry)
        case Series(items=items), Literal(value=int() as number) if not isinstance(number, bool):
            spread = next((at for at, each in enumerate(items) if isinstance(each, Spread)), len(items))
            if 0 <= number < spread or (spread == len(items) and -spread <= number < 0):
                return part_of(of, items[number])
        case Choice(options=options), Literal(value=int()) if any(isinstance(bare(each), Series) for each in options):
            # Of what a function returns in several ways: `tools, choice = pick()`.
            each_way = tuple(item(option, key, expression) for option in options)
            return part_of(of, replace(owner, options=each_way))
        case Choice(options=options), Literal(value=str()) if any(isinstance(bare(each), Record) for each in options):
            each_way = tuple(item(option, key, replace(expression, span=owner.span)) for option in options)
            return part_of(of, replace(owner, options=each_way))
    return replace(expression, of=of, key=key)


def entry_of(record: Record, name: object) -> Expression | None:
    """The value under a key; None when the record does not show it."""
    for entry in reversed(record.entries):
        if isinstance(entry, Entry) and isinstance(entry.key, Literal) and entry.key.value == name:
            return entry.value
    return None


def first_of(record: Record, names: Sequence[str]) -> Expression | None:
    """The value under the first of the keys that the record shows; None when it shows none."""
    return next((entry for name in names if (entry := entry_of(record, name)) is not None), None)


def spread_records(record: Record) -> Iterator[Record]:
    """Records whose entries a record takes over, also under a condition: `...(x && { content: x })`."""
    for inner in (bare(entry.of) for entry in record.entries if isinstance(entry, Spread)):
        for option in inner.options if isinstance(inner, Choice) else (inner,):
            if isinstance(taken := bare(option), Record):
                yield taken


def added(before: Expression, value: Expression, source: Source, span: Span) -> Expression:
    """`before + value`, as lists or as text, in a source."""
    return summed(Join((*_sum_parts(before, source), *_sum_parts(value, source)), span))


def summed(value: Expression) -> Expression:
    """A sum of lists as one list; anything else as it is."""
    if not isinstance(value, Join) or not any(is_list(part) for part in value.parts):
        return value
    items: list[Expression] = []
    for part in value.parts:
        inner = part.of if isinstance(part, Slot) else part
        series = bare(inner)
        if isinstance(series, Series) and inner is series and len(items) + len(series.items) < _MOST_PARTS:
            items.extend(series.items)
        else:
            items.append(Spread(inner, part.span))
    return Series(tuple(items), value.span)


def mutate(follower: Follower, expression: Call, names: Names) -> bool:
    """Follow a call that changes its object: `append`, `extend`, `push`, `insert`, `pop`, `sort`, `update`."""
    function = expression.function
    if not isinstance(function, Attribute) or not (place := place_of(function.of)):
        return False
    changed = _mutated(follower, function.name, follower.value(function.of, names), expression, names)
    if changed is None:
        return False
    names.values[place] = follower.bound(place, changed, function.of.span)
    return True


def _mutated(follower: Follower, name: str, held: Expression, expression: Call, names: Names) -> Expression | None:
    series = bare(held)
    items = series.items if isinstance(series, Series) else (Spread(held, expression.span),)
    span = series.span if isinstance(series, Series) else expression.span
    given = expression.arguments

    def values(arguments: Sequence[Expression]) -> Iterator[Expression]:
        return (follower.used(argument, names) for argument in arguments)

    match name:
        case "append" | "push" if given:
            return Series((*items, *values(given)), span)
        case "extend" if len(given) == 1:
            return Series((*items, *(_spread(value, given[0].span) for value in values(given))), span)
        case "unshift" if given:
            return Series((*values(given), *items), span)
        case "insert" if len(given) == 2:
            first = isinstance(given[0], Literal) and given[0].value == 0
            new = tuple(values(given[1:]))
            return Series((*new, *items) if first else (*items, *new), span)
        case "pop" if len(given) == 1 and isinstance(given[0], Literal) and given[0].value == 0:
            return Slice(held, 1, None, expression.span)
        case "shift" if not given:
            return Slice(held, 1, None, expression.span)
        case "sort":
            return Call(Name("sorted", expression.function.span), (held,), (), expression.span)
    return None


def _spread(value: Expression, span: Span) -> Expression:
    return Spread(value, span)


def is_list(part: Expression) -> bool:
    inner = part.of if isinstance(part, Slot) else part
    return isinstance(bare(inner), Series)


def _sum_parts(value: Expression, source: Source) -> tuple[Expression, ...]:
    match value:
        case Join(parts=parts) if len(parts) < _MOST_PARTS:
            return parts
        case Bound(value=inner, source=own) if own is source and isinstance(inner, Join | Literal | Bound):
            return _sum_parts(inner, source)
        case Literal(value=str()) | Bound() | Slot():
            return (value,)
    return (Slot(value, value.span),)


def written_items(of: Expression) -> Sequence[Expression]:
    """The items of a list that is written down as a whole and has few; none of any other value."""
    series = unkept(of)
    if not isinstance(series, Series) or len(series.items) > _FEW_ITEMS:
        return ()
    if any(isinstance(item, Spread) for item in series.items):
        return ()
    return [part_of(of, item) for item in series.items]


def part_of(of: Expression, part: Expression) -> Expression:
    """A part of a value keeps the source that the value was read in; what is written in place stands where it is."""
    while isinstance(of, Bound) and isinstance(of.value, Bound):
        of = of.value
    if not isinstance(of, Bound) or isinstance(part, Bound):
        return part
    return replace(of, value=part, span=part.span if of.span == of.value.span else of.span)


def mapping_of(value: Expression) -> dict[str, Expression]:
    """What a record or `dict(...)` holds under names that can be seen. Values know their source if the whole does."""
    inner, source = bare(value), source_of(value)
    given: dict[str, Expression] = {}
    if isinstance(inner, Call) and path(inner.function) == ("dict",):
        given = {key: each for key, each in inner.keywords if key != "**"}
    elif isinstance(inner, Record):
        for entry in inner.entries:
            match entry:
                case Entry(key=Literal(value=str() as key), value=each):
                    given[key] = each
                case Spread(of=of):
                    given.update(mapping_of(of if source is None else _in_source("", of, source)))
    return given if source is None else {key: _in_source(key, each, source) for key, each in given.items()}


def _in_source(name: str, part: Expression, source: Source) -> Expression:
    return part if isinstance(part, Bound) else Bound(name or "value", part, source, part.span)


def source_of(value: Expression) -> Source | None:
    """The source that a value's own parts were read in."""
    found: Source | None = None
    while isinstance(value, Bound | Slot):
        if isinstance(value, Bound):
            found, value = value.source, value.value
        else:
            value = value.of
    return found
