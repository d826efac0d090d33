"""What fills a hole, in one small language for every dialect.

Spans are offsets into the source that the expression was read from.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
    """One of several values; `test` says which, None when nothing visible does.

    `tests` are what the branches asked in which a name was given one of the values: such a name has a few variants.
    """

    test: Expression | None
    options: tuple[Expression, ...]
    span: Span
    tests: tuple[Expression, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison: true or false, over the values compared."""

    parts: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Truth:
    """Whether something is there, defined or non-empty; `not`, `and`, `or` of such.

    `how` is that word, or the name of a test of the value ("defined"); without one the value itself is asked.
    """

    parts: tuple[Expression, ...]
    span: Span
    how: str = ""


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
class Slot:
    """The place in built text where a value is written: `{x}` of an f-string, an operand of `+`."""

    of: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Series:
    """A list or tuple as it is written."""

    items: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Spread:
    """All items of a value, inside a series, a record or a call's arguments."""

    of: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value; the span covers both."""

    key: Expression
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Record:
    """A dictionary or object as it is written: `Entry` and `Spread`, in order."""

    entries: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Repeat:
    """The body once for each item of what is walked: a comprehension, or what a loop adds to a value.

    `span` is the iterated expression's with its `for`; `test` picks the items.
    """

    targets: tuple[str, ...]
    iterated: Expression
    body: Expression
    span: Span
    test: Expression | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A value that is computed once and used until the event named: "restart" for what a module computes."""

    of: Expression
    until: str
    span: Span


@dataclass(frozen=True, slots=True)
class Stepped:
    """A value that a program moves on between two of its calls: a loop's counter, a budget that is spent.

    `kind` is "counter", or "order" for a list whose items it moves about.
    """

    of: Expression
    span: Span
    kind: str = "counter"


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
    | Slot
    | Series
    | Spread
    | Entry
    | Record
    | Repeat
    | Kept
    | Stepped
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
    match expression:  # the most frequent first
        case Literal() | Name():
            return ()
        case Bound(value=value):
            return (value,)
        case Attribute(of=of) | Slice(of=of) | Format(of=of) | Element(of=of):
            return (of,)
        case Slot(of=of) | Spread(of=of) | Kept(of=of) | Stepped(of=of):
            return (of,)
        case Entry(key=key, value=value):
            return (key, value)
        case Series(items=items):
            return items
        case Record(entries=entries):
            return entries
        case Repeat(iterated=iterated, body=body, test=test):
            return (iterated, body) if test is None else (iterated, body, test)
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
    return ()
