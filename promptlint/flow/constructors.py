"""Messages that constructors and records make: whose they are, and what they are given."""

from __future__ import annotations

import re
from collections.abc import Mapping

from promptlint.expression import Attribute, Call, Entry, Expression, Kept, Literal, Name, Record, Series, Spread, path
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
    name = value.name if isinstance(value, Attribute) else value.id if isinstance(value, Name) else ""
    words = _WORD.findall(name.lower())
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


def is_tool_use(entries: Mapping[str, Expression]) -> bool:
    """Whether a block says what a tool was called with, as Anthropic's messages do."""
    kind = entries.get("type")
    return "input" in entries and kind is not None and bare(kind) == Literal("tool_use", bare(kind).span)


def has_spread(record: Record) -> bool:
    return any(isinstance(entry, Spread) for entry in record.entries)


def is_blocks(value: Expression) -> bool:
    """Whether a value is a list of text blocks."""
    series = bare(value)
    return isinstance(series, Series) and any(
        isinstance(block := bare(item), Record) and entry_of(block, "text") is not None for item in series.items
    )
