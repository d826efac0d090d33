"""What a request is made of: the places of the lists, records, calls and names in its values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from promptlint.expression import Attribute, Bound, Call, Expression, Index, Record, Series, children
from promptlint.flow.constructors import called
from promptlint.flow.table import Sinks
from promptlint.source import Source, Span

Key = tuple[Source, Span]
"""Where a request is built."""


def uses(values: Sequence[Expression], source: Source, sinks: Sinks) -> Iterator[Key]:
    """Places that values are made of. A template that is handed on shows its text only where it is filled in."""
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
            case Call() if sinks.client(called(value)) is not None or sinks.steps.is_model(called(value)):
                continue  # what was asked is not in the answer
            case Call() if sinks.template(called(value)) is not None:
                pass
            case Attribute() | Index():
                continue  # a part that could not be seen
            case Call(function=Attribute(of=of)):
                yield where, value.span
                stack.append((of, where))
            case Record() | Series() | Call():
                yield where, value.span
        stack.extend((child, where) for child in children(value))
