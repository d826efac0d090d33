"""Texts whose `{name}` fields are replaced by hand: JSON and other braces in them stay as they are."""

from __future__ import annotations

import re

from promptlint.dialects.pieces import PieceList
from promptlint.dialects.strformat import ReplacementField, field_at, reference
from promptlint.template import Emit, PieceKind, Template

_FIELD = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*|\[\w+\]){0,20}")


def cut(text: str, start: int, end: int) -> Template:
    """Pieces of text[start:end]; a brace that begins no `{name}`, `{a.b}` or `{a[0]}` is literal text."""
    pieces = PieceList(text, start, end)
    at = start
    while (opened := text.find("{", at, end)) >= 0:
        field = plain_field_at(text, opened, end)
        expression = reference(text, field.name) if field else None
        if field is None or expression is None:
            at = opened + 1
            while text.startswith("{", at, end):
                at += 1
            continue
        pieces.text(opened)
        pieces.hole(field.span.end, expression)
        at = field.span.end
    pieces.text(end)
    cut_pieces = pieces.all()
    body = tuple(Emit(at) for at, piece in enumerate(cut_pieces) if piece.kind is not PieceKind.MARKUP)
    return Template("braces", cut_pieces, body)


def plain_field_at(text: str, at: int, end: int) -> ReplacementField | None:
    """The field whose `{` stands at `at`, when it is not doubled and holds nothing but a name."""
    named = _FIELD.match(text, at + 1, end)
    if named is None or not text.startswith("}", named.end(), end) or text.startswith("{{", at, end):
        return None
    field = field_at(text, at, end)
    return field if field is not None and field.spec is None and field.span.end == named.end() + 1 else None
