"""Text that a program builds: joined, filled in, replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from promptlint.expression import (
    Bound,
    Call,
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
    children,
)
from promptlint.flow.lists import part_of, source_of
from promptlint.flow.runs import Run, in_runs
from promptlint.source import Source, Span
from promptlint.traversal import bare, unkept, weight

_UNSEEN = 8
"""Words that a constant whose text cannot be seen counts for."""

_DEEPEST = 8
"""Lists inside lists whose items are joined one by one."""

_MOST_NODES = 4_000
"""Parts of a text that is filled in: past that its holes stay what they are."""


def is_text(value: Expression) -> bool:
    """Whether a value is text that can be seen at least in part."""
    stack, seen = [value], set[int]()
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        match part:
            case Literal(value=str()):
                return True
            case Join(parts=parts):
                stack.extend(parts)
            case Choice(options=options):
                stack.extend(option for option in options if not _is_empty(option))
            case Repeat(body=body):
                stack.append(body)
            case Bound(value=of) | Kept(of=of) | Slot(of=of):
                stack.append(of)
    return False


def _is_empty(value: Expression) -> bool:
    return isinstance(value, Literal) and value.value == ""


def is_constant(value: Expression) -> bool:
    """Whether nothing in a value can be another one in another run."""
    stack, seen = [value], set[int]()
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        match part:
            case Literal():
                pass
            case Join(parts=parts) | Series(items=parts):
                stack.extend(parts)
            case Bound(value=of) | Kept(of=of) | Slot(of=of):
                stack.append(of)
            case _:
                return False
    return True


def module_value(value: Expression, span: Span) -> Expression:
    """A value that a module computes: the same until the process ends, unless it is the same for ever."""
    if isinstance(value, Bound) and not is_constant(value.value):
        return replace(value, value=Kept(value.value, "restart", span))
    return value


def joined(separator: Expression, items: Expression, span: Span, source: Source) -> Expression | None:
    """The items of a list with a separator of the source between them; None when the list cannot be seen."""
    home = source_of(items)
    if home is None or home is source:
        return _joined(separator, items, span, 0)
    # Each part keeps the source that it stands in.
    found = _joined(Bound("", separator, source, separator.span), items, span, 0)
    if not isinstance(found, Join):
        return found
    return replace(found, parts=tuple(part_of(items, part) for part in found.parts))


def _joined(separator: Expression, items: Expression, span: Span, depth: int) -> Expression | None:
    series = unkept(items)
    if not isinstance(series, Series) or depth > _DEEPEST:
        return None
    parts: list[Expression] = []
    for item in series.items:
        if parts:
            parts.append(separator)
        parts.append(_joined_item(separator, item, depth))
    return Join(tuple(parts), span)


def _joined_item(separator: Expression, item: Expression, depth: int) -> Expression:
    match item:
        case Spread(of=of, span=span):
            match of:
                case Repeat(body=Series(items=items, span=inner)):
                    # What a loop appends in each round.
                    parts: list[Expression] = []
                    for each in items:
                        parts.extend((_joined_item(separator, each, depth + 1), separator))
                    return replace(of, body=Join(tuple(parts), inner))
                case Repeat(body=body):
                    return replace(of, body=Join((Slot(body, body.span), separator), of.span))
                case Choice(options=options):
                    texts = tuple(
                        _joined(separator, option, span, depth + 1) or Slot(option, span) for option in options
                    )
                    return replace(of, options=texts)
            return _joined(separator, of, span, depth + 1) or Slot(of, span)
        case Literal(value=str()) | Join() | Bound() | Slot():
            return item
    return Slot(item, item.span)


def words_in(value: Expression) -> int:
    """Words of the text that can be seen in a value, as far as is looked; unknown constants count as prose."""
    stack, words = [value], 0
    for _ in range(_MOST_NODES):
        if not stack:
            break
        match part := stack.pop():
            case Literal(value=str() as text):
                words += len(text.split())
            case Kept(of=of, until="restart") if not is_text(of) and not isinstance(bare(of), Series | Record):
                words += _UNSEEN
            case Bound(value=of) | Kept(of=of) | Slot(of=of) | Spread(of=of) | Entry(value=of):
                stack.append(of)
            case Call():
                pass
            case _:
                stack.extend(children(part))
    return words


Fill = Callable[[Run], Sequence[Expression]]


def refilled(value: Expression, source: Source, fill: Fill) -> Expression | None:
    """The text with literals in it replaced by what `fill` makes of them; None when no text can be seen."""
    return None if weight(value, _MOST_NODES) > _MOST_NODES else _refilled(value, source, fill)


def _refilled(value: Expression, source: Source, fill: Fill) -> Expression | None:
    match value:
        case Literal(value=str()):
            return Join(tuple(fill(Run((value,), source))), value.span)
        case Join(parts=parts):
            return replace(value, parts=tuple(_refilled_parts(parts, source, fill)))
        case Choice(options=options):
            return replace(value, options=tuple(_refilled(option, source, fill) or option for option in options))
        case Bound(value=of):
            inner = _refilled(of, value.source, fill)
            return None if inner is None else replace(value, value=inner)
        case Kept(of=of, until=until):
            # What is kept is the text around the holes, not what they are filled with now.
            inside = _kept_inside(of, until)
            return None if isinstance(inside, Kept) else _refilled(inside, source, fill)
        case Slot(of=of):
            inner = _refilled(of, source, fill)
            return None if inner is None else replace(value, of=inner)
    return None


def _refilled_parts(parts: Sequence[Expression], source: Source, fill: Fill) -> Iterator[Expression]:
    for group in in_runs(parts):
        literals = [part for part in group if isinstance(part, Literal)]
        if literals and literals[0].value is not None:
            yield from fill(Run(literals, source))
        else:
            yield _refilled(group[0], source, fill) or group[0]


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
