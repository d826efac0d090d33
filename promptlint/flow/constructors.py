"""Messages that constructors and records make: whose they are, and what they are given."""

from __future__ import annotations

import re
from collections.abc import Mapping

from promptlint.expression import (
    Attribute,
    Call,
    Choice,
    Entry,
    Expression,
    Kept,
    Literal,
    Name,
    Record,
    Repeat,
    Series,
    Spread,
    path,
)
from promptlint.flow.lists import entry_of
from promptlint.flow.table import Sinks
from promptlint.flow.texts import is_text
from promptlint.traversal import bare, entries_of, unkept

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

_MOST_NODES = 200
"""Lists in lists that are looked at for messages."""

_WORD = re.compile(r"[a-z]+")


def role_of(record: Record) -> str | None:
    """The role that a message names: in a text, or by the name of a constant or setting that holds it."""
    role = entry_of(record, "role")
    value = None if role is None else unkept(role)
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


def is_stored(message: Record, sinks: Sinks) -> bool:
    """Whether a message is one that is kept: what is new in it was new once."""
    return not sinks.stored.isdisjoint(entries_of(message))


def is_message(item: Expression, sinks: Sinks) -> bool:
    """Whether an item of a list is a message."""
    match bare(item):
        case Record() as record:
            return entry_of(record, "role") is not None and not is_stored(record, sinks)
        case Call() as call if (made := as_record(call)) and is_stored(made, sinks):
            return False
        case Call(function=function):
            return sinks.role(path(function)) in ("system", "user", "assistant")
        case Series(items=(_, text)) as pair:
            return is_pair(pair) and is_text(text)
    return False


def is_pair(series: Series) -> bool:
    """Whether a pair begins with a role that nothing but a message is likely to begin with: `("system", "...")`."""
    match series.items:
        case (Literal(value="system" | "developer" | "human" | "user" | "ai" | "assistant"), _):
            return True
    return False


def has_messages(value: Expression, sinks: Sinks) -> bool:
    """Whether a value is a list that messages can be seen in."""
    left: list[Expression] = [value]
    for _ in range(_MOST_NODES):
        if not left:
            break
        match bare(left.pop()):
            case Series(items=items):
                if any(is_message(item, sinks) for item in items):
                    return True
                left.extend(item.of for item in items if isinstance(item, Spread))
            case Choice(options=options):
                left.extend(options)
            case Repeat(body=body):
                left.append(body)
            case Kept(of=of):
                left.append(of)
    return False
