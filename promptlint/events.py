"""What changes a prompt's bytes: events, the evidence for them, lifetimes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum

from promptlint.source import Place


class Event(StrEnum):
    """Something after which the bytes differ; ordered from the rarest to the most frequent."""

    DEPLOY = "deploy"
    RESTART = "restart"
    DAY = "day"
    TENANT = "tenant"
    USER = "user"
    SESSION = "session"
    TURN = "turn"
    REQUEST = "request"

    @property
    def rank(self) -> int:
        return _RANKS[self]


_RANKS = {event: rank for rank, event in enumerate(Event)}

CONSTANT: frozenset[Event] = frozenset()
"""The events of text that never changes."""


class Evidence(Enum):
    """How it is known that a value changes, strongest first."""

    CALL = "call"
    BINDING = "binding"
    DECLARATION = "declaration"
    MACRO = "macro"
    NAME = "name"
    SHAPE = "shape"
    SECTION = "section"


class Confidence(IntEnum):
    LOW = 0
    MEDIUM = 1
    HIGH = 2

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Hop:
    """One place on the way from the prompt back to where a value comes from."""

    place: Place
    note: str


@dataclass(frozen=True, slots=True)
class Cause:
    """One value that changes bytes: what kind it is, when it changes, and how that is known.

    `what` is the value as users would say it ("`now()`"); `place` is where that stands.
    """

    kind: str
    events: frozenset[Event]
    evidence: Evidence
    confidence: Confidence
    what: str
    place: Place | None = None
    hops: tuple[Hop, ...] = ()

    @property
    def rank(self) -> int:
        """Rank of the most frequent event; -1 for a constant."""
        return max((event.rank for event in self.events), default=-1)


@dataclass(frozen=True, slots=True)
class Lifetime:
    """The set of events that change a text, with the causes of each.

    `known` is false when part of the value comes from where nothing is known about it; `growing`
    marks text that only ever gets longer (history); `few` a value with few possible contents.
    """

    causes: tuple[Cause, ...] = ()
    known: bool = True
    growing: bool = False
    few: bool = False

    @property
    def events(self) -> frozenset[Event]:
        return CONSTANT.union(*(cause.events for cause in self.causes))

    @property
    def main(self) -> Cause | None:
        """The cause that changes most often; it names the value in reports."""
        return max(self.causes, key=lambda cause: (cause.rank, cause.confidence), default=None)


FIXED = Lifetime()
"""The lifetime of constant text."""

UNKNOWN = Lifetime(known=False)
"""The lifetime of a value about which nothing is known."""


def union(lifetimes: Iterable[Lifetime]) -> Lifetime:
    """Lifetime of a text that is built from all of the given ones."""
    causes: dict[Cause, None] = {}
    known, growing, few = True, False, True
    for lifetime in lifetimes:
        causes.update(dict.fromkeys(lifetime.causes))
        known = known and lifetime.known
        growing = growing or lifetime.growing
        few = few and (lifetime.few or not lifetime.causes)
    return Lifetime(tuple(causes), known, growing, few and bool(causes))
