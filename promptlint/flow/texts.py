"""Text that a program builds: joined, filled in, replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from promptlint.dialects import strformat
from promptlint.expression import (
    Bound,
    Call,
    Choice,
    Entry,
    Expression,
    Join,
    Kept,
    Literal,
    Name,
    Record,
    Repeat,
    Series,
    Slot,
    Spread,
    Unknown,
    children,
    rebuild,
)
from promptlint.flow.names import bare
from promptlint.source import Source, Span, alignment

_UNSEEN = 8
"""Words that a constant whose text cannot be seen counts for."""

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


def module_value(value: Expression, span: Span) -> Expression:
    """A value that a module computes: the same until the process ends, unless it is the same for ever."""
    if isinstance(value, Bound) and not is_constant(value.value):
        return replace(value, value=Kept(value.value, "restart", span))
    return value


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


def words_in(value: Expression, depth: int = 0) -> int:
    """Words of the text that can be seen in a value; unknown constants count as prose."""
    if depth > 30:
        return 0
    match value:
        case Literal(value=str() as text):
            return len(text.split())
        case Kept(of=of, until="restart") if not is_text(of) and not isinstance(bare(of), Series | Record):
            return _UNSEEN
        case Bound(value=of) | Kept(of=of) | Slot(of=of) | Spread(of=of) | Entry(value=of):
            return words_in(of, depth + 1)
        case Call():
            return 0
    return sum(words_in(child, depth + 1) for child in children(value))


Fill = Callable[[Literal, Source], Expression]


def refilled(value: Expression, source: Source, fill: Fill) -> Expression | None:
    """The text with each literal in it replaced by what `fill` makes of it; None when no text can be seen."""
    match value:
        case Literal(value=str()):
            return fill(value, source)
        case Join(parts=parts):
            return replace(value, parts=tuple(refilled(part, source, fill) or part for part in parts))
        case Choice(options=options):
            return replace(value, options=tuple(refilled(option, source, fill) or option for option in options))
        case Bound(value=of):
            inner = refilled(of, value.source, fill)
            return None if inner is None else replace(value, value=inner)
        case Kept(of=of, until=until):
            # What is kept is the text around the holes, not what they are filled with now.
            inside = _kept_inside(of, until)
            return None if isinstance(inside, Kept) else refilled(inside, source, fill)
        case Slot(of=of):
            inner = refilled(of, source, fill)
            if inner is None:
                return None
            return inner if is_constant(of) else replace(value, of=inner)
    return None


def _kept_inside(value: Expression, until: str) -> Expression:
    """A value of which each part that is no text is kept."""
    match value:
        case Literal():
            return value
        case Join(parts=parts):
            return replace(value, parts=tuple(_kept_inside(part, until) for part in parts))
        case Choice(options=options):
            return replace(value, options=tuple(_kept_inside(option, until) for option in options))
        case Bound(value=of):
            return replace(value, value=_kept_inside(of, until))
        case Slot(of=of):
            return replace(value, of=_kept_inside(of, until))
    return Kept(value, until, value.span)


def formatted(
    value: Expression, source: Source, given: Sequence[Expression], named: Mapping[str, Expression]
) -> Expression | None:
    """`value.format(...)`: the fields of the text filled in; None when the text cannot be seen.

    `given` and `named` are values that know their own source (`Bound`); a field that is not given stays a hole.
    """
    numbers = iter(range(len(given)))

    def fill(literal: Literal, text_source: Source) -> Expression:
        return _format_literal(literal, text_source, given, named, numbers)

    return refilled(value, source, fill) if is_text(value) else None


def _format_literal(
    literal: Literal,
    source: Source,
    given: Sequence[Expression],
    named: Mapping[str, Expression],
    numbers: Iterator[int],
) -> Expression:
    text = str(literal.value)
    template = strformat.cut(text, 0, len(text))
    if template.problems:
        return literal
    outside = _Offsets(literal, source)

    def filled(expression: Expression) -> Expression:
        match expression:
            case Unknown(parts=(), span=span):
                digits = text[span.start : span.end]
                number = int(digits) if digits.isdigit() else next(numbers, len(given))
                return given[number] if number < len(given) else replace(expression, span=outside.span(span))
            case Name(id=name) if name in named:
                return named[name]
        moved = rebuild(expression, filled)
        return replace(moved, span=outside.span(expression.span))

    parts: list[Expression] = []
    for piece in template.pieces:
        span = outside.span(piece.span)
        if piece.expression is None:
            if piece.text:
                parts.append(Literal(piece.text, span))
        else:
            parts.append(Slot(filled(piece.expression), span))
    return Join(tuple(parts), literal.span)


def printed(value: Expression, source: Source, given: Expression) -> Expression | None:
    """`value % given`: the directives of the text filled in; None when the text cannot be seen."""
    inner = bare(given)
    values = list(inner.items) if isinstance(inner, Series) else [given]
    numbers = iter(range(len(values)))

    def fill(literal: Literal, text_source: Source) -> Expression:
        text, outside = str(literal.value), _Offsets(literal, text_source)
        parts: list[Expression] = []
        at = 0
        for found in _PRINTF.finditer(text):
            if found[0] == "%%":
                continue
            if found.start() > at:
                parts.append(
                    Literal(text[at : found.start()].replace("%%", "%"), outside.span(Span(at, found.start())))
                )
            number = next(numbers, len(values)) if found[1] is None else len(values)
            of = values[number] if number < len(values) else Unknown((given,), given.span)
            parts.append(Slot(of, outside.span(Span(*found.span()))))
            at = found.end()
        if at < len(text):
            parts.append(Literal(text[at:].replace("%%", "%"), outside.span(Span(at, len(text)))))
        return Join(tuple(parts), literal.span)

    return refilled(value, source, fill) if is_text(value) else None


def replaced(value: Expression, source: Source, old: Expression, new: Expression) -> Expression | None:
    """`value.replace(old, new)`; None when the text or what is replaced cannot be seen."""
    wanted = bare(old)
    if not isinstance(wanted, Literal) or not isinstance(wanted.value, str) or not wanted.value:
        return None
    mark = wanted.value

    def fill(literal: Literal, text_source: Source) -> Expression:
        text = str(literal.value)
        if mark not in text:
            return literal
        outside = _Offsets(literal, text_source)
        parts: list[Expression] = []
        at = 0
        while (found := text.find(mark, at)) >= 0:
            if found > at:
                parts.append(Literal(text[at:found], outside.span(Span(at, found))))
            parts.append(Slot(new, outside.span(Span(found, found + len(mark)))))
            at = found + len(mark)
        if at < len(text):
            parts.append(Literal(text[at:], outside.span(Span(at, len(text)))))
        return Join(tuple(parts), literal.span)

    return refilled(value, source, fill) if is_text(value) else None


class _Offsets:
    """Where the characters of a literal's text stand in its source."""

    def __init__(self, literal: Literal, source: Source) -> None:
        self._span = literal.span
        self._offsets = alignment(source.slice(literal.span), str(literal.value))

    def span(self, span: Span) -> Span:
        if self._offsets is None:
            return self._span
        start = self._span.start
        return Span(start + self._offsets[span.start], start + self._offsets[span.end])
