"""What fills a hole, in one small language for every dialect.

Spans are offsets into the source that the expression was read from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from promptlint.source import Source, Span


@dataclass(frozen=True, slots=True)
class Name:
    id: str
    span: Span


@dataclass(frozen=True, slots=True)
class Attribute:
    of: Expression
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Index:
    of: Expression
    key: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Slice:
    """`of[start:stop]`; a bound that is not a whole number in the text is None."""

    of: Expression
    start: int | None
    stop: int | None
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    function: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Filter:
    of: Expression
    name: str
    arguments: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Format:
    """A value with a format specification: `{now:%H:%M}`."""

    of: Expression
    spec: str
    span: Span


@dataclass(frozen=True, slots=True)
class Literal:
    value: str | int | float | bool | None
    span: Span


@dataclass(frozen=True, slots=True)
class Join:
    """Parts written one after the other."""

    parts: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values; `test` says which, None when nothing visible does."""

    test: Expression | None
    options: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison: true or false, over the values compared."""

    parts: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Truth:
    """Whether something is there, defined or non-empty; `not`, `and`, `or` of such."""

    parts: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Element:
    """One item of what a loop walks."""

    of: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Bound:
    """A name with the value it was given elsewhere: one hop on the way back to the source."""

    name: str
    value: Expression
    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything else; its lifetime is that of its children."""

    parts: tuple[Expression, ...]
    span: Span


Expression = (
    Name
    | Attribute
    | Index
    | Slice
    | Call
    | Filter
    | Format
    | Literal
    | Join
    | Choice
    | Compare
    | Truth
    | Element
    | Bound
    | Unknown
)


def path(expression: Expression) -> tuple[str, ...]:
    """Dotted path of a name or attribute chain, outermost name first; empty when there is none.

    `datetime.datetime.now` gives ("datetime", "datetime", "now"); `a["b"].c` gives ("a", "b", "c").
    """
    match expression:
        case Name(id=name):
            return (name,)
        case Attribute(of=of, name=name):
            head = path(of)
            return (*head, name) if head else ()
        case Index(of=of, key=Literal(value=str() as key)):
            head = path(of)
            return (*head, key) if head else ()
    return ()


def children(expression: Expression) -> tuple[Expression, ...]:
    """Direct sub-expressions, in order of the text."""
    match expression:
        case Attribute(of=of) | Slice(of=of) | Format(of=of) | Element(of=of):
            return (of,)
        case Index(of=of, key=key):
            return (of, key)
        case Call(function=function, arguments=arguments, keywords=keywords):
            return (function, *arguments, *(value for _, value in keywords))
        case Filter(of=of, arguments=arguments):
            return (of, *arguments)
        case Join(parts=parts) | Compare(parts=parts) | Truth(parts=parts) | Unknown(parts=parts):
            return parts
        case Choice(test=test, options=options):
            return options if test is None else (test, *options)
        case Bound(value=value):
            return (value,)
    return ()


def names(expression: Expression) -> Iterator[Name]:
    """Every free name in the expression."""
    if isinstance(expression, Name):
        yield expression
    for child in children(expression):
        yield from names(child)


def rebuild(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with every direct sub-expression replaced by what `change` makes of it."""
    match expression:
        case Attribute(of=of) | Slice(of=of) | Format(of=of) | Element(of=of):
            return replace(expression, of=change(of))
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
