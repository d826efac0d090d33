"""What a request is made of, so that its parts are not looked at as requests of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from promptlint.expression import Bound, Call, Expression, Record, Series, children
from promptlint.flow.constructors import as_record, called
from promptlint.flow.table import Sinks
from promptlint.source import Source, Span

Key = tuple[Source, Span]
"""The place of a request, or of something that requests are made of."""


def uses(values: Sequence[Expression], source: Source, sinks: Sinks) -> Iterator[Key]:
    """Places of the lists, records, messages and names that values, written in a source, are made of.

    What a function that is not seen makes of its arguments is another text: a model's answer is made of no part of
    the question.
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
                stack.append((value.value, own))
                continue
            case Call(function=function) if not _makes_part(value, sinks):
                stack.append((function, where))
                continue
            case Record() | Series() | Call():
                yield where, value.span
        stack.extend((child, where) for child in children(value))


def _makes_part(call: Call, sinks: Sinks) -> bool:
    """Whether a call makes a message, a template or a record of what it is given."""
    dotted = called(call)
    if sinks.role(dotted) is not None or sinks.template(dotted) is not None:
        return True
    return as_record(call) is not None and not sinks.is_agent(dotted) and sinks.client(dotted) is None
