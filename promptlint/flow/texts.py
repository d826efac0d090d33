"""Text that a program builds: joined, filled in, replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from promptlint.expression import (
    Bound,
    Choice,
    Expression,
    Join,
    Kept,
    Literal,
    Repeat,
    Series,
    Slot,
    Spread,
)
from promptlint.flow.names import bare
from promptlint.flow.runs import Run, in_runs
from promptlint.source import Source, Span


def is_text(value: Expression) -> bool:
    """Whether a value is text that can be seen at least in part."""
    match value:
        case Literal(value=str()):
            return True
        case Join(parts=parts):
            return any(is_text(part) for part in parts)
        case Choice(options=options):
            return any(is_text(option) and not _is_empty(option) for option in options)
        case Repeat(body=body):
            return is_text(body)
        case Bound(value=of) | Kept(of=of) | Slot(of=of):
            return is_text(of)
    return False


def _is_empty(value: Expression) -> bool:
    return isinstance(value, Literal) and value.value == ""


def is_constant(value: Expression) -> bool:
    """Whether nothing in a value can be another one in another run."""
    match value:
        case Literal():
            return True
        case Join(parts=parts) | Series(items=parts):
            return all(is_constant(part) for part in parts)
        case Bound(value=of) | Kept(of=of) | Slot(of=of):
            return is_constant(of)
    return False


def joined(separator: Expression, items: Expression, span: Span) -> Expression | None:
    """The items of a list with a separator between them; None when the list cannot be seen."""
    series = bare(items)
    if isinstance(series, Kept):
        series = bare(series.of)
    if not isinstance(series, Series):
        return None
    parts: list[Expression] = []
    for item in series.items:
        if parts:
            parts.append(separator)
        parts.append(_joined_item(separator, item))
    return Join(tuple(parts), span)


def _joined_item(separator: Expression, item: Expression) -> Expression:
    match item:
        case Spread(of=of, span=span):
            match of:
                case Repeat(body=Series(items=items, span=inner)):
                    # What a loop appends in each round.
                    parts: list[Expression] = []
                    for each in items:
                        parts.extend((_joined_item(separator, each), separator))
                    return replace(of, body=Join(tuple(parts), inner))
                case Repeat(body=body):
                    return replace(of, body=Join((Slot(body, body.span), separator), of.span))
                case Choice(options=options):
                    texts = tuple(joined(separator, option, span) or Slot(option, span) for option in options)
                    return replace(of, options=texts)
            return joined(separator, of, span) or Slot(of, span)
        case Literal(value=str()) | Join() | Bound() | Slot():
            return item
    return Slot(item, item.span)


Fill = Callable[[Run], Sequence[Expression]]


def refilled(value: Expression, source: Source, fill: Fill) -> Expression | None:
    """The text with literals in it replaced by what `fill` makes of them; None when no text can be seen."""
    match value:
        case Literal(value=str()):
            return Join(tuple(fill(Run((value,), source))), value.span)
        case Join(parts=parts):
            return replace(value, parts=tuple(_refilled_parts(parts, source, fill)))
        case Choice(options=options):
            return replace(value, options=tuple(refilled(option, source, fill) or option for option in options))
        case Bound(value=of):
            inner = refilled(of, value.source, fill)
            return None if inner is None else replace(value, value=inner)
        case Kept(of=of) | Slot(of=of):
            inner = refilled(of, source, fill)
            return None if inner is None else replace(value, of=inner)
    return None


def _refilled_parts(parts: Sequence[Expression], source: Source, fill: Fill) -> Iterator[Expression]:
    for group in in_runs(parts):
        literals = [part for part in group if isinstance(part, Literal)]
        if literals and literals[0].value is not None:
            yield from fill(Run(literals, source))
        else:
            yield refilled(group[0], source, fill) or group[0]
