"""What a request is made of, so that its parts are not looked at as requests of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Entry,
    Expression,
    Join,
    Kept,
    Record,
    Repeat,
    Series,
    Slot,
    Spread,
    children,
)
from promptlint.flow.constructors import as_record, called
from promptlint.flow.table import Sinks
from promptlint.flow.texts import is_text
from promptlint.source import Source, Span
from promptlint.traversal import bare

Key = tuple[Source, Span]
"""The place of a request, or of something that requests are made of."""


def uses(values: Sequence[Expression], source: Source, sinks: Sinks) -> Iterator[Key]:
    """Places of the lists, records, messages and names that stand in values, written in a source, as they are.

    What a function that is not seen makes of its arguments is another text, and so is one item of a list: a model's
    answer is made of no part of the question.
    """
    stack = [(value, source) for value in values]
    seen: set[tuple[int, int]] = set()
    while stack:
        value, where = stack.pop()
        if (id(value), id(where)) in seen:
            continue
        seen.add((id(value), id(where)))
        match value:
            case Bound(source=own, span=span):
                yield own, span
                where = own
            case Record() | Series():
                yield where, value.span
            case Call() if _makes_part(value, sinks) and sinks.template(called(value)) is None:
                yield where, value.span  # a template that is handed on shows its text only where it is filled in
        stack.extend((part, where) for part in _parts(value, sinks))


def _parts(value: Expression, sinks: Sinks) -> Sequence[Expression]:
    """What a value is put together of without any change."""
    match value:
        case Bound(value=of) | Entry(value=of) | Repeat(body=of):
            return (of,)
        case Kept(of=of) | Slot(of=of) | Spread(of=of):
            return (of,)
        case Join(parts=parts):
            return [part for part in parts if is_text(part)]
        case Series(items=parts) | Record(entries=parts) | Choice(options=parts):
            return parts
        case Call() if _makes_part(value, sinks):
            return children(value)
        case Call(function=Attribute(of=of)) if isinstance(bare(of), Call):
            return (of,)
    return ()


def _makes_part(call: Call, sinks: Sinks) -> bool:
    """Whether a call makes a message, a template or a record of what it is given."""
    dotted = called(call)
    if sinks.role(dotted) is not None or sinks.template(dotted) is not None:
        return True
    return as_record(call) is not None and not sinks.is_agent(dotted) and sinks.client(dotted) is None
