"""Texts whose `{name}` fields are replaced by hand: JSON and other braces in them stay as they are."""

from __future__ import annotations

import re

from promptlint.dialects.pieces import cut_at_braces
from promptlint.dialects.strformat import ReplacementField, field_at, reference
from promptlint.expression import Expression
from promptlint.template import Template

_FIELD = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*|\[\w+\]){0,20}")


def cut(text: str, start: int, end: int) -> Template:
    """Pieces of text[start:end]; a brace that begins no `{name}`, `{a.b}` or `{a[0]}` is literal text."""

    def read(at: int) -> tuple[int, Expression | str]:
        field = plain_field_at(text, at, end)
        expression = reference(text, field.name) if field else None
        if field is not None and expression is not None:
            return field.span.end, expression
        stop = at + 1
        while text[at] == "{" and text.startswith("{", stop, end):
            stop += 1
        return stop, text[at:stop]

    return cut_at_braces(text, start, end, read).template("braces")


def plain_field_at(text: str, at: int, end: int) -> ReplacementField | None:
    """The field whose `{` stands at `at`, when it is not doubled and holds nothing but a name."""
    if not text.startswith("{", at, end):
        return None
    named = _FIELD.match(text, at + 1, end)
    if named is None or not text.startswith("}", named.end(), end) or text.startswith("{{", at, end):
        return None
    field = field_at(text, at, end)
    return field if field is not None and field.spec is None and field.span.end == named.end() + 1 else None
