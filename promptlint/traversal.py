"""Walks over expressions: what they are made of, what stands behind names, the same with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Compare,
    Element,
    Entry,
    Expression,
    Filter,
    Format,
    Index,
    Join,
    Kept,
    Literal,
    Name,
    Record,
    Repeat,
    Series,
    Slice,
    Slot,
    Spread,
    Stepped,
    Truth,
    Unknown,
    children,
)


def bare(value: Expression) -> Expression:
    """The value behind the names that it was given and the place where it is used."""
    while isinstance(value, Bound | Slot):
        value = value.value if isinstance(value, Bound) else value.of
    return value


def unkept(value: Expression) -> Expression:
    """The value behind names, and behind how long it is kept under them."""
    inner = bare(value)
    while isinstance(inner, Kept):
        inner = bare(inner.of)
    return inner


def entries_of(value: Expression) -> dict[str, Expression]:
    """The entries of a record whose keys are texts; none of anything else."""
    record = bare(value)
    return {
        entry.key.value: entry.value
        for entry in (record.entries if isinstance(record, Record) else ())
        if isinstance(entry, Entry) and isinstance(entry.key, Literal) and isinstance(entry.key.value, str)
    }


def parts(expression: Expression) -> Iterator[Expression]:
    """The expression and all that it is made of, in order of the text; a node that several share once."""
    return reached(expression, lambda part: reversed(children(part)))


def reached(expression: Expression, into: Callable[[Expression], Iterable[Expression]]) -> Iterator[Expression]:
    """The expression and what `into` leads to from there, the last first; a node that is reached in several ways once,
    since what many names share can be reached in more ways than can be walked."""
    left, seen = [expression], set[int]()
    while left:
        part = left.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield part
            left.extend(into(part))


def names(expression: Expression) -> Iterator[Name]:
    """Every free name in the expression."""
    return (part for part in parts(expression) if isinstance(part, Name))


def rebuild(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with every direct sub-expression replaced by what `change` makes of it."""
    match expression:
        case Attribute(of=of) | Slice(of=of) | Format(of=of) | Element(of=of):
            return replace(expression, of=change(of))
        case Slot(of=of) | Spread(of=of) | Kept(of=of) | Stepped(of=of):
            return replace(expression, of=change(of))
        case Entry(key=key, value=value):
            return replace(expression, key=change(key), value=change(value))
        case Series(items=items):
            return replace(expression, items=tuple(map(change, items)))
        case Record(entries=entries):
            return replace(expression, entries=tuple(map(change, entries)))
        case Repeat(iterated=iterated, body=body, test=test):
            kept = None if test is None else change(test)
            return replace(expression, iterated=change(iterated), body=change(body), test=kept)
        case Index(of=of, key=key):
            return replace(expression, of=change(of), key=change(key))
        case Call(function=function, arguments=arguments, keywords=keywords):
            return replace(
                expression,
                function=change(function),
                arguments=tuple(map(change, arguments)),
                keywords=tuple((name, change(value)) for name, value in keywords),
            )
        case Filter(of=of, arguments=arguments):
            return replace(expression, of=change(of), arguments=tuple(map(change, arguments)))
        case Join(parts=parts) | Compare(parts=parts) | Truth(parts=parts) | Unknown(parts=parts):
            return replace(expression, parts=tuple(map(change, parts)))
        case Choice(test=test, options=options):
            return replace(expression, test=None if test is None else change(test), options=tuple(map(change, options)))
    return expression


def weight(expression: Expression, limit: int) -> int:
    """Number of nodes in the expression, counted no further than just above `limit`."""
    count, left = 0, [expression]
    while left and count <= limit:
        count += 1
        left.extend(children(left.pop()))
    return count
