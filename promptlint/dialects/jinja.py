"""The Jinja dialect: a template cut into pieces, and the tree of what it writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jinja2 import TemplateSyntaxError, nodes

from promptlint.dialects.jinja_errors import problem_of
from promptlint.dialects.jinja_expression import Converter
from promptlint.dialects.jinja_lexer import Newlines, OffsetEnvironment
from promptlint.dialects.jinja_parser import SpanParser
from promptlint.dialects.jinja_tree import TreeBuilder
from promptlint.expression import Expression, Join, Literal
from promptlint.source import Span
from promptlint.template import Emit, Piece, PieceKind, Problem, Template

_TOO_DEEP = "this template is nested too deeply to be read; flatten it"


def cut(text: str, start: int, end: int) -> Template:
    """Pieces and tree of text[start:end]; spans are offsets into `text`.

    A template that jinja2 cannot parse yields a problem at its position, and one piece after the other
    without branches or loops.
    """
    newlines = Newlines(text[start:end], start)
    environment = OffsetEnvironment()
    problems: list[Problem] = []
    try:
        environment.lex_into(newlines.text, newlines)
        parser = SpanParser(environment, text)
        body: Sequence[nodes.Node] = parser.subparse()
        return _build(environment, Converter(parser.spans), body)
    except TemplateSyntaxError as error:
        problems.append(problem_of(error, text, start, end, environment))
    except RecursionError:
        problems.append(Problem(Span(start, min(start + 1, end)), _TOO_DEEP))
    pieces = _flat(environment)
    emitted = tuple(Emit(at) for at, piece in enumerate(pieces) if piece.kind is not PieceKind.MARKUP)
    return Template("jinja", pieces, emitted, tuple(problems))


def _build(environment: OffsetEnvironment, convert: Converter, body: Sequence[nodes.Node]) -> Template:
    lexed = environment.lexed
    expressions = {
        lexed.item_at(convert.span(child).start): convert.value(child)
        for output in _outputs(body)
        for child in output.nodes
        if not isinstance(child, nodes.TemplateData)
    }
    pieces: list[Piece] = []
    emitted: list[tuple[int, ...]] = []
    for at, item in enumerate(lexed.items):
        first = len(pieces)
        pieces.extend(_pieces(item.kind, item.span, item.text, expressions.get(at)))
        emitted.append(tuple(n for n in range(first, len(pieces)) if pieces[n].kind is not PieceKind.MARKUP))
    tree = TreeBuilder(convert, lambda offset: emitted[lexed.item_at(offset)]).body(body)
    return Template("jinja", tuple(pieces), tree)


def _outputs(body: Sequence[nodes.Node]) -> Iterator[nodes.Output]:
    for node in body:
        if isinstance(node, nodes.Output):
            yield node
        yield from node.find_all(nodes.Output)


def _flat(environment: OffsetEnvironment) -> tuple[Piece, ...]:
    """Pieces of a template without its tree: each hole is parsed on its own."""
    tokens = environment.tokens
    pieces: list[Piece] = []
    for item in environment.lexed.items:
        expression = None
        if item.kind == "variable":
            environment.tokens = [token for token in tokens if item.span.start <= token[0] < item.span.end]
            expression = _alone(environment)
        pieces.extend(_pieces(item.kind, item.span, item.text, expression))
    environment.tokens = tokens
    return tuple(pieces)


def _alone(environment: OffsetEnvironment) -> Expression | None:
    try:
        parser = SpanParser(environment, "")
        (output,) = parser.subparse()
        return Converter(parser.spans).value(next(output.iter_child_nodes()))
    except (TemplateSyntaxError, RecursionError, ValueError):
        return None


def _pieces(kind: str, span: Span, text: str, expression: Expression | None) -> Iterator[Piece]:
    if kind == "data":
        yield Piece(PieceKind.TEXT, span, text)
    elif kind != "variable" or expression is None:
        yield Piece(PieceKind.MARKUP, span)
    elif not _is_joined_text(expression):
        yield Piece(PieceKind.HOLE, span, expression=expression)
    else:
        yield from _joined(expression, span)


def _is_joined_text(expression: Expression) -> bool:
    """Text written inside a tag, as chat templates do: `{{ '<|system|>' + content }}`."""
    if isinstance(expression, Join):
        return any(isinstance(part, Literal) for part in expression.parts)
    return isinstance(expression, Literal)


def _joined(expression: Expression, span: Span) -> Iterator[Piece]:
    at = span.start
    for part in expression.parts if isinstance(expression, Join) else (expression,):
        quoted = isinstance(part, Literal) and isinstance(part.value, str)
        inner = Span(part.span.start + 1, part.span.end - 1) if quoted else part.span
        if at < inner.start:
            yield Piece(PieceKind.MARKUP, Span(at, inner.start))
        if isinstance(part, Literal):
            yield Piece(PieceKind.TEXT, inner, str(part.value))
        else:
            yield Piece(PieceKind.HOLE, inner, expression=part)
        at = inner.end
    if at < span.end:
        yield Piece(PieceKind.MARKUP, Span(at, span.end))
