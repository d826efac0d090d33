"""The block rule over whole columns: no state, so any part of the hashes can be looked at apart.

Why it equals `sequential`: in a cache that is never full each request that touches a block touches its parent too, so
the blocks that are in time are a prefix of the request, and a count of them is its length.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from promptlint.replay.chain import Ints

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def in_time(times: Floats, namespaces: Ints, hashes: Ints, ttl: float, delay: float = 0.0) -> Flags:
    """For each touch, whether an earlier one of the same hash lies at least `delay` and at most `ttl` seconds before.

    Rows are touches in the order of the requests, which is that of their times.
    """
    order = np.lexsort((np.arange(len(hashes)), hashes, namespaces))
    space, key, when = namespaces[order], hashes[order], times[order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (space[1:] != space[:-1]) | (key[1:] != key[:-1])
    begins = np.maximum.accumulate(np.where(fresh, np.arange(len(order)), 0))
    latest = _latest_before(when, fresh, delay) if delay > 0 else np.arange(len(order)) - 1
    found = latest >= begins
    hit = np.zeros(len(order), np.bool_)
    hit[found] = when[found] - when[latest[found]] <= ttl
    result = np.empty(len(order), np.bool_)
    result[order] = hit
    return result


def _latest_before(when: Floats, fresh: Flags, delay: float) -> Ints:
    """For each row the last row of its own group whose time lies `delay` or more before; one below when none does."""
    latest = np.empty(len(when), np.int64)
    starts = [*np.flatnonzero(fresh).tolist(), len(when)]
    for start, end in pairwise(starts):
        group = when[start:end]
        latest[start:end] = start + np.searchsorted(group, group - delay, side="right") - 1
    return latest
