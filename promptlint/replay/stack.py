"""Least recently used, at every capacity at once: exact stack distances.

The stack distance of a touch is the number of other blocks touched since the last touch of its block (Mattson et al.,
1970): a cache of more blocks than that holds it still.
"""

from __future__ import annotations

import numpy as np

from promptlint.replay.chain import Ints

NEVER = np.iinfo(np.int64).max
"""The distance of a first touch."""


def distances(lengths: Ints, hashes: Ints) -> Ints:
    """For each block of each request, how many other blocks were touched since it was.

    `lengths` are the numbers of blocks of the requests in order, `hashes` their blocks, shallow ones first; equal
    blocks of different namespaces need different hashes. A request looks at all its blocks before it touches them,
    the deepest first, so that a parent is always younger than its children.
    """
    position = _deepest_first(lengths)
    keys = hashes[position]
    previous = _previous(keys)
    count = np.arange(len(keys), dtype=np.int64) - previous - 1 - _larger_before(previous)
    own = np.arange(len(keys)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    # Its own deeper blocks were touched by this very request, and are older than their parent in every other one.
    count = np.where(previous < 0, NEVER, count - own)
    result = np.empty(len(keys), np.int64)
    result[position] = count
    return result


def hits_at(capacity: int, lengths: Ints, found: Ints) -> Ints:
    """How many leading blocks of each request a cache of so many blocks holds, from their distances."""
    ends = np.cumsum(lengths)
    starts = ends - lengths
    misses = np.append(np.flatnonzero(found >= capacity), len(found))
    hits: Ints = np.minimum(misses[np.searchsorted(misses, starts)], ends) - starts
    return hits


def _deepest_first(lengths: Ints) -> Ints:
    """The positions of all blocks, those of each request turned around."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    start, end = np.repeat(ends - lengths, lengths), np.repeat(ends, lengths)
    return start + end - 1 - np.arange(total)


def _previous(keys: Ints) -> Ints:
    """For each place the last place before it with the same key, -1 without one."""
    order = np.argsort(keys, kind="stable")
    before = np.full(len(keys), -1, np.int64)
    same = keys[order][1:] == keys[order][:-1]
    before[order[1:][same]] = order[:-1][same]
    return before


def _larger_before(values: Ints) -> Ints:
    """For each place, how many places before it hold a larger value: merge counting, a level of the tree at a time."""
    count = len(values)
    found = np.zeros(count, np.int64)
    width = 1
    while width < count:
        pair = np.arange(count) // (2 * width)
        order = np.lexsort((values, pair))
        is_left = (order % (2 * width)) < width
        lefts = np.cumsum(is_left)
        starts = np.flatnonzero(np.concatenate([[True], pair[order][1:] != pair[order][:-1]]))
        sizes = np.diff(np.concatenate([starts, [count]]))
        total = np.repeat(lefts[starts + sizes - 1], sizes)
        # Equal values of the left half are not larger; `lexsort` is stable, so they stand before.
        found[order[~is_left]] += (total - lefts)[~is_left]
        width *= 2
    return found
