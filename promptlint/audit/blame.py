"""Which requests lost what they could have read, and to what."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from promptlint.audit.difference import Comparer, Difference, Excerpt
from promptlint.audit.reference import SYSTEM_FIELD, Index, Reference, Seen
from promptlint.audit.rules import Rules
from promptlint.audit.store import Store
from promptlint.serving.prefill import Loss, lost
from promptlint.serving.workload import Workload

LEAST = 100
"""Tokens of one request below which a loss is nobody's business."""

_NUMBER = re.compile(r"(messages|contents|input|parts|content|tools|functions|functionDeclarations)\[\d+\]")
_COLUMNS = (
    "pool, route, conversation, provider, model, keys, tails, fields, paths, chain, ends, positions, marks, lives, "
    "tokens, total, read, write, part, nth"
)


@dataclass(frozen=True, slots=True)
class Break:
    """One request's loss in tokens: of which kind, where, against which earlier request."""

    rid: int
    earlier: int
    kind: str
    path: str
    tokens: int
    pair: tuple[int, int]
    difference: Difference | None = None


@dataclass(slots=True)
class Group:
    """Losses of one provider and model with the same place and kind; `pairs` are the distinct values that differed.

    `lost` is what computing the tokens again costs the machine, None where it is not known."""

    provider: str
    model: str
    kind: str
    path: str
    requests: int = 0
    tokens: int = 0
    pairs: set[tuple[int, int]] = field(default_factory=set)
    example: Break | None = None
    lost: Loss | None = None
    excerpt: Excerpt = field(default_factory=Excerpt)


Groups = dict[tuple[str, str, str, str], Group]
Counts = Counter[tuple[str, str]]
_MOST_PAIRS = 1_000


def blame(
    store: Store, comparer: Comparer, least: int = LEAST, served: Workload | None = None
) -> tuple[Groups, Counts, array[int]]:
    """The losses by place and kind, the number of requests by provider and model, and for each request the one before
    it in its conversation (0 without one). `served` is the model that the losses are priced for in bytes and seconds.
    """
    groups: Groups = {}
    counts: Counts = Counter()
    before = array("q", [0])
    index = Index()
    for seen in seen_requests(store):
        counts[seen.provider, seen.model] += 1
        found = index.references(seen)
        before.extend([0] * (seen.rid + 1 - len(before)))
        before[seen.rid] = next((each.earlier.rid for each in found if each.talks), 0)
        broken = _broken(seen, found, index, store.rules[seen.provider, seen.model], comparer, least)
        if broken is not None:
            _add(groups, seen, broken, served)
        index.add(seen)
    for group in groups.values():
        if group.example is not None and group.example.difference is not None:
            group.excerpt = comparer.excerpt(group.example.difference)
    return groups, counts, before


def seen_requests(store: Store, who: tuple[str, str] | None = None) -> Iterator[Seen]:
    """The requests that have a prompt, in the order of their times; those of one provider and model, or all."""
    only = "AND provider = $who[1] AND model = $who[2]" if who else ""
    query = f"""
        SELECT rid, coalesce(time, 0) AS time, {_COLUMNS}, coalesce(cached, 0) AS cached,
            coalesce(forever, 0) AS forever
        FROM log JOIN ranks USING (part, nth) LEFT JOIN replayed USING (rid) WHERE len(keys) > 0 {only} ORDER BY rid"""
    for batch in store.stream(query, {"who": list(who)} if who else {}):
        for row in batch.to_pylist():  # type: ignore[attr-defined]
            yield Seen(**row)


@lru_cache(maxsize=2**16)
def general(path: str, field: int) -> str:
    """The path with the numbers of messages and tools left out: `messages[*].content`. System text keeps them."""
    return path if field == SYSTEM_FIELD else _NUMBER.sub(r"\1[*]", path)


def _broken(
    seen: Seen, found: list[Reference], index: Index, rules: Rules, comparer: Comparer, least: int
) -> Break | None:
    if seen.route and (routed := _routed(seen, index, rules, found, least)) is not None:
        return routed
    policy = rules.policy
    stable = 0
    for each in found:
        earlier, prefix = each.earlier, _prefix(seen, each)
        if seen.time - earlier.time > policy.ttl:
            continue
        difference = comparer.difference(earlier, seen, each.shared)
        if difference is None:
            continue
        stable = difference.stable
        prefix += difference.inside
        worth = prefix + stable - max(seen.cached, prefix if not each.talks else 0)
        if min(worth, stable) >= least and prefix + stable >= policy.minimum:
            path = general(difference.path, seen.fields[difference.piece])
            return Break(seen.rid, earlier.rid, difference.kind, path, min(worth, stable), difference.pair, difference)
    if not found:
        return None
    nearest = found[-1]
    if seen.time - nearest.earlier.time > policy.ttl:
        lost = seen.forever - seen.cached
        pair = (nearest.earlier.rid, seen.rid)
        return Break(seen.rid, nearest.earlier.rid, "gap", "", lost, pair) if lost >= least else None
    prefix = _prefix(seen, nearest)
    if prefix - seen.cached < least:
        return None
    if prefix + stable < policy.minimum:
        is_asked = bool(seen.marks) or not rules.by_boundaries
        return Break(seen.rid, nearest.earlier.rid, "below-minimum", "", prefix, (0, 0)) if is_asked else None
    return _boundary(seen, nearest, prefix, rules) if rules.by_boundaries else None


def _prefix(seen: Seen, found: Reference) -> int:
    """Tokens of the pieces that both have."""
    return seen.ends[found.shared - 1] if found.shared else 0


def _routed(seen: Seen, index: Index, rules: Rules, own: list[Reference], least: int) -> Break | None:
    """What another route has of the request and its own has not."""
    other = index.elsewhere(seen)
    if other is None or other.earlier.route == seen.route or seen.time - other.earlier.time > rules.policy.ttl:
        return None
    prefix = _prefix(seen, other)
    had = max([seen.cached, *(_prefix(seen, each) for each in own)])
    if prefix < rules.policy.minimum or prefix - had < least:
        return None
    return Break(seen.rid, other.earlier.rid, "routing", "", prefix - had, (other.earlier.route, seen.route))


def _boundary(seen: Seen, found: Reference, prefix: int, rules: Rules) -> Break | None:
    """A common prefix that was not read because no entry was written, or found, inside of it."""
    earlier = found.earlier
    written = [at for at in earlier.marks if at < found.shared and earlier.ends[at] >= rules.policy.minimum]
    lost = prefix - seen.cached
    pair = (earlier.rid, seen.rid)
    if not seen.marks and not earlier.marks:
        return Break(seen.rid, earlier.rid, "no-breakpoint", "", lost, pair)
    if written and earlier.ends[written[-1]] > seen.cached and rules.policy.lookback:
        return Break(seen.rid, earlier.rid, "lookback", "", earlier.ends[written[-1]] - seen.cached, pair)
    if not written and lost >= rules.policy.minimum:
        mark = seen.marks[0] if seen.marks else 0
        return Break(seen.rid, earlier.rid, "breakpoint", general(seen.paths[mark], seen.fields[mark]), lost, pair)
    return None


def _add(groups: Groups, seen: Seen, each: Break, served: Workload | None) -> None:
    key = (seen.provider, seen.model, each.kind, each.path)
    group = groups.setdefault(key, Group(*key))
    group.requests += 1
    group.tokens += each.tokens
    if served is not None:
        # The tokens would have stood behind what was read.
        again = lost(served, seen.cached, seen.cached + each.tokens)
        group.lost = again if group.lost is None else group.lost + again
    if len(group.pairs) < _MOST_PAIRS:
        group.pairs.add(each.pair)
    if group.example is None or each.tokens > group.example.tokens:
        group.example = each
