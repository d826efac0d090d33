"""Every faster form equals the sequential simulator, request by request."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.replay.boundary import Visit, parts, used
from promptlint.replay.policy import FOREVER, Policy
from promptlint.replay.sequential import Arrival, cached_tokens
from promptlint.replay.stack import NEVER, distances, hits_at
from promptlint.replay.window import in_time

SEEDS = range(12)


def by_window(arrivals: list[Arrival], policy: Policy) -> list[int]:
    kept = [arrival for arrival in arrivals if arrival.tokens >= policy.minimum]
    owner = np.repeat(np.arange(len(kept)), [len(arrival.blocks) for arrival in kept])
    hit = in_time(
        np.array([kept[at].time for at in owner]),
        np.array([kept[at].namespace for at in owner], np.int64),
        np.array([block for arrival in kept for block in arrival.blocks], np.int64),
        policy.ttl,
        policy.delay,
    )
    hits = iter(np.bincount(owner, hit, len(kept)).astype(int))
    return [policy.cached(next(hits), each.tokens) if each.tokens >= policy.minimum else 0 for each in arrivals]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "policy",
    [
        Policy(4),
        Policy(4, ttl=30),
        Policy(4, minimum=24, ttl=60),
        Policy(4, ttl=100, delay=5),
        Policy(4, minimum=16, delay=3, minus_one=False),
    ],
    ids=str,
)
def test_windows_equal_the_simulator(arrivals, seed: int, policy: Policy) -> None:
    log = arrivals(seed, 300)
    expected = cached_tokens(log, policy)
    assert by_window(log, policy) == expected
    assert sum(expected) > 0


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ttl_from", ["use", "write"])
def test_parts_by_first_block_equal_the_whole(arrivals, seed: int, ttl_from) -> None:
    log, policy = arrivals(seed, 300), Policy(4, ttl=45, ttl_from=ttl_from)
    expected = cached_tokens(log, policy)
    groups: dict[tuple[int, int], list[int]] = {}
    for index, arrival in enumerate(log):
        groups.setdefault((arrival.namespace, arrival.blocks[0]), []).append(index)
    assert len(groups) > 2
    for group in groups.values():
        assert cached_tokens([log[index] for index in group], policy) == [expected[index] for index in group]


def test_a_life_from_the_write_ends_although_it_is_read() -> None:
    log = [Arrival(time, 0, [1, 2], 8) for time in (0, 20, 40)]
    assert cached_tokens(log, Policy(4, ttl=30, minus_one=False)) == [0, 8, 8]
    assert cached_tokens(log, Policy(4, ttl=30, ttl_from="write", minus_one=False)) == [0, 8, 0]


def by_plain_lru(arrivals: list[Arrival], capacity: int) -> list[int]:
    """Hits of a cache that looks all blocks up, then touches them, the deepest first."""
    held: OrderedDict[tuple[int, int], None] = OrderedDict()
    found = []
    for arrival in arrivals:
        keys = [(arrival.namespace, block) for block in arrival.blocks]
        hits = 0
        while hits < len(keys) and keys[hits] in held:
            hits += 1
        found.append(hits)
        for key in reversed(keys):
            held.pop(key, None)
            held[key] = None
        while len(held) > capacity:
            held.popitem(last=False)
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("capacity", [1, 7, 20, 60, 400])
def test_stack_distances_equal_a_least_recently_used_cache(arrivals, seed: int, capacity: int) -> None:
    log = arrivals(seed, 200)
    lengths = np.array([len(arrival.blocks) for arrival in log])
    hashes = np.array([hash((arrival.namespace, block)) for arrival in log for block in arrival.blocks])
    assert hits_at(capacity, lengths, distances(lengths, hashes)).tolist() == by_plain_lru(log, capacity)


def test_a_first_touch_has_no_distance() -> None:
    assert distances(np.array([2, 2]), np.array([5, 6, 5, 6])).tolist() == [NEVER, NEVER, 0, 1]


def test_a_pool_that_is_never_full_holds_everything(arrivals) -> None:
    log = arrivals(3, 200)
    assert cached_tokens(log, Policy(4, capacity=100_000)) == cached_tokens(log, Policy(4))


def test_a_request_that_does_not_fit_leaves_the_pool_as_it_was() -> None:
    log = [Arrival(0, 0, [1, 2], 8), Arrival(1, 0, [7, 8, 9, 10, 11], 20), Arrival(2, 0, [1, 2, 3], 12)]
    assert cached_tokens(log, Policy(4, capacity=4)) == [0, 0, 8]


@st.composite
def visits(draw: st.DrawFn) -> list[Visit]:
    time, made = 0.0, []
    for _ in range(draw(st.integers(1, 30))):
        time += draw(st.sampled_from([0, 1, 50, 200, 400]))
        texts = draw(st.lists(st.integers(0, 2), min_size=1, max_size=8))
        chain, parent = [], 0
        for text in texts:
            parent = hash((parent, text))
            chain.append(parent)
        marks = draw(st.lists(st.integers(0, len(texts) - 1), max_size=3, unique=True))
        ttls = [(mark, draw(st.sampled_from([300.0, 3600.0]))) for mark in sorted(marks)]
        ends = [100 * (at + 1) for at in range(len(texts))]
        made.append(Visit(time, draw(st.integers(0, 1)), chain, ends, range(len(texts)), ttls))
    return made


@settings(max_examples=150, deadline=None)
@given(visits(), st.sampled_from([0, 2, 20]), st.sampled_from(["use", "write"]))
def test_boundaries_by_first_hash_equal_the_whole(log: list[Visit], lookback: int, ttl_from) -> None:
    policy = Policy(0, minimum=200, lookback=lookback, ttl_from=ttl_from)
    expected = used(log, policy)
    for group in parts(log):
        assert used([log[index] for index in group], policy) == [expected[index] for index in group]
    assert all(each.read + each.write <= visit.ends[-1] for each, visit in zip(expected, log, strict=True))


def test_what_stands_before_a_difference_is_lost_back_to_the_last_written_boundary() -> None:
    first = Visit(0, 0, [1, 2, 3, 4], [1000, 2000, 3000, 4000], [0, 1, 2, 3], [(0, 300), (3, 300)])
    other = Visit(9, 0, [1, 2, 3, 9], [1000, 2000, 3000, 4000], [0, 1, 2, 3], [(0, 300), (3, 300)])
    policy = Policy(0, minimum=1000)
    assert [each.read for each in used([first, other, other], policy)] == [0, 1000, 4000]


def test_a_boundary_outside_of_the_lookback_is_not_found() -> None:
    ends = [1000 * (at + 1) for at in range(30)]
    first = Visit(0, 0, range(1, 6), ends[:5], range(5), [(4, 300)])
    later = Visit(9, 0, range(1, 31), ends, range(30), [(29, 300)])
    assert used([first, later], Policy(0, lookback=20))[1].read == 0
    assert used([first, later], Policy(0, lookback=26))[1].read == 5000


def test_reading_keeps_an_entry_alive_unless_lives_count_from_the_write() -> None:
    log = [Visit(time, 0, [1], [2000], [0], [(0, 300)]) for time in (0, 250, 500, 2000)]
    assert [each.read for each in used(log, Policy(0, ttl_from="use"))] == [0, 2000, 2000, 0]
    assert [each.read for each in used(log, Policy(0, ttl_from="write"))] == [0, 2000, 0, 0]
    assert Policy(0).ttl == FOREVER
