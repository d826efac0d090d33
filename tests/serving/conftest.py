"""What vLLM and SGLang print, from the metrics that their sources register, filled with the figures of one hour.

Names, types, descriptions, labels and buckets are those of vllm/v1/metrics/loggers.py (2026, main) and
python/sglang/srt/observability/metrics_collector.py (commit 016d8605); `prometheus_client`, which both engines use,
writes the text. `python tests/serving/conftest.py` writes the two files in examples/metrics anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from unittest.mock import patch

import pytest
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

MODEL = "meta-llama/Llama-3.1-70B-Instruct"
FOLDER = Path(__file__).parent.parent.parent / "examples" / "metrics"
_STARTED = 1_795_000_000.0
_LATENCIES = (0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0)
_LENGTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000)
_SGLANG_LATENCIES = (0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.06, 0.08, 0.1, 0.2, 0.4)


class Server:
    """A registry whose metrics have the labels of one engine."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        self._registry, self._labels = CollectorRegistry(), dict(labels)
        self._known: dict[str, Gauge | Counter | Histogram] = {}

    def gauge(self, name: str, about: str, value: float, **labels: str) -> None:
        self._metric(Gauge, name, about, labels).set(value)

    def counter(self, name: str, about: str, value: float, **labels: str) -> None:
        self._metric(Counter, name, about, labels).inc(value)

    def histogram(self, name: str, about: str, buckets: tuple[float, ...], values: Mapping[float, int]) -> None:
        metric = self._metric(Histogram, name, about, {}, buckets=buckets)
        for value, times in values.items():
            for _ in range(times):
                metric.observe(value)

    def text(self) -> str:
        return generate_latest(self._registry).decode()

    def _metric(self, kind: type, name: str, about: str, labels: Mapping[str, str], **more: object):  # type: ignore[no-untyped-def]
        given = {**self._labels, **labels}
        if name not in self._known:
            self._known[name] = kind(name, about, list(given), registry=self._registry, **more)
        return self._known[name].labels(**given)


def vllm(
    *,
    usage: float = 0.962,
    running: int = 44,
    waiting: int = 19,
    preemptions: int = 212,
    hits: int = 12_735_488,
    model: str = MODEL,
    engine: str = "0",
) -> str:
    """One engine of vLLM, for 8 x H100: 85,372 blocks of 16 tokens, 10,240 finished requests."""
    with patch("prometheus_client.metrics.time.time", return_value=_STARTED):
        server = Server({"model_name": model, "engine": engine})
        server.gauge("vllm:num_requests_running", "Number of requests in model execution batches.", running)
        server.gauge("vllm:num_requests_waiting", "Number of requests waiting to be processed.", waiting)
        server.gauge("vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", usage)
        queried = "Prefix cache queries, in terms of number of queried tokens."
        server.counter("vllm:prefix_cache_queries", queried, 41_369_600)
        server.counter("vllm:prefix_cache_hits", "Prefix cache hits, in terms of number of cached tokens.", hits)
        server.counter("vllm:num_preemptions", "Cumulative number of preemption from the engine.", preemptions)
        server.counter("vllm:prompt_tokens", "Number of prefill tokens processed.", 41_369_600)
        server.counter("vllm:generation_tokens", "Number of generation tokens processed.", 5_120_000)
        for reason, number in (("stop", 9_830), ("length", 397), ("abort", 13)):
            server.counter(
                "vllm:request_success", "Count of successfully processed requests.", number, finished_reason=reason
            )
        prompts = {1_500.0: 120, 4_000.0: 260, 9_000.0: 60}
        server.histogram("vllm:request_prompt_tokens", "Number of prefill tokens processed.", _LENGTHS, prompts)
        between = {0.024: 700, 0.031: 250, 0.41: 12}
        server.histogram(
            "vllm:inter_token_latency_seconds", "Histogram of inter-token latency in seconds.", _LATENCIES, between
        )
        info = {"block_size": "16", "num_gpu_blocks": "85372", "cache_dtype": "auto", "enable_prefix_caching": "True"}
        cache = Server({})
        cache.gauge("vllm:cache_config_info", "Information of the LLMEngine CacheConfig", 1, engine=engine, **info)
        return server.text() + cache.text()


def sglang(*, ranks: int = 2) -> str:
    """SGLang with metrics of all schedulers: each tensor-parallel rank says the same."""
    with patch("prometheus_client.metrics.time.time", return_value=_STARTED):
        server = Server({"model_name": MODEL, "engine_type": "unified", "pp_rank": "0", "moe_ep_rank": "0"})
        for rank in map(str, range(ranks)):
            scheduler = {
                "num_running_reqs": ("The number of running requests.", 31),
                "num_queue_reqs": ("The number of requests in the waiting queue.", 2),
                "token_usage": ("The token usage.", 0.41),
                "full_token_usage": ("The token usage for full attention layers.", 0.41),
                "kv_used_tokens": ("Number of actively used token slots in the KV cache pool.", 512_430),
                "max_total_num_tokens": ("Maximum total number of tokens in the KV cache pool.", 1_249_843),
                "cache_hit_rate": ("The prefix cache hit rate.", 0.0),
                "utilization": ("The utilization.", 0.98),
            }
            for name, (about, value) in scheduler.items():
                server.gauge(f"sglang:{name}", about, value, tp_rank=rank, priority="")
            server.gauge("sglang:num_running_reqs", scheduler["num_running_reqs"][0], 30, tp_rank=rank, priority="1")
            counted = {
                "num_retracted_requests_total": ("Total number of retracted requests.", 4),
                "num_retracted_input_tokens_total": ("Total number of retracted input tokens.", 61_440),
            }
            for name, (about, value) in counted.items():
                server.counter(f"sglang:{name}", about, value, tp_rank=rank)
            tokens = "Total number of tokens processed (updated on each log interval). "
            tokens += "mode: prefill_compute, prefill_cache, decode."
            for mode, value in (("prefill_compute", 9_000_000), ("prefill_cache", 27_000_000), ("decode", 3_000_000)):
                server.counter("sglang:realtime_tokens_total", tokens, value, tp_rank=rank, mode=mode)
        tokenizer = Server({"model_name": MODEL, "engine_type": "unified"})
        tokenizer.counter("sglang:num_requests_total", "Number of requests processed.", 6_000)
        tokenizer.counter("sglang:prompt_tokens_total", "Number of prefill tokens processed.", 36_000_000)
        about = "Histogram of inter-token latency in seconds."
        tokenizer.histogram("sglang:inter_token_latency_seconds", about, _SGLANG_LATENCIES, {0.018: 900, 0.022: 100})
        return server.text() + tokenizer.text()


DUMPS: dict[str, Callable[..., str]] = {"vllm.prom": vllm, "sglang.prom": sglang}


@pytest.fixture(name="vllm")
def _vllm() -> Callable[..., str]:
    """What a vLLM server prints; keywords change its figures."""
    return vllm


@pytest.fixture(name="sglang")
def _sglang() -> Callable[..., str]:
    """What an SGLang server prints."""
    return sglang


@pytest.fixture(params=sorted(DUMPS))
def stored(request: pytest.FixtureRequest) -> tuple[Path, str]:
    """A dump beside the examples, and what it should hold."""
    return FOLDER / request.param, DUMPS[request.param]()


if __name__ == "__main__":
    for name, dump in DUMPS.items():
        (FOLDER / name).write_text(dump(), encoding="utf-8")
