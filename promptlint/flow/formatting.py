"""Text with holes, filled in by a program: `format`, `%`, `replace`, `Template.substitute`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from promptlint.dialects import strformat
from promptlint.expression import Expression, Literal, Name, Record, Series, Slot, Unknown
from promptlint.flow.lists import entry_of, part_of
from promptlint.flow.runs import Run
from promptlint.flow.texts import is_text, refilled
from promptlint.source import Source
from promptlint.traversal import bare, rebuild

_PRINTF = re.compile(r"%(?:\((\w{1,60})\))?[-#0 +]{0,4}(?:\d{1,4}|\*)?(?:\.\d{1,4})?[sdrifxXeEgGac%]")
_MARK = re.compile(r"\{\{ ?([A-Z][A-Z0-9_]*) ?\}\}")
"""A placeholder that a program puts a value in the place of, wherever it does so."""

_DOLLAR = re.compile(r"\$(?:(\$)|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")
"""https://docs.python.org/3/library/string.html#template-strings-strings"""


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
    values = [part_of(given, item) for item in inner.items] if isinstance(inner, Series) else [given]
    numbers = iter(range(len(values)))

    def fill(run: Run) -> Iterator[Expression]:
        at = 0
        for found in _PRINTF.finditer(run.text):
            if found[0] == "%%":
                yield from run.literals(at, found.start() + 1)
                at = found.end()
                continue
            yield from run.literals(at, found.start())
            named = None if found[1] is None else entry_of(inner, found[1]) if isinstance(inner, Record) else None
            number = next(numbers, len(values)) if found[1] is None else len(values)
            of = values[number] if number < len(values) else Unknown((given,), given.span)
            yield Slot(of if named is None else part_of(given, named), run.span(*found.span()))
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


def marked(value: Expression, source: Source) -> Expression | None:
    """A text with `{{NAME}}` in it as the template that it is elsewhere; None when no text can be seen."""

    def fill(run: Run) -> Iterator[Expression]:
        at = 0
        for found in _MARK.finditer(run.text):
            yield from run.literals(at, found.start())
            span = run.span(*found.span())
            yield Slot(Name(found[1], span), span)
            at = found.end()
        yield from run.literals(at, len(run.text))

    return refilled(value, source, lambda run: tuple(fill(run))) if is_text(value) else None


def substituted(value: Expression, source: Source, named: Mapping[str, Expression]) -> Expression | None:
    """`Template(value).substitute(...)`: `$name` and `${name}` filled in; None when the text cannot be seen."""

    def fill(run: Run) -> Iterator[Expression]:
        at = 0
        for found in _DOLLAR.finditer(run.text):
            if found[1]:
                yield from run.literals(at, found.start() + 1)
            else:
                name, span = found[2] or found[3], run.span(*found.span())
                yield from run.literals(at, found.start())
                yield Slot(named.get(name) or Name(name, span), span)
            at = found.end()
        yield from run.literals(at, len(run.text))

    return refilled(value, source, lambda run: tuple(fill(run))) if is_text(value) else None
