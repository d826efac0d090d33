"""Prompt templates that programs make: their text, and what their holes are given at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from promptlint.expression import Attribute, Bound, Call, Expression, Literal, Name
from promptlint.flow.calling import enter
from promptlint.flow.members import function_of
from promptlint.flow.names import Names
from promptlint.flow.table import Sinks
from promptlint.flow.texts import is_text, words_in
from promptlint.program import Assign, Statement
from promptlint.source import Span
from promptlint.traversal import bare, entries_of, unkept

if TYPE_CHECKING:
    from promptlint.flow.follow import Follower


@dataclass(frozen=True, slots=True)
class MadeTemplate:
    """A template's text or messages, and the values that some of its holes have from the start."""

    text: Expression
    values: Mapping[str, Expression]
    doubled: bool = False
    """Whether a name in double braces is a hole."""


def made(call: Call, dialect: str, sinks: Sinks) -> MadeTemplate | None:
    """The template that a constructor makes; None when its text is not among the arguments."""
    keywords = dict(call.keywords)
    if not keywords and len(call.arguments) == 1:
        keywords = entries_of(call.arguments[0])
    text = next((keywords[key] for key in sinks.template_arguments if key in keywords), None)
    text = text or (call.arguments[0] if call.arguments and not keywords else None)
    if text is None:
        return None
    values: dict[str, Expression] = {}
    for key in sinks.template_values:
        values.update(entries_of(keywords[key]) if key in keywords else {})
    named = (bare(keywords[key]) for key in sinks.template_formats if key in keywords)
    says = any(isinstance(value, Literal) and value.value in sinks.doubled for value in named)
    return MadeTemplate(text, values, dialect == "jinja" or says)


def sets_template(body: Sequence[Statement], parameters: frozenset[str], sinks: Sinks) -> bool:
    """Whether a function gives a template that is handed to it another text."""
    return any(_is_set(statement, parameters, sinks) for statement in body)


def reset(names: Names, parameters: frozenset[str], sinks: Sinks) -> Iterator[MadeTemplate]:
    """The templates whose text a function has set on what it is handed: `config.template = "..."`."""
    for place, value in names.values.items():
        owner, _, key = place.partition(".")
        if owner in parameters and key in sinks.template_arguments and is_text(value):
            starts = tuple(f"{owner}.{each}." for each in sinks.template_values)
            values = {
                known.rpartition(".")[2]: given for known, given in names.values.items() if known.startswith(starts)
            }
            if words_in(value) >= sinks.least_words:
                yield MadeTemplate(value, values)


def answered(follower: Follower, value: Expression, names: Names) -> Expression:
    """What a hole is given: the value, or what the function returns that stands for it."""
    inner = bare(value)
    if isinstance(inner, Name) and (closure := function_of(follower, inner, names)) is not None:
        return enter(follower, closure, Call(inner, (), (), inner.span), (), (), names)
    return value if isinstance(value, Bound) else follower.bound("value", value, value.span)


def written(value: Expression) -> Span:
    """Where the value of a name is written."""
    return unkept(value).span


def _is_set(statement: Statement, parameters: frozenset[str], sinks: Sinks) -> bool:
    match statement:
        case Assign(target=Attribute(of=Name(id=owner), name=key)):
            return owner in parameters and key in sinks.template_arguments
    return False
