"""Messages that were sent and are changed when they have grown old: what is older than the last n, each turn anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Element,
    Expression,
    Index,
    Literal,
    Name,
    Repeat,
    Slice,
    Unknown,
    path,
)
from promptlint.flow.names import parts_in, place_of
from promptlint.flow.request import Request
from promptlint.lifetimes.names import snake
from promptlint.program import Assign, For, Function, If, Leave, Return, Statement
from promptlint.source import Place, Source, Span
from promptlint.traversal import bare, parts

_CONTENT = frozenset({"content", "text", "output", "parts", "tool_calls"})
_SIZES = frozenset(
    {"token", "tokens", "limit", "threshold", "budget", "max", "size", "len", "length", "ratio", "usage"}
)
"""Words in tests of whether a conversation has grown too large: what they guard is done seldom."""

_MOST_NODES = 2_000


class Edits:
    """Of one program: `take` each request with the values it is built of, in the function that was last looked at."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._own: list[tuple[str, Place]] = []
        self._by_name: dict[str, list[Place]] = {}
        self._taken: list[tuple[Request, Sequence[Expression], list[tuple[str, Place]]]] = []

    def look(self, function: Function) -> None:
        """Keep where a function changes messages."""
        self._own = [(place, Place(self._source, span)) for place, span in _edited(function.body)]
        if self._own:
            self._by_name.setdefault(function.name, []).extend(place for _, place in self._own)

    def take(self, request: Request, values: Sequence[Expression]) -> None:
        request.edits.extend(place for value in values for place in _rewritten(value, self._source))
        self._taken.append((request, values, self._own))

    def give(self, requests: Iterable[Request]) -> None:
        """Tell the requests what is changed of their messages: where they are built, or in what returns them."""
        left = {id(request) for request in requests} if self._by_name else set()
        for request, values, own in self._taken:
            if id(request) not in left:
                continue
            request.edits.extend(place for name, place in own if any(_names(value, name) for value in values))
            for name in sorted(_returning(values) & self._by_name.keys()):
                request.edits.extend(self._by_name[name])


def _edited(body: Iterable[Statement]) -> Iterator[tuple[str, Span]]:
    """Lists of which a loop changes all messages but the last ones, with what it gives a value to."""
    for statement in body:
        match statement:
            case If(test=test, body=one, otherwise=other):
                if test is not None and _asks_for_size(test):
                    if any(isinstance(each, Return | Leave) for each in (*one, *other)):
                        return
                    continue
                yield from _edited((*one, *other))
            case For(targets=targets, iterated=iterated, body=inner) if iterated is not None:
                old = _old_part(iterated)
                if old is not None and targets:
                    yield from ((old, span) for span in _changed(inner, targets[-1], old))
                else:
                    yield from _edited(inner)


def _names(value: Expression, wanted: str) -> bool:
    """Whether a value is made of what a place holds."""
    for part in islice(parts(value), _MOST_NODES):
        match part:
            case Bound(name=name) if name == wanted:
                return True
            case Name() | Attribute() if ".".join(path(part)) == wanted:
                return True
    return False


def _returning(values: Iterable[Expression]) -> frozenset[str]:
    """The functions of the project whose results the values are made of."""
    bound = (part.name for value in values for part in islice(parts(value), _MOST_NODES) if isinstance(part, Bound))
    return frozenset(name[:-2] for name in bound if name.endswith("()"))


def _rewritten(value: Expression, source: Source) -> Iterator[Place]:
    """Copies of a list in which all but the last messages are other ones: `[short(m) for m in x[:-n]] + x[-n:]`."""
    kept = set()
    old: list[tuple[str, int, Place]] = []
    for part, where in islice(parts_in(value, source), _MOST_NODES):
        match part:
            case Slice(of=of, start=int() as start, stop=None) if start < 0:
                kept.add((_last_name(of), start))
            case Repeat(iterated=iterated, body=body) if not isinstance(bare(body), Element):
                cut = bare(iterated)
                if isinstance(cut, Slice) and cut.stop is not None and cut.stop < 0:
                    old.append((_last_name(cut.of), cut.stop, Place(where, part.span)))
    yield from (place for name, stop, place in old if name and (name, stop) in kept)


def _old_part(iterated: Expression) -> str | None:
    """The place of the list that all but the last items are taken from; None for any other."""
    match iterated:
        case Slice(of=of, stop=int() as stop) if stop < 0:
            return place_of(of) or None
        case Call(function=Attribute(of=of, name="slice"), arguments=(_, end)) if _is_negative(end):
            return place_of(of) or None
        case Call(function=Name(id="enumerate"), arguments=(of, *_)):
            return _old_part(of)
        case Call(
            function=Name(id="range"), arguments=(*_, Unknown(parts=(Call(function=Name(id="len")) as size, *_)))
        ):
            return place_of(size.arguments[0]) or None if size.arguments else None
    return None


def _is_negative(bound: Expression) -> bool:
    match bound:
        case Literal(value=int() as number):
            return number < 0
        case Call(function=Name() as sign):
            return path(sign) == ("-",)
    return False


def _changed(body: Iterable[Statement], item: str, whole: str) -> Iterator[Span]:
    for statement in body:
        match statement:
            case Assign(target=Index(of=of, key=Literal(value=str() as name)) | Attribute(of=of, name=name) as target):
                if name in _CONTENT and _is_item(of, item, whole):
                    yield target.span
            case Assign(target=Index() as target) if _is_item(target, item, whole):
                yield target.span
            case If(body=one, otherwise=other):
                yield from _changed((*one, *other), item, whole)


def _is_item(of: Expression, item: str, whole: str) -> bool:
    match of:
        case Name(id=name):
            return name == item
        case Index(of=inner, key=Name(id=name)):
            return name == item and place_of(inner) == whole
    return False


def _asks_for_size(test: Expression) -> bool:
    words = {
        word
        for part in parts(test)
        if isinstance(part, Name | Attribute)
        for word in snake(part.id if isinstance(part, Name) else part.name).split("_")
    }
    return bool(words & _SIZES)


def _last_name(value: Expression) -> str:
    """What a list is called at last: by a name, or as an attribute."""
    while isinstance(value, Bound):
        if not isinstance(value.value, Bound | Name | Attribute):
            return value.name
        value = value.value
    return ".".join(path(bare(value)))
