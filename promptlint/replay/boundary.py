"""The boundary rule: only a prefix that an earlier request wrote can be read.

Requests that differ in their first piece share nothing, so a log can be cut by namespace and first hash, and each part
run on its own: see `parts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from promptlint.replay.policy import Policy


@dataclass(frozen=True, slots=True)
class Visit:
    """A request as the boundary rule sees it.

    `chain` and `ends` give for each of its boundaries the hash and the tokens of the prefix that ends there;
    `positions` number them as the look-back counts. `marks` are the indexes of the boundaries that it asks to be
    written, each with the seconds that it lives.
    """

    time: float
    namespace: int
    chain: Sequence[int]
    ends: Sequence[int]
    positions: Sequence[int]
    marks: Sequence[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Used:
    """Tokens of a request that are read from the cache, and those that are written to it."""

    read: int
    write: int


_Key = tuple[int, int]
_Entry = tuple[float, float, float]
"""When it can be read, when it dies, and how long it lives."""


class Entries:
    """What the cache holds, as requests come in the order of their times."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._alive: dict[_Key, _Entry] = {}
        self._sweep_at = 4096

    def visit(self, visit: Visit) -> Used:
        """What the request reads and writes; it changes what the next one finds.

        It reads the longest boundary that was written and is alive, inside the look-back of one of its marks. Reading
        keeps alive what it read and every written boundary in it, unless lives count from the write. Its own marks
        behind that are written, if they reach the minimum.
        """
        read = self._read(visit)
        keys = [(visit.namespace, chain) for chain in visit.chain]
        for key, end in zip(keys, visit.ends, strict=True):
            entry = self._alive.get(key)
            if (
                entry is not None
                and end <= read
                and self._policy.ttl_from == "use"
                and entry[0] <= visit.time <= entry[1]
            ):
                self._alive[key] = (entry[0], visit.time + entry[2], entry[2])
        written = read
        for mark, ttl in visit.marks:
            if visit.ends[mark] < self._policy.minimum or visit.ends[mark] <= read:
                continue
            written = max(written, visit.ends[mark])
            self._alive[keys[mark]] = (visit.time + self._policy.delay, visit.time + ttl, ttl)
        if len(self._alive) > self._sweep_at:
            self._sweep(visit.time)
        return Used(read, written - read)

    def _read(self, visit: Visit) -> int:
        lookback = self._policy.lookback
        best = 0
        for mark, _ in visit.marks:
            for at in range(mark, -1, -1):
                if lookback and visit.positions[mark] - visit.positions[at] >= lookback:
                    break
                if visit.ends[at] <= best or visit.ends[at] < self._policy.minimum:
                    break
                entry = self._alive.get((visit.namespace, visit.chain[at]))
                if entry is not None and entry[0] <= visit.time <= entry[1]:
                    best = visit.ends[at]
                    break
        return best

    def _sweep(self, now: float) -> None:
        self._alive = {key: entry for key, entry in self._alive.items() if entry[1] >= now}
        self._sweep_at = max(4096, 2 * len(self._alive))


def used(visits: Iterable[Visit], policy: Policy) -> list[Used]:
    """What each request reads and writes; they come in the order of their times."""
    entries = Entries(policy)
    return [entries.visit(visit) for visit in visits]


def parts(visits: Sequence[Visit]) -> Iterator[list[int]]:
    """The indexes of the requests by namespace and first hash, in order: `used` of the parts is `used` of the whole."""
    groups: dict[_Key, list[int]] = {}
    for index, visit in enumerate(visits):
        groups.setdefault((visit.namespace, visit.chain[0] if visit.chain else 0), []).append(index)
    yield from groups.values()
