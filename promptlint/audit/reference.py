"""For a request, the earlier one whose prefix it should have read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from promptlint.replay.recent import Recent

SETTINGS_FIELD, TOOLS_FIELD, SYSTEM_FIELD, MESSAGES_FIELD = range(4)
_FIXED = (TOOLS_FIELD, SYSTEM_FIELD)
_VOTERS = 12
"""Messages of a request that are looked for in earlier ones; the newest one is new anyway."""

_HELD = 4_000_000
"""Pieces of earlier requests that are held."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as blame needs it; the lists have an entry for each piece, see `columns.SCHEMA`."""

    rid: int
    time: float
    pool: int
    route: int
    conversation: int
    provider: str
    model: str
    keys: list[int]
    tails: list[int]
    fields: list[int]
    paths: list[str]
    chain: list[int]
    ends: list[int]
    positions: list[int]
    marks: list[int]
    lives: list[float]
    tokens: int
    cached: int
    forever: int
    total: int | None
    read: int | None
    write: int | None
    part: int
    nth: int

    def size(self, at: int) -> int:
        """Tokens of a piece."""
        return self.ends[at] - (self.ends[at - 1] if at else 0)


@dataclass(frozen=True, slots=True)
class Reference:
    """An earlier request, and how many leading pieces it shares; `talks` says that it is of the same conversation."""

    earlier: Seen
    shared: int
    talks: bool


class Index:
    """Earlier requests by the prefixes and messages they held, in the order of their times."""

    def __init__(self) -> None:
        self._rows: Recent[int, Seen] = Recent(_HELD)
        # By hashes of the space and of what is looked for, as one number.
        self._chains: Recent[int, int] = Recent(_HELD)
        self._messages: Recent[int, int] = Recent(_HELD)
        self._tails: Recent[int, int] = Recent(_HELD)
        self._fixed: Recent[int, int] = Recent(_HELD)
        self._talks: Recent[int, int] = Recent(_HELD)

    def references(self, seen: Seen) -> list[Reference]:
        """Those that can say what was lost, in this order: the request before this one in its conversation; the latest
        one in which the piece that differs ends alike, or that has the largest tool or system text behind it; the
        latest one with the longest common prefix. A later one that shares no more than the first is left out."""
        space = seen.pool ^ seen.route
        shared = self.shared(seen, space)
        found = []
        if (before := self._before(seen, space)) is not None:
            common = common_pieces(before, seen)
            found.append(Reference(before, common, True))
            if common >= shared:
                return found
        if (sibling := self._sibling(seen, shared, space)) is not None:
            common = common_pieces(sibling, seen)
            if common >= shared:
                return [*found, Reference(sibling, common, False)]
        nearest = self._row(self._chains.get(space ^ seen.chain[shared - 1])) if shared else None
        if nearest is not None:
            found.append(Reference(nearest, shared, False))
        return found

    def elsewhere(self, seen: Seen) -> Reference | None:
        """The latest earlier request with the longest common prefix on any route."""
        shared = self.shared(seen, seen.pool)
        nearest = self._row(self._chains.get(seen.pool ^ seen.chain[shared - 1])) if shared else None
        return Reference(nearest, shared, False) if nearest is not None else None

    def shared(self, seen: Seen, space: int) -> int:
        """Leading pieces that an earlier request of the space has."""
        low, high = 0, len(seen.chain)
        while low < high:
            middle = (low + high + 1) // 2
            if self._chains.get(space ^ seen.chain[middle - 1]) is not None:
                low = middle
            else:
                high = middle - 1
        return low

    def add(self, seen: Seen) -> None:
        """From now on the request is an earlier one."""
        space = seen.pool ^ seen.route
        self._rows.put(seen.rid, seen, 3 * len(seen.keys) + 20)
        self._chains.put_all([space ^ chain for chain in seen.chain], seen.rid)
        if seen.route:
            self._chains.put_all([seen.pool ^ chain for chain in seen.chain], seen.rid)
        self._messages.put_all(_messages(seen, space), seen.rid)
        fixed = zip(seen.keys, seen.fields, strict=True)
        self._fixed.put_all([space ^ key for key, number in fixed if number in _FIXED], seen.rid)
        self._tails.put_all([space ^ tail for tail in seen.tails if tail], seen.rid)
        if seen.conversation:
            self._talks.put(space ^ seen.conversation, seen.rid, 1)

    def _sibling(self, seen: Seen, shared: int, space: int) -> Seen | None:
        """One that differs in the piece behind the shared ones, and goes on alike behind the difference."""
        if shared == len(seen.keys):
            return None
        if seen.tails[shared] and (found := self._row(self._tails.get(space ^ seen.tails[shared]))) is not None:
            return found
        behind = (at for at in range(shared + 1, len(seen.keys)) if seen.fields[at] in _FIXED)
        largest = max(behind, key=seen.size, default=None)
        return None if largest is None else self._row(self._fixed.get(space ^ seen.keys[largest]))

    def _before(self, seen: Seen, space: int) -> Seen | None:
        """The request before this one in its conversation: by its name, else the one that most messages were in."""
        if seen.conversation:
            return self._row(self._talks.get(space ^ seen.conversation))
        found = (self._messages.get(message) for message in _messages(seen, space)[-_VOTERS - 1 : -1])
        votes = Counter(rid for rid in found if rid is not None)
        return self._row(max(votes, key=lambda rid: (votes[rid], rid))) if votes else None

    def _row(self, rid: int | None) -> Seen | None:
        return self._rows.get(rid) if rid is not None else None


def _messages(seen: Seen, space: int) -> list[int]:
    return [space ^ key for key, number in zip(seen.keys, seen.fields, strict=True) if number == MESSAGES_FIELD]


def common_pieces(one: Seen, other: Seen) -> int:
    """Leading pieces that both have."""
    count = 0
    for left, right in zip(one.chain, other.chain, strict=False):
        if left != right:
            break
        count += 1
    return count
