"""Which message of a conversation an expression speaks of: this one, or one that moves as more are added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    path,
)
from promptlint.lifetimes.names import snake
from promptlint.source import Place
from promptlint.traversal import reached

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
        return any(path(part) in self.lists for part in reached(expression, _behind))

    def is_before(self, bound: Bound) -> bool:
        """Whether a name was given its value before the loop begins."""
        return bound.source is not self.place.source or bound.span.start < self.place.span.start


def depends_on_later(test: Expression, talk: Talk) -> bool:
    """Whether the answer for a message can change once more messages follow.

    What only ends the prompt is no harm, and neither is `loop.last or messages[loop.index0 + 1].role != "tool"`: the
    message that follows a finished one gives the same answer. So `loop.last` alone says nothing, in any spelling.
    """
    ends = any(isinstance(part, Name) and part.id == "add_generation_prompt" for part in _walk(test))
    return not ends and _depends(test, talk)


def switch_in(test: Expression) -> str | None:
    """The setting in a test that says, by its name, whether old messages stay as they are; None without one."""
    for part in _walk(test):
        called = ".".join(path(part))
        if isinstance(part, Bound) and not _compares(part.value):
            called = part.name
        said = _words(called)
        if len(said) > 1 and not _KEEPING.isdisjoint(said):
            return called  # a verb alone is a method: `content.strip()`
    return None


def _compares(value: Expression) -> bool:
    """Whether a value is worked out from a comparison, and is no setting."""
    return any(isinstance(each, Compare) for each in _walk(value))


def _depends(test: Expression, talk: Talk) -> bool:
    left, seen = [(test, talk)], set[tuple[int, bool]]()
    while left:
        part, seen_from = left.pop()
        if (id(part), seen_from.near) in seen:
            continue
        seen.add((id(part), seen_from.near))
        match part:
            case Compare():
                if _compares_with_later(part, seen_from):
                    return True
            case Truth(parts=parts, how="or" | "and" as how) if any(_constant(each) is (how == "or") for each in parts):
                pass  # decided, whatever the others say
            case Element():
                pass
            case Index() | Filter() if _is_last(part, seen_from):
                return True
            case Bound(value=value):
                left.append((value, replace(seen_from, near=True)))
            case _:
                left.extend((child, seen_from) for child in children(part))
    return False


def _constant(test: Expression) -> bool | None:
    """The outcome of a test that is the same in every request."""
    same = True
    while True:
        match test:
            case Literal(value=value):
                return bool(value) is same
            case Bound(value=of) | Truth(parts=(of,), how=""):
                test = of
            case Truth(parts=(of,), how="not"):
                test, same = of, not same
            case _:
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
    own = {"loop", *_COUNTS, *(steps[0] for steps in talk.lists)}
    for each in _walk(test):
        match each:
            case Literal(value=int() as number) if abs(number) > 1:
                return True
            case Name(id=name) if name not in own:
                return True
    return False


def _is_later_place(expression: Expression, talk: Talk) -> bool:
    """A number that a loop before this one found, or one that is only called the last."""
    left, seen = [expression], set[int]()
    while left:
        part = left.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        match part:
            case Bound(value=value) as bound if any(_is_place(each) for each in _walk(value)):
                if talk.is_before(bound) and _FIRST.isdisjoint(_words(bound.name)):
                    return True
            case (Name() | Attribute()) as named if steps := path(named):
                if steps not in _HERE and not _LAST.isdisjoint(_words(steps[-1])):
                    return True
            case Element():
                pass
            case other:
                left.extend(children(other))
    return False


def _is_place(expression: Expression) -> bool:
    """A place in a list: `loop.index0`, or an item of `range(...)`."""
    match expression:
        case Element(of=Call(function=Name(id="range"))):
            return True
    return path(expression) in _HERE


def _leaves(iterated: Expression) -> Iterator[tuple[str, ...]]:
    """The names of the lists that a loop's messages come from."""
    found = (path(part) for part in reached(iterated, lambda part: _behind(part, items=True)))
    return (steps for steps in found if steps)


def _behind(expression: Expression, items: bool = False) -> Iterable[Expression]:
    """What a list of messages is made of, as far as it is one still; with `items` an item stands for its list."""
    match expression:
        case Bound(value=of) | Slice(of=of):
            return (of,)
        case Filter(of=of, name=name) if items or name in _LISTS:
            return (of,)
        case Element(of=of) if items:
            return (of,)
        case Choice(options=options):
            return options
        case Join(parts=parts) | Unknown(parts=parts):
            return (part.of if isinstance(part, Element) else part for part in parts)
    return ()


def _walk(expression: Expression) -> Iterator[Expression]:
    """The expression and what it is made of; what an item of a list has in it is its own affair."""
    return reached(expression, lambda part: () if isinstance(part, Element) else reversed(children(part)))


def _words(name: str) -> list[str]:
    """The words of the last step of a dotted name."""
    return snake(name.rsplit(".", 1)[-1]).split("_")
