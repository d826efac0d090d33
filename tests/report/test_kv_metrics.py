from __future__ import annotations

import json
from dataclasses import replace

import pytest

from promptlint.report.kv_metrics import metrics_json, metrics_text
from promptlint.report.paint import Paint
from promptlint.serving.gpus import gpu
from promptlint.serving.models import model
from promptlint.serving.signals import Readings
from promptlint.serving.workload import Workload

QUIET = Readings(
    engine="vLLM",
    model="some-model",
    usage=0.5,
    capacity=1_000_000,
    in_flight=500_000,
    running=10,
    waiting=0,
    preempted=0,
    finished=2_000,
    recomputed=0,
    recomputed_is_estimate=True,
    hit_rate=0.8,
    latency=0.02,
    utilisation=(),
)
RUNNING = Workload(model("llama-3-70b"), 50_000, 10, gpu=gpu("h100"), gpus=8, ranks=8)


def _said(readings: Readings, workload: Workload | None = RUNNING) -> list[str]:
    return list(metrics_text(readings, workload, Paint(False)))


def _row(lines: list[str], start: str) -> str:
    return " ".join(next(line for line in lines if line.startswith(start)).split())


def test_a_quiet_server_is_asked_for_nothing() -> None:
    lines = _said(QUIET)
    assert _row(lines, "KV pool") == "KV pool in use 50 % of 1,000,000 tokens; 10 running, 0 waiting"
    assert _row(lines, "pre-emptions").startswith("pre-emptions per 1,000 requests 0.0 0 tokens computed again")
    assert _row(lines, "prefix hits") == "prefix hits 80 % of the prompt tokens"
    assert _row(lines, "bytes per decode step") == (
        "bytes per decode step 305.04 GB weights 141.20 GB, cache 163.84 GB: "
        "500,000 tokens in flight; crossover at 430,908"
    )
    assert _row(lines, "mean time") == "mean time between tokens 20.0 ms 1.8 times the floor of 11.4 ms"
    assert not any(line.startswith("  ") for line in lines), "no signal asks for anything"


@pytest.mark.parametrize(
    ("change", "then"),
    [
        ({"usage": 0.95}, "levers that shrink what is kept"),
        ({"preempted": 40}, "limit the batch, or shrink what is kept"),
        ({"hit_rate": 0.1}, "promptlint check says which value makes the rest fresh"),
    ],
)
def test_a_signal_that_asks_says_why_and_what_to_do(change: dict[str, float], then: str) -> None:
    lines = _said(replace(QUIET, **change))  # type: ignore[arg-type]
    asked = " ".join(line.strip() for line in lines if line.startswith("  "))
    assert then in asked
    told = json.loads(metrics_json(replace(QUIET, **change), RUNNING))  # type: ignore[arg-type]
    assert sum(signal["asks"] for signal in told["signals"]) == 1


def test_what_is_missing_is_said() -> None:
    empty = replace(
        QUIET, usage=None, in_flight=None, preempted=None, hit_rate=None, latency=None, recomputed=None, finished=None
    )
    lines = _said(empty, None)
    assert sum(line.endswith("not in the dump") for line in lines) == 5
    assert {signal["value"] for signal in json.loads(metrics_json(empty, None))["signals"]} == {None}


def test_without_weights_the_cache_alone_is_said() -> None:
    work = Workload(model("kimi-k3"), 50_000, 10)
    assert "cache only, 500,000 tokens in flight" in _row(_said(QUIET, work), "bytes per decode step")


def test_a_dump_with_gpu_utilisation_is_told_so() -> None:
    lines = _said(replace(QUIET, utilisation=("DCGM_FI_DEV_GPU_UTIL",)))
    closing = " ".join(lines[-3:])
    assert "GPU utilisation is none of them" in closing
    assert "The dump has DCGM_FI_DEV_GPU_UTIL." in closing
