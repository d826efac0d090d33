"""What `"...".format(...)` writes: each field of a text with the argument that fills it."""

from __future__ import annotations

from dataclasses import replace

from promptlint.dialects import strformat
from promptlint.expression import Attribute, Call, Expression, Name, Unknown
from promptlint.lifetimes.cutting import constant
from promptlint.source import Span
from promptlint.traversal import rebuild


def filled(call: Call) -> tuple[Expression, ...] | None:
    """The values that the fields of a text are filled with; None when the call is another or a field is not given."""
    match call.function:
        case Attribute(of=of, name="format") if isinstance(text := constant(of), str):
            return _fields(text, call)
    return None


def _fields(text: str, call: Call) -> tuple[Expression, ...] | None:
    template = strformat.cut(text, 0, len(text))
    keywords = dict(call.keywords)
    numbers = iter(range(len(call.arguments)))

    def given(expression: Expression) -> Expression:
        match expression:
            case Unknown(parts=(), span=span):
                digits = text[span.start : span.end]
                return call.arguments[int(digits) if digits else next(numbers)]
            case Name(id=name):
                return keywords[name]
        # Its span points into the text, not into the source.
        return replace(rebuild(expression, given), span=Span(call.span.start, call.span.end))

    if template.problems:
        return None
    try:
        return tuple(given(piece.expression) for piece in template.pieces if piece.expression is not None)
    except (LookupError, StopIteration, RuntimeError):
        return None
