"""The block rule, one request after the other: the reference that every faster form has to equal."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from promptlint.replay.policy import Policy


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request as the block rule sees it: when, in which namespace, its full blocks and its tokens."""

    time: float
    namespace: int
    blocks: Sequence[int]
    tokens: int


def cached_tokens(arrivals: Iterable[Arrival], policy: Policy) -> list[int]:
    """Cached tokens of each request; they are taken in the given order, which is that of their times."""
    replay = Replay(policy)
    return [replay.take(arrival) for arrival in arrivals]


class Replay:
    """What the cache holds as requests come, in the order of their times.

    A request below the minimum neither reads nor writes. A block is read when an earlier request touched it (from
    use) or computed it (from write) at least `delay` and at most `ttl` seconds before, and all blocks before it are
    read too. What is not read is computed, and written anew. With a capacity see `_Pool`: TTL and delay are then not
    looked at.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._pool = _Pool(policy) if policy.capacity else None
        self._touched: dict[tuple[int, int], list[float]] = defaultdict(list)

    def take(self, arrival: Arrival) -> int:
        """Cached tokens of the request; it changes what the next one finds."""
        policy, touched = self._policy, self._touched
        if self._pool is not None:
            return self._pool.take(arrival)
        if arrival.tokens < policy.minimum:
            return 0
        keys = [(arrival.namespace, block) for block in arrival.blocks]
        hits = 0
        while hits < len(keys) and _alive(touched[keys[hits]], arrival.time, policy):
            hits += 1
        for key in keys[hits if policy.ttl_from == "write" else 0 :]:
            times = touched[key]
            if policy.ttl_from == "write":
                times.clear()
            while len(times) > 1 and arrival.time - times[1] >= policy.delay:
                del times[0]  # the next one can be read already, and lives longer
            times.append(arrival.time)
        return policy.cached(hits, arrival.tokens)


def _alive(times: list[float], now: float, policy: Policy) -> bool:
    return any(policy.delay <= now - time <= policy.ttl for time in times)


class _Pool:
    """A pool of `capacity` blocks as vLLM keeps it (v1/core/block_pool.py, one request at a time).

    Blocks that are read are pinned. All others that the request needs, its last block that is not full included, are
    taken from the front of the queue of free blocks, whatever they hold. Afterwards the request's blocks go to the
    end of that queue, the deepest first, and the one that is not full to its front.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._free: OrderedDict[int, tuple[int, int] | None] = OrderedDict.fromkeys(range(policy.capacity))
        self._holding: dict[tuple[int, int], dict[int, None]] = {}

    def take(self, arrival: Arrival) -> int:
        unit = self._policy.unit
        readable = max(arrival.tokens - 1, 0) // unit if self._policy.minus_one else len(arrival.blocks)
        held: list[tuple[int, tuple[int, int] | None]] = []
        keys = [(arrival.namespace, block) for block in arrival.blocks]
        for key in keys[:readable]:
            if not (copies := self._holding.get(key)):
                break
            block = next(iter(copies))
            del self._free[block]
            held.append((block, key))
        hits = len(held)
        needed = -(-arrival.tokens // unit) - hits
        if needed > len(self._free):
            self._return(held)
            return self._policy.cached(hits, arrival.tokens)
        for at in range(hits, hits + needed):
            block, old = self._free.popitem(last=False)
            if old is not None:
                self._forget(block, old)
            key_now = keys[at] if at < len(keys) else None
            held.append((block, key_now))
            if key_now is not None:
                self._holding.setdefault(key_now, {})[block] = None
        self._return(held)
        return self._policy.cached(hits, arrival.tokens)

    def _return(self, held: list[tuple[int, tuple[int, int] | None]]) -> None:
        for block, key in reversed(held):
            self._free[block] = key
            if key is None:
                self._free.move_to_end(block, last=False)

    def _forget(self, block: int, key: tuple[int, int]) -> None:
        copies = self._holding[key]
        del copies[block]
        if not copies:
            del self._holding[key]
