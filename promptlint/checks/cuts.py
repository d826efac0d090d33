"""Cuts that leave out the beginning of a conversation, and those that only shorten a text."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Element,
    Expression,
    Index,
    Join,
    Kept,
    Literal,
    Name,
    Slice,
    Slot,
    Unknown,
    path,
)
from promptlint.lifetimes.names import snake

_MOST_MESSAGES = 400
"""More than that are characters."""

_ONE_TURN = 4
"""Messages of the newest turns: so few are no window, as there is nothing to keep of them."""

_TALK = frozenset(
    {
        "messages",
        "message",
        "msgs",
        "history",
        "turns",
        "conversation",
        "dialog",
        "dialogue",
        "events",
        "contents",
        "chat",
    }
    | {"memory", "steps", "interactions", "exchanges", "log", "transcript", "buffer", "items"}
)
"""Words in the names of what is said in a conversation."""

_CHARACTERS = frozenset({"char", "chars", "characters", "len", "length", "bytes", "budget"})
_TEXTS = frozenset({"content", "text", "output", "stdout", "stderr", "description", "result"})
"""What the text of one message is called, in messages and in results of tools."""

_WRITING = frozenset({"join", "strip", "trim", "decode", "toString", "format", "replace", "dumps", "stringify"})
_TEXT_FUNCTIONS = frozenset({("str",), ("String",), ("repr",), ("dumps",), ("stringify",)})


def cuts_conversation(value: Expression) -> bool:
    """Whether a value is a conversation without its beginning."""
    return _cuts_front(value) and _is_talk(_cut(value))


def _cuts_front(value: Expression) -> bool:
    """`x[-n:]`, `x.slice(-n)`, `x[1:]` after `x.pop(0)`; the newest message alone is no window."""
    match value:
        case Slice(start=int() as start, stop=None):
            return -_MOST_MESSAGES < start < -_ONE_TURN
        case Call(function=Attribute(name="slice"), arguments=(first, *rest)):
            open_end = all(isinstance(end, Literal) and end.value is None for end in rest)
            return open_end and _is_negative(first)
    return False


def _is_negative(bound: Expression) -> bool:
    match bound:
        case Literal(value=int() as number):
            return -_MOST_MESSAGES < number < -_ONE_TURN
        case Call(function=Name() as sign, arguments=(of,)):
            return path(sign) == ("-",) and not _counts_characters(of)
        case Bound(value=of) | Slot(of=of):
            return _is_negative(of)
        case Unknown(parts=(first, *_)) | Join(parts=(first, *_)):
            return _is_negative(first)  # `-size * 2`
    return False


def _counts_characters(bound: Expression) -> bool:
    """Whether a bound is, by its name or size, one of a text."""
    match bound:
        case Bound(name=name, value=of):
            return bool(_CHARACTERS & set(snake(name).split("_"))) or _counts_characters(of)
        case Slot(of=of) | Kept(of=of):
            return _counts_characters(of)
        case Literal(value=int() as number):
            return number >= _MOST_MESSAGES
    steps = path(bound)
    return bool(steps) and bool(_CHARACTERS & set(snake(steps[-1]).split("_")))


def _cut(cut: Expression) -> Expression:
    """What a cut is made in."""
    match cut:
        case Slice(of=of) | Call(function=Attribute(of=of)):
            return of
    return cut


def _is_talk(value: Expression) -> bool:
    """Whether what is cut can be a conversation, as far as it has a name."""
    names = list(_names(value))
    return not _is_text(value) and (not names or any(_TALK & set(snake(name).split("_")) for name in names))


def _names(value: Expression) -> Iterator[str]:
    """What a value is called on its way: names, attributes, and methods that give it."""
    while True:
        match value:
            case Bound(name=name, value=of):
                yield name.rsplit(".", 1)[-1]
                value = of
            case Attribute(name=name, of=of):
                yield name
                value = of
            case Name(id=name):
                yield name
                return
            case Slot(of=of) | Kept(of=of) | Index(of=of):
                value = of
            case Call(function=function):
                value = function
            case _:
                return


def _is_text(value: Expression) -> bool:
    """Whether what is cut is the text of one message, and no list of messages."""
    while True:
        match value:
            case Bound(value=of) | Slot(of=of) | Kept(of=of):
                value = of
            case Element() | Join():
                return True
            case Attribute(of=of, name=name) | Index(of=of, key=Literal(value=str() as name)):
                if name in _TEXTS:
                    return True
                value = of
            case Call(function=Attribute(of=of, name=name), arguments=arguments):
                given = arguments[0].value if arguments and isinstance(arguments[0], Literal) else None
                if name in _WRITING or (name == "get" and given in _TEXTS):
                    return True
                value = of
            case Call(function=function):
                return path(function)[-1:] in _TEXT_FUNCTIONS
            case Choice(options=(first, *_)):
                value = first
            case _:
                return isinstance(value, Literal)
