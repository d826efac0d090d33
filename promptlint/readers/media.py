"""Images, sounds, films and files in a template: holes that one value or another stands in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from promptlint.dialects.sniff import sniff
from promptlint.expression import Call, Expression, Literal, Name, Unknown
from promptlint.readers.inside import Held, template_inside
from promptlint.source import Span
from promptlint.template import Emit, Piece, PieceKind, Template


def medium(span: Span, given: Sequence[Held], dialect: str | None) -> Template:
    """A medium as one hole: the call of Dotprompt's `media`, with the strings that say which medium it is.

    `span` is the words that say what it is; a `dialect` that is None is each string's own.
    """
    cut = [template_inside(held, dialect or dialect_of(held.value)) for held in given]
    values = tuple(_value(template, held) for template, held in zip(cut, given, strict=True))
    call = Call(Name("media", span), values, (), span)
    problems = tuple(problem for template in cut for problem in template.problems)
    return Template("none", (Piece(PieceKind.HOLE, span, expression=call),), (Emit(0),), problems)


def dialect_of(address: str) -> str:
    """The dialect of an address or of data, which has no other use for braces around a name than to be filled there."""
    if "{" not in address:
        return "none"
    found = sniff("", address)
    return found if found != "none" else "braces"


def dialects(given: Iterable[Held]) -> Iterator[str]:
    """The dialects of the strings in which something is filled in."""
    for held in given:
        dialect = dialect_of(held.value)
        if dialect != "none" and has_holes(template_inside(held, dialect)):
            yield dialect


def has_holes(template: Template) -> bool:
    """Whether anything in the template is filled in or decided when the request is made."""
    return any(not isinstance(node, Emit) or _is_filled(template.pieces[node.piece]) for node in template.body)


def _is_filled(piece: Piece) -> bool:
    match piece.expression:
        case Call(function=Name(id="media"), arguments=arguments, keywords=keywords):
            return not all(isinstance(each, Literal) for each in (*arguments, *(value for _, value in keywords)))
    return piece.kind is PieceKind.HOLE


def _value(template: Template, held: Held) -> Expression:
    if not has_holes(template):
        return Literal(held.value, held.span)
    return Unknown(tuple(piece.expression for piece in template.pieces if piece.expression is not None), held.span)
