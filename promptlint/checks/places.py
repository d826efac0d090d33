"""Which message of a conversation an expression speaks of: this one, or one that moves as more are added."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Compare,
    Element,
    Expression,
    Filter,
    Index,
    Join,
    Literal,
    Name,
    Slice,
    Truth,
    Unknown,
    children,
    names,
    path,
)
from promptlint.lifetimes.names import snake
from promptlint.source import Place

_LISTS = frozenset(
    {"list", "select", "reject", "selectattr", "rejectattr", "map", "reverse", "sort", "unique", "default", "d"}
)
"""Filters after which a list of messages is one still."""

_COUNTS = frozenset({"length", "count", "len", "size"})
_HERE = (("loop", "index"), ("loop", "index0"))
_FROM_THE_END = (("loop", "revindex"), ("loop", "revindex0"), ("loop", "length"))
_LAST = frozenset({"last", "latest", "newest"})
_FIRST = frozenset({"first", "start", "begin", "offset"})

_KEEPING = frozenset(
    {"keep", "preserve", "preserved", "retain", "clear", "drop", "strip", "truncate", "remove", "discard", "interleave"}
    | {"interleaved"}
)
"""Words in the names of settings that say whether old reasoning stays: `preserve_thinking`, `clear_thinking`."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A loop over the messages, seen from inside: the names of the list, and where the loop stands.

    `near` says that `loop` means this loop, and none inside it.
    """

    lists: frozenset[tuple[str, ...]]
    place: Place
    near: bool = True

    @classmethod
    def of(cls, iterated: Expression, place: Place) -> Talk:
        """The loop over what is iterated, which stands at a place."""
        return cls(frozenset(_leaves(iterated)), place)

    def inside(self) -> Talk:
        """The same from inside a loop over something else."""
        return replace(self, near=False)

    def is_list(self, expression: Expression) -> bool:
        """Whether it is the list of messages, a part of it, or a list that its messages were put into."""
        match expression:
            case Name() | Attribute() | Index():
                return path(expression) in self.lists
            case Bound(value=of) | Slice(of=of):
                return self.is_list(of)
            case Filter(of=of, name=name):
                return name in _LISTS and self.is_list(of)
            case Choice(options=parts):
                return any(self.is_list(part) for part in parts)
            case Join(parts=parts) | Unknown(parts=parts):
                return any(self.is_list(part.of if isinstance(part, Element) else part) for part in parts)
        return False

    def is_before(self, bound: Bound) -> bool:
        """Whether a name was given its value before the loop begins."""
        return bound.source is not self.place.source or bound.span.start < self.place.span.start


def depends_on_later(test: Expression, talk: Talk) -> bool:
    """Whether the answer for a message can change once more messages follow.

    What only ends the prompt is no harm, and neither is `loop.last or messages[loop.index0 + 1].role != "tool"`: the
    message that follows a finished one gives the same answer. So `loop.last` alone says nothing, in any spelling.
    """
    if any(name.id == "add_generation_prompt" for name in names(test)):
        return False
    return _depends(test, talk)


def switch_in(test: Expression) -> str | None:
    """The setting in a test that says, by its name, whether old messages stay as they are; None without one."""
    for part in _walk(test):
        called = ".".join(path(part))
        if isinstance(part, Bound) and not _compares(part.value):
            called = part.name
        if not _KEEPING.isdisjoint(snake(called.rsplit(".", 1)[-1]).split("_")):
            return called
    return None


def _compares(value: Expression) -> bool:
    """Whether a value is worked out from a comparison, and is no setting."""
    return any(isinstance(each, Compare) for each in _walk(value))


def _depends(test: Expression, talk: Talk) -> bool:
    match test:
        case Compare():
            return _compares_with_later(test, talk)
        case Truth(parts=parts, how="or"):
            return not any(_constant(part) is True for part in parts) and any(_depends(part, talk) for part in parts)
        case Truth(parts=parts, how="and"):
            return not any(_constant(part) is False for part in parts) and any(_depends(part, talk) for part in parts)
        case Element():
            return False
        case Bound(value=value):
            return _depends(value, replace(talk, near=True))
        case Index() | Filter() if _is_last(test, talk):
            return True
    return any(_depends(child, talk) for child in children(test))


def _constant(test: Expression) -> bool | None:
    """The outcome of a test that is the same in every request."""
    match test:
        case Literal(value=value):
            return bool(value)
        case Bound(value=value) | Truth(parts=(value,), how=""):
            return _constant(value)
        case Truth(parts=(value,), how="not") if (outcome := _constant(value)) is not None:
            return not outcome
    return None


def _compares_with_later(test: Compare, talk: Talk) -> bool:
    """`loop.index0 > last_query_index`, `message == user_messages[-1]`, `loop.index < messages | length - 4`."""
    inner = [list(_walk(part)) for part in test.parts]
    if any(_is_last(each, talk) for part in inner for each in part):
        return True
    if any(_is_later_place(part, talk) for part in test.parts):
        here = (each for part in test.parts if not _is_later_place(part, talk) for each in _walk(part))
        return talk.near and any(path(each) in _HERE for each in here)
    return any(_is_count(each, talk) for part in inner for each in part) and _is_far(test, talk)


def _is_last(expression: Expression, talk: Talk) -> bool:
    """`messages[-1]`, `messages | last`, `messages[-4:]`."""
    match expression:
        case Index(of=of, key=Literal(value=int() as key)):
            return key < 0 and talk.is_list(of)
        case Slice(of=of, start=int() as start):
            return start < 0 and talk.is_list(of)
        case Filter(of=of, name="last"):
            return talk.is_list(of)
    return False


def _is_count(expression: Expression, talk: Talk) -> bool:
    """How many messages there are, or a place that is counted from the last one."""
    match expression:
        case Filter(of=of, name=name) | Attribute(of=of, name=name) if name in _COUNTS and talk.is_list(of):
            return True
        case Call(function=Name(id=name), arguments=(of,)) if name in _COUNTS and talk.is_list(of):
            return True
    return talk.near and path(expression) in _FROM_THE_END


def _is_far(test: Compare, talk: Talk) -> bool:
    """Whether a count is not compared with the last place or none: the last message mostly ends the prompt."""
    for each in _walk(test):
        match each:
            case Literal(value=bool()):
                pass
            case Literal(value=int() as number) if abs(number) > 1:
                return True
            case Name(id=name) if (name,) not in talk.lists and name not in ("loop", *_COUNTS):
                return not any(name == chain[0] for chain in talk.lists)
    return False


def _is_later_place(expression: Expression, talk: Talk) -> bool:
    """A number that a loop before this one found, or one that is only called the last."""
    match expression:
        case Bound(name=name, value=value):
            if any(_is_place(each) for each in _walk(value)):
                return talk.is_before(expression) and _FIRST.isdisjoint(snake(name.rsplit(".", 1)[-1]).split("_"))
            return _is_later_place(value, talk)
        case Name() | Attribute():
            steps = path(expression)
            return bool(steps) and steps not in _HERE and not _LAST.isdisjoint(snake(steps[-1]).split("_"))
        case Element() | Literal():
            return False
    return any(_is_later_place(child, talk) for child in children(expression))


def _is_place(expression: Expression) -> bool:
    """A place in a list: `loop.index0`, or an item of `range(...)`."""
    match expression:
        case Element(of=Call(function=Name(id="range"))):
            return True
    return path(expression) in _HERE


def _leaves(iterated: Expression) -> Iterator[tuple[str, ...]]:
    """The names of the lists that a loop's messages come from."""
    match iterated:
        case Name() | Attribute() | Index() if steps := path(iterated):
            yield steps
        case Bound(value=of) | Slice(of=of) | Filter(of=of) | Element(of=of):
            yield from _leaves(of)
        case Choice(options=parts) | Join(parts=parts) | Unknown(parts=parts):
            for part in parts:
                yield from _leaves(part)


def _walk(expression: Expression) -> Iterator[Expression]:
    """The expression and what it is made of; what an item of a list has in it is its own affair."""
    yield expression
    if not isinstance(expression, Element):
        for child in children(expression):
            yield from _walk(child)
