"""Values written as JSON: keys are text, values are holes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from promptlint.expression import (
    Bound,
    Choice,
    Entry,
    Expression,
    Join,
    Kept,
    Literal,
    Record,
    Repeat,
    Series,
    Slot,
    Spread,
)
from promptlint.flow.names import parts_in
from promptlint.source import Source, Span
from promptlint.traversal import entries_of, unkept

_MOST_NODES = 4_000


def dumped(value: Expression, span: Span) -> Expression | None:
    """The text of `json.dumps(value)`, as far as the value's keys can be seen; None when they cannot."""
    if not isinstance(unkept(value), Record | Series) or _is_too_large(value):
        return None
    return Join(tuple(_parts(value, span)), span)


def tool_calls(value: Expression, source: Source) -> Iterator[Record]:
    """The records in a value, written in a source, that say what a tool was called with."""
    for part, where in islice(parts_in(value, source), _MOST_NODES):
        if where is source and isinstance(part, Record) and {"name", "arguments"} <= entries_of(part).keys():
            yield part


def _is_too_large(value: Expression) -> bool:
    """Whether more records, lists and entries are in a value than are written; what fills them is not looked at."""
    left, count = [value], 0
    while left and count <= _MOST_NODES:
        count += 1
        match left.pop():
            case Record(entries=parts) | Series(items=parts) | Choice(options=parts):
                left.extend(parts)
            case Entry(value=of) | Spread(of=of) | Repeat(body=of) | Bound(value=of) | Slot(of=of) | Kept(of=of):
                left.append(of)
    return count > _MOST_NODES


def _parts(value: Expression, span: Span) -> Iterator[Expression]:
    match value:
        case Bound(value=of, source=source):
            inner = unkept(of)
            if isinstance(inner, Record | Series):
                yield Bound(value.name, Join(tuple(_parts(of, inner.span)), inner.span), source, value.span)
            else:
                yield Slot(value, span)
        case Slot(of=of) if isinstance(unkept(of), Record | Series):
            yield from _parts(of, span)
        case Kept(of=of):
            yield Kept(Join(tuple(_parts(of, span)), span), value.until, value.span)
        case Record(entries=entries):
            yield from _row("{", "}", entries, value.span)
        case Series(items=items):
            yield from _row("[", "]", items, value.span)
        case Literal(value=None | str() | int() | float() | bool()):
            yield Literal(json.dumps(value.value, ensure_ascii=False), value.span)
        case Choice():
            yield Slot(value, value.span)
        case _:
            yield Slot(value, value.span)


def _row(opening: str, closing: str, items: tuple[Expression, ...], span: Span) -> Iterator[Expression]:
    yield Literal(opening, Span(span.start, min(span.start + 1, span.end)))
    yield from _members(items)
    yield Literal(closing, Span(max(span.end - 1, span.start), span.end))


def _members(items: tuple[Expression, ...]) -> Iterator[Expression]:
    """Entries of a record or items of a list, with commas between them; those of a list inside are its own."""
    for number, item in enumerate(items):
        comma = ", " if number else ""
        match item:
            case Entry(key=Literal(value=key) as name, value=of):
                yield Literal(f"{comma}{json.dumps(str(key), ensure_ascii=False)}: ", name.span)
                yield from _parts(of, of.span)
            case Spread(of=Repeat(body=body) as repeat) if isinstance(inner := unkept(body), Record | Series):
                parts = _members(inner.items) if isinstance(inner, Series) else _parts(body, body.span)
                start = Span(body.span.start, body.span.start)
                yield replace(repeat, body=Join((Literal(comma, start), *parts), body.span))
            case Spread(of=of) if isinstance(unkept(of), Series):
                yield _listed(of)
            case Spread(of=Choice(options=options) as choice) if all(isinstance(unkept(of), Series) for of in options):
                yield replace(choice, options=tuple(_listed(of) for of in options))
            case Spread(of=of) | Entry(value=of):
                yield Slot(of, item.span)
            case _:
                if comma:
                    yield Literal(comma, Span(item.span.start, item.span.start))
                yield from _parts(item, item.span)


def _listed(value: Expression) -> Expression:
    """The items of a list as text without its brackets."""
    series = unkept(value)
    items = tuple(_members(series.items)) if isinstance(series, Series) else ()
    text = Join(items, series.span) if items else Literal("", Span(series.span.start, series.span.start))
    return Bound(value.name, text, value.source, value.span) if isinstance(value, Bound) else text
