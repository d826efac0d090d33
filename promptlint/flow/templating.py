"""Text with the tags of a template language, filled in by a program: `{{ name }}`, `{% if %}`, `{{#items}}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from promptlint.dialects.sniff import sniff
from promptlint.expression import Choice, Element, Expression, Join, Literal, Name, Repeat, Slot
from promptlint.flow.runs import Run
from promptlint.flow.texts import is_text, refilled
from promptlint.readers.cutting import template_of
from promptlint.source import Source
from promptlint.template import Block, Branch, Emit, Loop, Node, PieceKind, Role, Scoped, Set, Template
from promptlint.traversal import rebuild

_TAGGED = ("jinja", "handlebars")


def rendered(value: Expression, source: Source, named: Mapping[str, Expression], *, doubled: bool) -> Expression | None:
    """The tags of the text with what a program gives their names; None when no text with tags can be seen.

    `named` are values that know their own source (`Bound`); a name that is not given stays a hole. `doubled` says that
    a name in double braces is a hole; without it, it is one only beside blocks, since `str.format` writes it as it is.
    """
    met = False

    def fill(run: Run) -> Sequence[Expression]:
        nonlocal met
        dialect = sniff("", run.text)
        if dialect in _TAGGED:
            template = template_of(run.text, 0, len(run.text), dialect)
            if doubled or any(not isinstance(node, Emit) for node in template.body):
                met = True
                return tuple(_Rendering(run, template).nodes(named))
        return tuple(run.literals(0, len(run.text)))

    found = refilled(value, source, fill) if is_text(value) else None
    return found if met else None


@dataclass(frozen=True, slots=True)
class _Rendering:
    """One text and its template; spans of the template are offsets into the text."""

    run: Run
    template: Template

    def nodes(self, named: Mapping[str, Expression]) -> Iterator[Expression]:
        yield from self._body(self.template.body, named)

    def _body(self, body: Sequence[Node], named: Mapping[str, Expression]) -> Iterator[Expression]:
        for node in body:
            match node:
                case Emit(piece=piece):
                    yield from self._piece(piece, named)
                case Branch(arms=arms, span=span):
                    options = [self._joined(arm.body, named) for arm in arms]
                    if arms[-1].test is not None:
                        options.append(Literal("", self.run.span(span.end, span.end)))
                    test = arms[0].test
                    asked = None if test is None else self._filled(test, named)
                    yield Choice(asked, tuple(options), self.run.span(span.start, span.end))
                case Loop(targets=targets, iterated=iterated, body=inner, span=span):
                    where = self.run.span(span.start, span.end)
                    walked = self._filled(iterated, named)
                    items = dict.fromkeys(targets, Element(walked, where))
                    yield Repeat((), walked, self._joined(inner, {**named, **items}), where)
                case Scoped(values=values, body=inner):
                    yield from self._body(inner, {**named, **self._set(values, named)})
                case Set():
                    named = {**named, **self._set((node,), named)}
                case Block(body=inner) | Role(body=tuple() as inner):
                    yield from self._body(inner, named)

    def _set(self, values: Sequence[Set], named: Mapping[str, Expression]) -> dict[str, Expression]:
        return {name: self._filled(each.value, named) for each in values if each.value for name in each.names}

    def _joined(self, body: Sequence[Node], named: Mapping[str, Expression]) -> Expression:
        parts = tuple(self._body(body, named))
        return Join(parts, parts[0].span if parts else self.run.whole)

    def _piece(self, number: int, named: Mapping[str, Expression]) -> Iterator[Expression]:
        piece, text = self.template.pieces[number], self.run.text
        start, end = piece.span.start, piece.span.end
        if piece.expression is not None:
            yield Slot(self._filled(piece.expression, named), self.run.span(start, end))
        elif piece.text == text[start:end]:
            yield from self.run.literals(start, end)
        elif piece.kind is PieceKind.TEXT and piece.text:
            yield Literal(piece.text, self.run.span(start, end))

    def _filled(self, expression: Expression, named: Mapping[str, Expression]) -> Expression:
        if isinstance(expression, Name) and expression.id in named:
            return named[expression.id]
        span = self.run.span(expression.span.start, expression.span.end)
        return replace(rebuild(expression, lambda part: self._filled(part, named)), span=span)
