"""Code that this project did not write, on the same requests: it has to read what the simulator reads.

vLLM (tried with 0.33.0) is found through two variables: PROMPTLINT_VLLM_PYTHON, a Python with torch and vLLM's
dependencies, and PROMPTLINT_VLLM_FOLDER, the Python files of its wheel.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest

from promptlint.replay.chain import block_hashes
from promptlint.replay.policy import Policy
from promptlint.replay.sequential import Arrival, cached_tokens
from promptlint.replay.stack import distances, hits_at

pytestmark = pytest.mark.long

UNIT, REQUESTS = 16, 3_000


def trace(seed: int, requests: int = REQUESTS) -> list[list[int]]:
    """Token ids of agents' requests: conversations that grow over six shared prompts."""
    chance = random.Random(seed)

    def tokens(least: int, most: int) -> list[int]:
        return [chance.randrange(1_000, 100_000) for _ in range(chance.randrange(least, most))]

    prompts = [tokens(200, 900) for _ in range(6)]
    talks: list[list[int]] = []
    made = []
    for _ in range(requests):
        if len(talks) < 20 or chance.random() < 0.08:
            if len(talks) >= 20:
                talks.pop(chance.randrange(20))
            talks.append(list(chance.choice(prompts)))
        talk = chance.choice(talks)
        talk += tokens(5, 160)
        made.append(list(talk))
        talk += tokens(5, 80)
    return made


def arrivals(requests: list[list[int]]) -> list[Arrival]:
    return [
        Arrival(number, 0, block_hashes(np.array(ids, np.uint32), UNIT)[1].tolist(), len(ids))
        for number, ids in enumerate(requests)
    ]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("capacity", [1_000, 2_500, 8_000, 1_000_000])
def test_vllm_reads_the_same(tmp_path: Path, seed: int, capacity: int) -> None:
    python, folder = os.environ.get("PROMPTLINT_VLLM_PYTHON"), os.environ.get("PROMPTLINT_VLLM_FOLDER")
    if not python or not folder:
        pytest.skip("PROMPTLINT_VLLM_PYTHON and PROMPTLINT_VLLM_FOLDER name no vLLM")
    requests = trace(seed)
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(requests))
    script = Path(__file__).with_name("vllm_pool.py")
    command = [python, str(script), folder, str(path), str(UNIT), str(capacity + 1)]
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=clean)
    assert done.returncode == 0, done.stderr[-2000:]
    expected = json.loads(done.stdout.splitlines()[-1])
    assert len(expected) == REQUESTS
    assert cached_tokens(arrivals(requests), Policy(UNIT, capacity=capacity)) == expected


@pytest.mark.parametrize("seed", [1, 2])
def test_kvcache_simulator_reads_as_much(seed: int) -> None:
    """It gives totals over the second half of the requests; every one of them fits into each of the capacities."""
    plan_of = pytest.importorskip("kvcache_sim.plan").build_execution_plan
    from kvcache_sim.policies import simulate_ceiling, simulate_policy
    from kvcache_sim.trace import TraceData

    log = arrivals(trace(seed))
    ids = [block for arrival in log for block in arrival.blocks]
    lengths = np.array([len(arrival.blocks) for arrival in log])
    starts = [0, *np.cumsum(lengths).tolist()]
    plan = plan_of(TraceData(ids, [UNIT] * len(ids), starts, UNIT, len(log), len(set(ids)), 0, 0.0, 0, 0))
    found = distances(lengths, np.array(ids))
    half = slice(plan.warmup_requests, None)

    def ours(capacity: int) -> int:
        return int(hits_at(capacity, lengths, found)[half].sum()) * UNIT

    assert ours(10**9) == simulate_ceiling(plan).hitTokens
    assert lengths.max() < 1_000
    for capacity in (1_000, 2_500, 8_000):
        theirs = simulate_policy(plan, "lru", capacity)
        assert theirs.measurementMode == "fixed_window"
        assert ours(capacity) == theirs.hitTokens
