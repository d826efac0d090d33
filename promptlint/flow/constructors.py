"""Messages that constructors and records make: whose they are, and what they are given."""

from __future__ import annotations

import re

from promptlint.expression import Attribute, Call, Entry, Kept, Literal, Record, path
from promptlint.flow.lists import entry_of
from promptlint.flow.names import bare

ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""Roles as vendors and libraries spell them."""

_WORD = re.compile(r"[a-z]+")


def role_of(record: Record) -> str | None:
    """The role that a message names: in a text, or by the name of a constant or setting that holds it."""
    role = entry_of(record, "role")
    value = bare(role) if role is not None else None
    if isinstance(value, Kept):
        value = bare(value.of)
    if isinstance(value, Literal):
        return ROLES.get(value.value.lower()) if isinstance(value.value, str) else None
    words = _WORD.findall(path(value)[-1].lower()) if value is not None and path(value) else []
    return next((ROLES[word] for word in words if word in ROLES), None)


def called(call: Call) -> tuple[str, ...]:
    """The dotted path of a function; of a method of what another call gives, its name alone."""
    function = call.function
    return path(function) or ((function.name,) if isinstance(function, Attribute) else ())


def as_record(call: Call) -> Record | None:
    """What a constructor is given by name: `ChatMessage(role="system", content=...)`."""
    dotted = path(call.function)
    if not dotted or not dotted[-1][:1].isupper() or not call.keywords:
        return None
    entries = (Entry(Literal(name, value.span), value, value.span) for name, value in call.keywords)
    return Record(tuple(entries), call.span)
