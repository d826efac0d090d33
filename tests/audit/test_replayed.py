"""The relational form equals the sequential simulator, request by request, on the way from file to figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

import pytest

from promptlint.audit.collect import Plan, collect, shard
from promptlint.audit.replayed import replay
from promptlint.audit.rules import Wanted, rules_of
from promptlint.audit.store import opened
from promptlint.logs.places import Part
from promptlint.logs.reading import Reading
from promptlint.replay.boundary import Visit, used
from promptlint.replay.sequential import Arrival, cached_tokens

Log = Callable[[str, str], str]


def replayed(tmp_path: Path, text: str, wanted: Wanted, provider: str = "") -> tuple[list[dict], list[tuple[int, int]]]:
    """The rows of the log in order, and cached and written tokens of each."""
    folder = Path(mkdtemp(dir=tmp_path))
    path = folder / "log.jsonl"
    path.write_text(text, encoding="utf-8")
    plan = Plan(folder, Reading(provider), wanted)
    collect([Part(str(path))], plan, 1, lambda _: None)
    with opened(folder, [shard(folder, 0)], wanted, 64, 1) as store:
        replay(store, "replayed")
        rows: list[dict] = []
        for batch in store.stream(
            "SELECT rid, xor(pool, route) AS space, * FROM log JOIN ranks USING (part, nth) ORDER BY rid"
        ):
            rows += batch.to_pylist()  # type: ignore[attr-defined]
        found = {rid: (cached, wrote) for rid, cached, _, wrote in store.all("SELECT * FROM replayed")}
        return rows, [found.get(row["rid"], (0, 0)) for row in rows]


@pytest.mark.parametrize(
    ("provider", "wanted"),
    [
        ("openai-5.5", Wanted()),
        ("openai-5.5", Wanted(ttl=60)),
        ("vllm", Wanted()),
        ("vllm", Wanted(ttl=45, delay=25)),
        ("vllm", Wanted(capacity=9000)),
        ("xai", Wanted(ttl=15)),
    ],
    ids=str,
)
def test_blocks(tmp_path: Path, log: Log, plan: str, provider: str, wanted: Wanted) -> None:
    rows, found = replayed(tmp_path, log(plan, "openai"), wanted, provider)
    policy = rules_of(provider, "gpt-5-mini", wanted).policy
    arrivals = [Arrival(row["time"], row["space"], row["blocks"], row["tokens"]) for row in rows]
    assert [cached for cached, _ in found] == cached_tokens(arrivals, policy)


@pytest.mark.parametrize("wanted", [Wanted(), Wanted(ttl=25), Wanted(ttl=3600, delay=30)], ids=str)
def test_boundaries(tmp_path: Path, log: Log, plan: str, wanted: Wanted) -> None:
    rows, found = replayed(tmp_path, log(plan, "anthropic"), wanted)
    policy = rules_of("anthropic", "claude-sonnet-4-5", wanted).policy
    visits = [
        Visit(
            row["time"],
            row["space"],
            row["chain"],
            row["ends"],
            row["positions"],
            list(zip(row["marks"], row["lives"], strict=True)),
        )
        for row in rows
    ]
    assert found == [(each.read, each.write) for each in used(visits, policy)]
    assert all(row["marks"] for row in rows)


def test_requests_come_in_the_order_of_their_times(tmp_path: Path, log: Log) -> None:
    lines = log("append-only", "openai").splitlines(keepends=True)
    assert replayed(tmp_path, "".join(lines[::-1]), Wanted())[1] == replayed(tmp_path, "".join(lines), Wanted())[1]


def test_an_id_that_comes_again_is_counted_once(tmp_path: Path, log: Log) -> None:
    records = [json.loads(line) for line in log("append-only", "openai").splitlines()]
    lines = [json.dumps({**record, "id": f"r{number}"}) + "\n" for number, record in enumerate(records)]
    once = replayed(tmp_path, "".join(lines), Wanted())[1]
    assert replayed(tmp_path, "".join([*lines, *lines[:7]]), Wanted())[1] == once


def test_requests_of_other_owners_share_nothing(tmp_path: Path, log: Log) -> None:
    records = [json.loads(line) for line in log("independent questions", "openai").splitlines()]
    lines = [json.dumps({**record, "organization": f"o{number % 2}"}) + "\n" for number, record in enumerate(records)]
    rows, found = replayed(tmp_path, "".join(lines), Wanted())
    assert [cached for cached, _ in found][:2] == [0, 0]
    assert len({row["pool"] for row in rows}) == 2
