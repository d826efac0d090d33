"""What the cache would have held of each request: windows for the block rule, in order for all that has a state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from promptlint.audit.rules import Rules
from promptlint.audit.store import Store
from promptlint.replay.boundary import Entries, Visit
from promptlint.replay.policy import FOREVER, Policy
from promptlint.replay.sequential import Arrival, Replay

_AT_ONCE = 50_000


def replay(store: Store, table: str, log: str = "log", policies: str = "policies") -> None:
    """Fills a new table: by `rid` the tokens that are `cached`, those that would be if entries lived `forever`, and
    those that are `written` (0 where writes have no price of their own)."""
    store.execute(
        f"CREATE OR REPLACE TABLE {table} (rid BIGINT PRIMARY KEY, cached BIGINT, forever BIGINT, written BIGINT)"
    )
    source = f"{log} JOIN ranks USING (part, nth) JOIN {policies} USING (provider, model)"
    _windows(store, table, source)
    _in_order(store, table, source)


def _windows(store: Store, table: str, source: str) -> None:
    """As in `replay.window`: a block is read when the last touch of its hash lies in time."""
    delays = {rules.policy.delay for rules in store.rules.values()} - {0.0}
    hit, ever = "gap <= ttl", "gap IS NOT NULL"
    looked = "time - lag(time) OVER (PARTITION BY key ORDER BY rid) AS gap"
    if delays:
        delay = delays.pop()
        frame = f"PARTITION BY key ORDER BY time RANGE BETWEEN {{}} AND {delay} PRECEDING"
        looked = (
            f"count(*) OVER ({frame.format('ttl PRECEDING')}) AS near, "
            f"count(*) OVER ({frame.format('UNBOUNDED PRECEDING')}) AS earlier"
        )
        hit, ever = "near > 0", "earlier > 0"
    store.execute(f"""
        INSERT INTO {table}
        WITH touches AS (
            SELECT rid, coalesce(time, 0) AS time, tokens, unit, minimum, ttl,
                xor(unnest(blocks), xor(pool, route)) AS key
            FROM {source}
            WHERE plain AND tokens >= minimum
        ),
        looked AS (SELECT rid, tokens, unit, minimum, ttl, {looked} FROM touches),
        hits AS (
            SELECT rid, any_value(tokens) AS tokens, any_value(unit) AS unit, any_value(minimum) AS minimum,
                count(*) FILTER ({hit}) AS near, count(*) FILTER ({ever}) AS ever
            FROM looked GROUP BY rid
        ),
        read AS (
            SELECT rid, minimum, least(near * unit, (tokens - 1) // unit * unit) AS cached,
                least(ever * unit, (tokens - 1) // unit * unit) AS forever
            FROM hits
        )
        SELECT rid, if(cached >= minimum, cached, 0), if(forever >= minimum, forever, 0), 0 FROM read""")


def _in_order(store: Store, table: str, source: str) -> None:
    if not store.all(f"SELECT 1 FROM {source} WHERE NOT plain LIMIT 1"):
        return
    machines: dict[Policy, _Machine] = {}
    rids, cached, forever, written = [], [], [], []
    query = f"""
        SELECT rid, coalesce(time, 0) AS time, provider, model, xor(pool, route) AS space, tokens, chain, ends,
            positions, marks, lives, blocks
        FROM {source}
        WHERE NOT plain AND len(keys) > 0 ORDER BY rid"""
    for row in _rows(store, query):
        rules = store.rules[row["provider"], row["model"]]
        machine = machines.setdefault(rules.policy, _Machine(rules))
        near, ever, wrote = machine.take(row)
        rids.append(row["rid"])
        cached.append(near)
        forever.append(ever)
        written.append(wrote)
        if len(rids) >= _AT_ONCE:
            store.append(table, {"rid": rids, "cached": cached, "forever": forever, "written": written})
            rids, cached, forever, written = [], [], [], []
    if rids:
        store.append(table, {"rid": rids, "cached": cached, "forever": forever, "written": written})


def _rows(store: Store, query: str) -> Iterator[dict[str, Any]]:
    for batch in store.stream(query):
        yield from batch.to_pylist()  # type: ignore[attr-defined]


class _Machine:
    """One cache as it is, and one in which nothing dies of age."""

    def __init__(self, rules: Rules) -> None:
        policy = rules.policy
        endless = Policy(
            policy.unit, policy.minimum, FOREVER, "use", policy.delay, 0, policy.lookback, policy.minus_one
        )
        self._boundaries = rules.by_boundaries
        self._entries = [Entries(policy), Entries(endless)]
        self._blocks = [Replay(policy), Replay(endless)] if policy.unit else []

    def take(self, row: dict[str, Any]) -> tuple[int, int, int]:
        if not self._boundaries:
            arrival = Arrival(row["time"], row["space"], row["blocks"], row["tokens"])
            near, ever = (replay.take(arrival) for replay in self._blocks)
            return near, max(near, ever), 0
        marks = list(zip(row["marks"], row["lives"], strict=True))
        visit = Visit(row["time"], row["space"], row["chain"], row["ends"], row["positions"], marks)
        endless = Visit(
            visit.time, visit.namespace, visit.chain, visit.ends, visit.positions, [(at, FOREVER) for at, _ in marks]
        )
        now, ever_used = self._entries[0].visit(visit), self._entries[1].visit(endless)
        return now.read, max(now.read, ever_used.read), now.write
