"""What the reported token counts say by themselves, and where they differ from the simulation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.audit.causes import Cause
from promptlint.audit.store import Store
from promptlint.finding import Severity
from promptlint.providers.registry import provider

_PINNED = 3
"""Requests in a row with the very same count before it is called pinned."""

_MANY = 10
"""Requests that report before their writes are held against their reads: the first ones have nothing to read."""

_RESUMED_FROM = 1024
"""Tokens written again that are worth a word."""

_BUSY = 15
"""Requests a minute of one prefix and key above which OpenAI's guide says that machines overflow."""


def from_usage(store: Store) -> list[Cause]:
    """Causes that the counts show: reads that stay at one value, prefixes written again, writes that are not read."""
    missed = list(_missed(store))
    explained = {(cause.provider, cause.model) for cause in missed}
    paid = (cause for cause in _paid(store) if (cause.provider, cause.model) not in explained)
    return [*_pinned(store), *_resumed(store), *paid, *missed]


def _pinned(store: Store) -> Iterable[Cause]:
    rows = store.all(f"""
        WITH turns AS (
            SELECT provider, model, conversation, rid, total, read,
                row_number() OVER talk - row_number() OVER (PARTITION BY conversation, read ORDER BY rid) AS run
            FROM log JOIN ranks USING (part, nth) WHERE conversation <> 0 AND read > 0 AND total IS NOT NULL
            WINDOW talk AS (PARTITION BY conversation ORDER BY rid)
        ),
        runs AS (
            SELECT provider, model, count(*) AS requests, sum(total - read) AS fresh, max(total) - min(total) AS growth,
                arg_min(rid, rid) AS first, arg_max(rid, rid) AS last
            FROM turns GROUP BY provider, model, conversation, read, run
            HAVING count(*) > {_PINNED} AND max(total) - min(total) > 2048
        )
        SELECT provider, model, sum(requests)::BIGINT, sum(fresh)::BIGINT, arg_max(last, growth), arg_max(first, growth)
        FROM runs GROUP BY provider, model""")
    message = "the reported cached tokens stay at one value while the conversation grows"
    yield from _causes(rows, "pinned-reads", Severity.WARNING, "pinned", message)


def _resumed(store: Store) -> Iterable[Cause]:
    """A conversation goes on after a pause, and what was read before is written anew."""
    query = f"""
        WITH turns AS (
            SELECT provider, model, rid, read, write, total, time, lag(time) OVER talk AS before,
                lag(rid) OVER talk AS earlier, lag(total) OVER talk AS had
            FROM log JOIN ranks USING (part, nth) WHERE conversation <> 0 AND total IS NOT NULL AND time IS NOT NULL
            WINDOW talk AS (PARTITION BY conversation ORDER BY rid)
        )
        SELECT provider, model, count(*), sum(least(had, total) - coalesce(read, 0))::BIGINT, arg_max(rid, total),
            arg_max(earlier, total)
        FROM turns JOIN policies USING (provider, model)
        WHERE before IS NOT NULL AND write IS NOT NULL AND had >= {_RESUMED_FROM}
            AND coalesce(read, 0) < 0.5 * least(had, total) AND write >= 0.5 * least(had, total)
            AND (time - before > ttl) = ?
        GROUP BY provider, model"""
    resumed = "a conversation goes on after a pause longer than the entry lives, and is written again"
    yield from _causes(store.all(query, True), "resume-rewrite", Severity.NOTE, "resume", resumed)
    rewritten = "a conversation is written again although its entry is still young; the record does not show why"
    # Where the log has prompts, blame says more.
    bare = query.replace("time IS NOT NULL", "time IS NOT NULL AND len(keys) = 0")
    yield from _causes(store.all(bare, False), "prefix-divergence", Severity.WARNING, "unknown", rewritten)


def _causes(rows: Iterable[Any], rule: str, severity: Severity, kind: str, message: str) -> Iterator[Cause]:
    """One cause for each provider and model, with an example and the request before it."""
    for name, model, requests, tokens, rid, earlier in rows:
        yield Cause(rule, severity, name, model, kind, "", message, requests, tokens, rid=rid, earlier=earlier)


def _paid(store: Store) -> Iterable[Cause]:
    rows = store.all(f"""
        SELECT provider, model, count(*), sum(write)::BIGINT, sum(read)::BIGINT FROM log JOIN ranks USING (part, nth)
        WHERE write > 0 OR read > 0 GROUP BY provider, model
        HAVING count(*) >= {_MANY} AND sum(write) > 2 * coalesce(sum(read), 0)""")
    for name, model, requests, written, read in rows:
        message = f"{written:,} tokens were written to the cache and {read or 0:,} read"
        yield Cause(
            "paid-writes", Severity.WARNING, name, model, "writes", "", message, requests, written - (read or 0)
        )


def _missed(store: Store) -> Iterable[Cause]:
    """Reads that the rules promise and the provider does not report."""
    rows = store.all(f"""
        WITH missed AS (
            SELECT provider, model, rid, cached, read, count(*) OVER (
                PARTITION BY xor(pool, route), chain[1] ORDER BY time RANGE BETWEEN 60 PRECEDING AND CURRENT ROW
            ) AS rate
            FROM log JOIN ranks USING (part, nth) JOIN replayed USING (rid) WHERE read IS NOT NULL AND time IS NOT NULL
        )
        SELECT provider, model, count(*) FILTER (read < cached / 2), sum(cached - read) FILTER (read < cached / 2),
            sum(cached)::BIGINT, arg_max(rid, cached - read), count(*) FILTER (read < cached / 2 AND rate > {_BUSY})
        FROM missed GROUP BY provider, model""")
    for name, model, requests, tokens, cached, rid, busy in rows:
        if not requests or requests < _PINNED or tokens < 0.05 * cached:
            continue
        if provider(name).kind == "engine":
            rule, message = "engine-miss", "the engine reports fewer cached tokens than its rules give for this log"
        else:
            rule = "routing-miss"
            message = "the provider reports fewer cached tokens than its rules give for this log"
            if 2 * busy >= requests:
                message += f", mostly at more than {_BUSY} requests a minute, which reach further machines"
        yield Cause(rule, Severity.WARNING, name, model, "miss", "", message, requests, int(tokens), rid=rid)
