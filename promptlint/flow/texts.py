"""Text that a program builds: joined, filled in, replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from promptlint.dialects import strformat
from promptlint.expression import (
    Bound,
    Choice,
    Expression,
    Join,
    Kept,
    Literal,
    Name,
    Repeat,
    Series,
    Slot,
    Spread,
    Unknown,
    rebuild,
)
from promptlint.flow.names import bare
from promptlint.flow.runs import Run, in_runs
from promptlint.source import Source, Span

_PRINTF = re.compile(r"%(?:\((\w{1,60})\))?[-#0 +]{0,4}(?:\d{1,4}|\*)?(?:\.\d{1,4})?[sdrifxXeEgGac%]")


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
        case Literal(value=str()) | Join():
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
            if inner is None:
                return None
            return inner if is_constant(of) else replace(value, of=inner)
    return None


def _refilled_parts(parts: Sequence[Expression], source: Source, fill: Fill) -> Iterator[Expression]:
    for group in in_runs(parts):
        literals = [part for part in group if isinstance(part, Literal)]
        if literals and literals[0].value is not None:
            yield from fill(Run(literals, source))
        else:
            yield refilled(group[0], source, fill) or group[0]


def formatted(
    value: Expression, source: Source, given: Sequence[Expression], named: Mapping[str, Expression]
) -> Expression | None:
    """`value.format(...)`: the fields of the text filled in; None when the text cannot be seen.

    `given` and `named` are values that know their own source (`Bound`); a field that is not given stays a hole.
    """
    numbers = iter(range(len(given)))

    def fill(run: Run) -> Sequence[Expression]:
        return tuple(_format(run, given, named, numbers))

    return refilled(value, source, fill) if is_text(value) else None


def _format(
    run: Run, given: Sequence[Expression], named: Mapping[str, Expression], numbers: Iterator[int]
) -> Iterator[Expression]:
    text = run.text
    template = strformat.cut(text, 0, len(text))
    if template.problems:
        yield from run.literals(0, len(text))
        return

    def filled(expression: Expression) -> Expression:
        span = run.span(expression.span.start, expression.span.end)
        match expression:
            case Unknown(parts=()):
                digits = text[expression.span.start : expression.span.end]
                number = int(digits) if digits.isdigit() else next(numbers, len(given))
                return given[number] if number < len(given) else replace(expression, span=span)
            case Name(id=name) if name in named:
                return named[name]
        return replace(rebuild(expression, filled), span=span)

    for piece in template.pieces:
        start, end = piece.span.start, piece.span.end
        if piece.expression is not None:
            yield Slot(filled(piece.expression), run.span(start, end))
        elif piece.text == text[start:end]:
            yield from run.literals(start, end)
        elif piece.text:
            yield Literal(piece.text, run.span(start, end))


def printed(value: Expression, source: Source, given: Expression) -> Expression | None:
    """`value % given`: the directives of the text filled in; None when the text cannot be seen."""
    inner = bare(given)
    values = list(inner.items) if isinstance(inner, Series) else [given]
    numbers = iter(range(len(values)))

    def fill(run: Run) -> Iterator[Expression]:
        at = 0
        for found in _PRINTF.finditer(run.text):
            if found[0] == "%%":
                yield from run.literals(at, found.start() + 1)
                at = found.end()
                continue
            yield from run.literals(at, found.start())
            number = next(numbers, len(values)) if found[1] is None else len(values)
            of = values[number] if number < len(values) else Unknown((given,), given.span)
            yield Slot(of, run.span(*found.span()))
            at = found.end()
        yield from run.literals(at, len(run.text))

    return refilled(value, source, lambda run: tuple(fill(run))) if is_text(value) else None


def replaced(value: Expression, source: Source, old: Expression, new: Expression) -> Expression | None:
    """`value.replace(old, new)`; None when the text or what is replaced cannot be seen."""
    wanted = bare(old)
    if not isinstance(wanted, Literal) or not isinstance(wanted.value, str) or not wanted.value:
        return None
    mark = wanted.value

    def fill(run: Run) -> Iterator[Expression]:
        at = 0
        while (found := run.text.find(mark, at)) >= 0:
            yield from run.literals(at, found)
            yield Slot(new, run.span(found, found + len(mark)))
            at = found + len(mark)
        yield from run.literals(at, len(run.text))

    return refilled(value, source, lambda run: tuple(fill(run))) if is_text(value) else None
