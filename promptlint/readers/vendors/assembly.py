"""A draft as a prompt: its strings cut, by the dialect of a template or as the text of a request that was sent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from promptlint.dialects.pieces import PieceList
from promptlint.dialects.sniff import sniff
from promptlint.expression import Join, Unknown
from promptlint.prompt import Field, Section
from promptlint.readers.cutting import template_of
from promptlint.readers.inside import Held, template_inside
from promptlint.readers.media import dialects, has_holes, medium
from promptlint.readers.vendors.draft import Content, Draft, Medium, Opaque, Part
from promptlint.readers.vendors.turns import placed
from promptlint.source import Source, Span
from promptlint.template import Emit, Piece, PieceKind, Template
from promptlint.unit import Message, ParameterSource, PromptSource

_TAG = re.compile(r"\{\{|\{%|\{#")
_TEMPLATES = ("jinja", "handlebars", "macros")
_ANSWERS = ("assistant", "tool")


def prompt_of(draft: Draft, source: Source, name: str, dialect: str | None = None) -> PromptSource:
    """The draft as a prompt of the source. `dialect` None lets the text say whether it is a template."""
    spoken = dialect or ("none" if draft.sent else _spoken(draft.parts))
    messages = tuple(
        Message(_template(part.content, source, spoken, dialect is not None), part.role, section, field)
        for part, (section, field) in zip(draft.parts, placed(draft.parts), strict=True)
    )
    rendered = spoken == "none"
    return PromptSource(
        name=name,
        messages=messages if rendered else _with_examples(messages),
        provider=draft.provider,
        model=draft.model,
        rendered=rendered,
        complete=draft.complete,
        markers=tuple(draft.markers),
        parameters=tuple(each if draft.sent else _filled(each, draft, spoken) for each in draft.parameters),
    )


def _filled(given: ParameterSource, draft: Draft, spoken: str) -> ParameterSource:
    """A template's setting with what is filled into its string; conditions in it are left alone."""
    held = draft.strings.get(given.span)
    if held is None or _TAG.search(held.value) is None:
        return given
    pieces = template_inside(held, _own(held.value, spoken)).pieces
    holes = tuple(piece.expression for piece in pieces if piece.expression is not None)
    return replace(given, expression=Join(holes, given.span)) if holes else given


def opaque(span: Span) -> Template:
    """A value about which nothing can be known."""
    return Template("none", (Piece(PieceKind.HOLE, span, expression=Unknown((), span)),), (Emit(0),))


def string_template(held: Held, dialect: str) -> Template:
    """A string whose role its container gives: words in it that look like a role's marker are only words."""
    template = template_inside(held, dialect)
    return replace(template, headings=tuple(heading for heading in template.headings if heading.role is None))


def _spoken(parts: Sequence[Part]) -> str:
    """The dialect of a request that is a template, "none" for one that was sent.

    Calls and their results are there only once a request was sent. In a text, braces of `str.format` alone say nothing:
    prompts show them to the model as often as they fill them.
    """
    if any(part.role == "tool" or (part.role == "assistant" and not isinstance(part.content, Held)) for part in parts):
        return "none"
    for part in parts:
        if part.role not in _ANSWERS and isinstance(part.content, Held):
            found = _dialect(part.content.value)
            if found in _TEMPLATES and has_holes(template_inside(part.content, found)):
                return found
    given = (part.content.given for part in parts if part.role not in _ANSWERS and isinstance(part.content, Medium))
    return next((dialect for each in given for dialect in dialects(each)), "none")


def _dialect(text: str) -> str:
    return sniff("", text) if _TAG.search(text) else "none"


def _template(content: Content, source: Source, spoken: str, stated: bool) -> Template:
    """`stated` says that the user named the dialect; else every string of a template may have its own."""
    if isinstance(content, Opaque):
        return opaque(content.span)
    if isinstance(content, Medium):
        return (
            opaque(content.span)
            if spoken == "none"
            else medium(content.span, content.given, spoken if stated else None)
        )
    if isinstance(content, Held):
        own = spoken if stated or spoken == "none" else _own(content.value, spoken)
        return string_template(content, own)
    text = source.text
    if spoken in _TEMPLATES and not content.cut and _TAG.search(text, content.span.start, content.span.end):
        cut = template_of(text, content.span.start, content.span.end, spoken)
        return replace(cut, headings=())
    pieces = PieceList(text, content.span.start, content.span.end)
    for span in content.cut:
        pieces.text(span.start)
        pieces.markup(span.end)
    pieces.text(content.span.end)
    return pieces.template("none")


def _own(text: str, spoken: str) -> str:
    """A string's dialect in a template that speaks `spoken` somewhere."""
    found = sniff("", text)
    if spoken not in _TEMPLATES or found in (*_TEMPLATES, "strformat"):
        return found
    return spoken if _TAG.search(text) else "none"


def _with_examples(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """A template's turns without holes, above a newest turn that has them, are few-shots: no conversation is fixed."""
    shown = [at for at, message in enumerate(messages) if message.section is Section.HISTORY]
    newest = [message for message in messages if message.section is Section.USER]
    if not newest or not any(has_holes(message.template) for message in newest):
        return messages
    last = messages.index(newest[-1])
    if any(at > last or messages[at].field is not Field.MESSAGES or has_holes(messages[at].template) for at in shown):
        return messages
    return tuple(
        replace(message, section=Section.EXAMPLES) if message.section is Section.HISTORY else message
        for message in messages
    )
