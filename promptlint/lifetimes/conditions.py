"""What a condition's lifetime is: how many variants of a prompt it makes, and when another one is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from promptlint.events import FIXED, Cause, Event, Lifetime
from promptlint.expression import Attribute, Call, Compare, Expression, Filter, Index, Literal, Name, Truth
from promptlint.lifetimes.coarsening import Grain, coarsened
from promptlint.lifetimes.combining import combined, sorted_out

_STABLE_MOST = Event.USER
_DISCRIMINATORS = frozenset({"role", "type"})
_MESSAGES = frozenset({"message", "msg", "m"})
_LENGTHS = frozenset({"length", "count", "len", "size"})


def condition(test: Expression, value: Callable[[Expression], Lifetime]) -> Lifetime:
    """Lifetime of what a test decides, given the lifetimes of values.

    A comparison changes with what it compares; a presence makes a few stable variants.
    """
    match test:
        case Literal():
            return FIXED
        case Compare(parts=parts):
            return _comparison(parts, value)
        case Truth(parts=parts):
            outcomes = [condition(part, value) for part in parts]
            return _outcome(combined(outcomes), any(outcome.few for outcome in outcomes))
    return _presence(value(test))


def _comparison(parts: Sequence[Expression], value: Callable[[Expression], Lifetime]) -> Lifetime:
    compared = sorted_out(combined([value(part) for part in parts if not _tells_messages_apart(part, value)]))
    if _asks_presence(parts):
        return _presence(compared)
    compared = coarsened(compared, Grain(Event.DAY))
    # What is asked of a history, such as its length, takes one of a few branches for the whole conversation.
    causes = tuple(cause for cause in compared.causes if cause.kind != "history" or _is_frequent(cause))
    return _outcome(replace(compared, causes=causes), bool(compared.causes))


def _presence(lifetime: Lifetime) -> Lifetime:
    """Whether a value is there does not change with the value or its order; a draw is another thing each time."""
    lifetime = sorted_out(lifetime)
    causes = tuple(cause for cause in lifetime.causes if cause.kind == "choice" or _is_stable(cause))
    return _outcome(replace(lifetime, causes=causes), bool(lifetime.causes))


def _outcome(lifetime: Lifetime, varies: bool) -> Lifetime:
    """A few stable variants, unless what is left is a cause that moves; nothing varies where all is constant."""
    moving = any(cause.kind == "clock" or _is_frequent(cause) for cause in lifetime.causes)
    return replace(lifetime, few=(varies or not lifetime.known) and not moving, growing=False)


def _is_stable(cause: Cause) -> bool:
    return cause.kind != "clock" and cause.rank <= _STABLE_MOST.rank


def _is_frequent(cause: Cause) -> bool:
    return cause.rank >= Event.TURN.rank


def _asks_presence(parts: Sequence[Expression]) -> bool:
    """Comparisons that ask whether something is there: with nothing, a truth value, or a length with 0 or 1."""
    literals = [part.value for part in parts if isinstance(part, Literal)]
    others = [part for part in parts if not isinstance(part, Literal)]
    if len(literals) != 1 or len(others) != 1:
        return False
    if literals[0] in ("", None) or isinstance(literals[0], bool):
        return True
    return literals[0] in (0, 1) and _is_length(others[0])


def _is_length(expression: Expression) -> bool:
    match expression:
        case Filter(name=name) | Attribute(name=name) | Call(function=Name(id=name) | Attribute(name=name)):
            return name in _LENGTHS
    return False


def _tells_messages_apart(part: Expression, value: Callable[[Expression], Lifetime]) -> bool:
    """`message.role`, `messages[0]["type"]`, `"tool_calls" in message`: fixed once a message is written."""
    if _is_message(part):
        return True
    match part:
        case Attribute(of=of, name=name) | Index(of=of, key=Literal(value=str() as name)) if name in _DISCRIMINATORS:
            return _is_message(of) or any(cause.kind == "history" for cause in value(of).causes)
    return False


def _is_message(expression: Expression) -> bool:
    return isinstance(expression, Name) and expression.id in _MESSAGES
