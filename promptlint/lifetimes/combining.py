"""Causes of values, and the lifetimes of what is built from several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from promptlint.events import FIXED, Cause, Confidence, Event, Evidence, Hop, Lifetime, union
from promptlint.expression import Expression, Stepped, path
from promptlint.lifetimes.table import Row
from promptlint.source import Place, Source, Span

_LONGEST = 60


def combined(lifetimes: Iterable[Lifetime]) -> Lifetime:
    """The lifetime of a text built from all of the values; a value that is reached twice is one cause."""
    whole = union(lifetimes)
    if len(whole.causes) < 2:
        return whole
    causes: dict[tuple[object, ...], Cause] = {}
    for cause in whole.causes:
        causes.setdefault((cause.kind, cause.events, cause.place or cause.what), cause)
    return replace(whole, causes=tuple(causes.values()))


def of_row(row: Row, evidence: Evidence, confidence: Confidence, expression: Expression, source: Source) -> Lifetime:
    """The lifetime that a row of the tables gives to an expression."""
    if not row.events:
        return FIXED
    place = Place(source, expression.span)
    cause = Cause(row.kind, row.events, evidence, confidence, shown(expression, source), place)
    return Lifetime((cause,), growing=row.growing, few=row.few)


def shown(expression: Expression, source: Source) -> str:
    """An expression as reports name it: its source text in backquotes, on one line, at most 60 characters."""
    text = " ".join(source.slice(expression.span).split()) or ".".join(path(expression))
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + '…'}`"


_MOST_HANDS = 12
"""Names that a value is given one after the other, for what the first of them says to be more than a guess."""


def with_hop(lifetime: Lifetime, name: str, source: Source, span: Span) -> Lifetime:
    """The lifetime of a value that reaches the prompt by a name that is set at a place; what a name says of it is a
    guess once it has gone through many hands."""
    note = f"`{name}` returns it" if name.endswith("()") else f"`{name}` is set here"
    hop = Hop(Place(source, span), note)
    causes = (replace(cause, hops=(hop, *cause.hops)) for cause in lifetime.causes)
    far = (
        replace(cause, confidence=Confidence.LOW)
        if cause.evidence is Evidence.NAME and len(cause.hops) > _MOST_HANDS
        else cause
        for cause in causes
    )
    return replace(lifetime, causes=tuple(far))


def without_growth(lifetime: Lifetime) -> Lifetime:
    return replace(lifetime, growing=False) if lifetime.growing else lifetime


def counted(lifetime: Lifetime, count: Expression, source: Source) -> Lifetime:
    """How much there is of a value: of a history that grows, another number after each turn."""
    if not lifetime.growing:
        return lifetime
    what, place, moving = shown(count, source), Place(source, count.span), frozenset({Event.TURN})
    causes = (
        replace(cause, kind="counter", events=moving, what=what, place=place) if cause.kind == "history" else cause
        for cause in lifetime.causes
    )
    return replace(lifetime, causes=tuple(causes), growing=False)


def without_spare_ids(options: Sequence[Lifetime]) -> list[Lifetime]:
    """One of several values: a new id mostly stands in where nothing is there (`x.id or uuid4()`): it is a guess."""
    if all(option == FIXED or any(map(_is_new_id, option.causes)) for option in options):
        return list(options)
    return [replace(option, causes=tuple(map(_spare, option.causes))) for option in options]


def without_new_ids(lifetime: Lifetime) -> Lifetime:
    """What a new id in a record says about another entry of it: nothing."""
    return replace(lifetime, causes=tuple(cause for cause in lifetime.causes if not _is_new_id(cause)))


def _is_new_id(cause: Cause) -> bool:
    return cause.kind == "id" and cause.evidence is Evidence.CALL


def _spare(cause: Cause) -> Cause:
    return replace(cause, confidence=Confidence.LOW) if _is_new_id(cause) else cause


def walked(lifetime: Lifetime) -> Lifetime:
    """What a list says of a loop over it: a time or a new id stands in its items, and where these are written."""
    in_items = ("clock", "id")
    causes = (cause for cause in lifetime.causes if cause.evidence is not Evidence.CALL or cause.kind not in in_items)
    return replace(lifetime, causes=tuple(causes))


SORTING = frozenset({"sorted", "sort", "dictsort", "toSorted"})
"""Functions and filters after which the order of a value is its own."""


REDUCING = frozenset({"len", "length", "count", "sum", "min", "max", "any", "all", "bool"})
"""Functions and filters whose result is the same for any order of what they are given."""


def sorted_out(lifetime: Lifetime) -> Lifetime:
    """What is left of a value once its order is settled or lost: it is no cause any more."""
    return replace(lifetime, causes=tuple(cause for cause in lifetime.causes if cause.kind != "order"))


def opening(lifetime: Lifetime) -> Lifetime:
    """The first message of a history: by the convention of chat formats the caller's system text."""
    deploy = frozenset({Event.DEPLOY})
    causes = (
        replace(cause, kind="config", events=deploy) if cause.kind == "history" else cause for cause in lifetime.causes
    )
    return replace(lifetime, causes=tuple(causes), growing=False)


def windowed(lifetime: Lifetime, start: int | None) -> Lifetime:
    """A part of a value; one that is counted from the end of a history moves on with each turn."""
    if start is None or start >= 0 or not any(cause.kind == "history" for cause in lifetime.causes):
        return lifetime
    moving = frozenset({Event.TURN})
    causes = (replace(cause, events=moving) if cause.kind == "history" else cause for cause in lifetime.causes)
    return replace(lifetime, causes=tuple(causes), growing=False)


def kept(lifetime: Lifetime, until: Event) -> Lifetime:
    """What is left of a value that is computed once and used until an event: it changes no more often than that.

    A name tells what a value is called, not that it is read anew: only what is seen to be computed is a cause. An
    object that is made for a question has it as long as it lives. Whose machine it is does not change while a process
    runs: a directory stays the user's.
    """
    if lifetime.growing:
        return lifetime
    asked = until is Event.SESSION
    seen = (cause for cause in lifetime.causes if cause.evidence in _SEEN or (asked and cause.kind == "input"))
    causes = (
        replace(cause, events=frozenset({until})) if cause.rank > until.rank and not _is_place(cause) else cause
        for cause in seen
    )
    return Lifetime(tuple(causes))


def without_place(lifetime: Lifetime) -> Lifetime:
    """What is left of a path's causes in what the file at it holds: the directory is not in it."""
    return replace(lifetime, causes=tuple(cause for cause in lifetime.causes if not _is_place(cause)))


def _is_place(cause: Cause) -> bool:
    return cause.kind == "environment" and cause.events == frozenset({Event.USER})


def stepped(expression: Stepped, source: Source) -> Lifetime:
    """The lifetime of a value that the program moves on between two calls."""
    place, moving = Place(source, expression.span), frozenset({Event.REQUEST})
    return Lifetime((Cause(expression.kind, moving, Evidence.CALL, Confidence.HIGH, shown(expression, source), place),))


_SEEN = (Evidence.CALL, Evidence.BINDING, Evidence.DECLARATION, Evidence.MACRO)
