"""What is handed to a function that is not seen: how much it says of what the function gives."""

from __future__ import annotations

import re
from dataclasses import replace

from promptlint.events import Confidence, Evidence, Lifetime
from promptlint.expression import Attribute, Bound, Call, Expression, Name
from promptlint.lifetimes.names import snake

_KEYS = frozenset({"session", "tenant", "identity", "id"})
_FINDING = re.compile(r"(?:get|find|fetch|load|look_?up|read|select|query)(?:_|$)")
"""Functions that find what is there, and make nothing."""

_TIMES = frozenset(
    {"clock", "date", "datetime", "day", "greeting", "hour", "now", "stamp", "time", "timestamp", "today", "weekday"}
)
"""Words of functions that give a moment, or what is said of one."""

_MAKING = re.compile(r"(?:create|make|new|init|construct|open|connect)(?:_|$)|\w+_(?:class|cls|factory)$")
"""Functions that make an object."""


def handed_to(function: str, argument: Lifetime) -> Lifetime:
    """What an argument says of the result of a function that is not seen.

    Its order does not: a lookup has none. What is found by an id differs with it at most: by the name of an argument
    alone, that is a guess, and what is found by an id that is new is not new. Nor is what is found up to a time a time,
    unless the function's name says so.
    """
    words = snake(function)
    finds = _FINDING.match(words) is not None
    gone = {"id", "clock"} if finds and not _TIMES & set(words.split("_")) else {"id"} if finds else set()
    causes = tuple(cause for cause in argument.causes if cause.kind != "order" and cause.kind not in gone)
    return guessed(replace(argument, causes=causes), _KEYS)


def guessed(value: Lifetime, kinds: frozenset[str]) -> Lifetime:
    """The value, with what names alone say of those kinds as a guess."""
    causes = (
        replace(cause, confidence=Confidence.LOW) if cause.evidence is Evidence.NAME and cause.kind in kinds else cause
        for cause in value.causes
    )
    return replace(value, causes=tuple(causes))


def without_names(value: Lifetime, kinds: frozenset[str]) -> Lifetime:
    """The value without what names alone say of those kinds."""
    causes = (cause for cause in value.causes if cause.evidence is not Evidence.NAME or cause.kind not in kinds)
    return replace(value, causes=tuple(causes))


def is_made(value: Expression) -> bool:
    """Whether a value is an object that a function makes: what it was made with is not what its methods give."""
    match value:
        case Bound(value=of):
            return is_made(of)
        case Call(function=Name(id=name) | Attribute(name=name)):
            return name.lstrip("_")[:1].isupper() or _MAKING.match(snake(name)) is not None
    return False
