"""What tells a request, before anything is known of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from promptlint.expression import Call, Entry, Expression, Literal, Record, Series
from promptlint.flow.constructors import called, is_pair
from promptlint.flow.files import names_file
from promptlint.flow.stepping import expressions
from promptlint.flow.table import Sinks
from promptlint.flow.texts import words_in
from promptlint.program import Statement
from promptlint.traversal import bare

_TELLING = ("messages", "system", "tools", "input")


def can_build(body: Sequence[Statement], sinks: Sinks) -> bool:
    """Whether a body has anything in it that a request is told by."""
    for part in expressions(body):
        match part:
            case Entry(key=Literal(value=str() as key)):
                if key == "role" or sinks.fields.get(key) in _TELLING:
                    return True
            case Call(keywords=keywords):
                dotted = called(part)
                if any(name == "role" or sinks.fields.get(name) in _TELLING for name, _ in keywords):
                    return True
                if sinks.client(dotted) or sinks.role(dotted) or sinks.template(dotted):
                    return True
            case Literal(value=text) if names_file(text):
                return True
            case Series() if is_pair(part):
                return True
    return False


def sends(dotted: tuple[str, ...], fields: Mapping[str, object], sinks: Sinks) -> bool:
    """Whether a function that is not known can be one that sends a request: by its name, or by what it is given."""
    kinds = {sinks.fields[name] for name in fields if name in sinks.fields} - {"input", "config"}
    return len(kinds) > 1 or "system" in kinds or sinks.steps.is_model(dotted)


def is_request(fields: Mapping[str, Expression], sinks: Sinks, agent: bool = False) -> bool:
    """Whether arguments or entries are those of a request: messages, or a system prompt that reads like one.

    `agent` says that they are those of an agent, whose system prompt may be short.
    """
    for name, value in fields.items():
        kind = sinks.fields.get(name)
        if kind == "messages" and not isinstance(bare(value), Record | Literal):
            return True
        if kind == "system" and (agent or words_in(value) >= sinks.least_words):
            return True
    return False
