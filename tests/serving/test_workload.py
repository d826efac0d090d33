"""Every figure of the equation's source text: exact, and as it is rounded there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.serving.geometry import grouped, latent, state
from promptlint.serving.gpus import gpu, gpus
from promptlint.serving.models import Model, Weights, model, models
from promptlint.serving.prefill import flops, lost
from promptlint.serving.workload import Workload

LLAMA = replace(model("llama-3-70b"), weights=Weights(70e9, 70e9))
"""The text rounds 70.6 to 70 billion parameters: 140 GB in 16 bits."""


def node(tokens: int = 1, batch: int = 1, of: Model = LLAMA, **more: object) -> Workload:
    known = {"gpu": gpu("h100"), "gpus": 8, "ranks": 8, **more}
    return Workload(of, tokens, batch, **known)  # type: ignore[arg-type]


def test_bytes_per_token_of_llama_3_70b() -> None:
    assert LLAMA.growth(16) == 2 * 80 * 8 * 128 * 2 == 327_680
    assert LLAMA.growth(16) / 1024 == 320, "KiB"


def test_a_request_of_128_thousand_tokens() -> None:
    assert node(128_000).request_bytes == 41_943_040_000
    assert round(node(128_000).request_bytes / 1e9, 2) == 41.94
    assert node(131_072).request_bytes == 40 * 2**30
    assert round(node(131_072).request_bytes / 1e9, 2) == 42.95
    # "about 41 GB" reads 320 KiB as 320 kB.
    assert round(320_000 * 128_000 / 1e9, 2) == 40.96


def test_eight_h100_read_the_weights_in_5_2_milliseconds() -> None:
    work = node()
    assert work.bandwidth == 26.8e12
    assert work.weight_bytes == 140e9
    assert round(140e9 / work.bandwidth * 1e3, 2) == 5.22
    assert round(node(of=model("llama-3-70b")).weights_read / work.bandwidth * 1e3, 2) == 5.27  # type: ignore[operator]


def test_the_crossover() -> None:
    assert node().crossover_tokens == 427_246
    assert 140e9 / 320_000 == 437_500, "the rounded route, shown as 440,000"
    assert node(of=model("llama-3-70b")).crossover_tokens == 430_908
    assert round(node().crossover_context(4) / 1e3) == 107  # type: ignore[operator]
    assert round(node().crossover_context(32) / 1e3, 1) == 13.4  # type: ignore[operator]
    # As rounded there: 110K and 14K.
    assert (440_000 // 4, 440_000 / 32) == (110_000, 13_750)


def test_at_the_crossover_the_cache_is_22_per_cent_of_the_node() -> None:
    work = node(tokens=106_811, batch=4)
    assert round(100 * work.cache_bytes / work.memory) == 22
    assert round(work.pool_tokens / 1e6, 1) == 1.4  # type: ignore[operator]
    assert work.step_seconds == pytest.approx(2 * 140e9 / 26.8e12, rel=1e-4)


def test_prefill_of_a_lost_prefix() -> None:
    work = node(of=model("llama-3-70b"))
    last = flops(work, 53_862, 53_863)
    assert last is not None
    assert last / 2 == pytest.approx(2 * 70.6e9, rel=1e-4), "attention passes the weights near position 54,000"
    assert flops(work, 0, 1_000) == 2 * 70.6e9 * 1_000 + 4 * 80 * 64 * 128 * (1_000 * 1_001 // 2)
    loss = lost(work, 1_000, 3_000)
    assert loss.kv_bytes == 2_000 * 327_680
    assert loss.seconds == pytest.approx(flops(work, 1_000, 3_000) / (8 * 989e12))  # type: ignore[operator]
    assert loss.times(1_000).tokens == 2_000_000
    assert loss.times(1_000).seconds == pytest.approx(1_000 * loss.seconds)  # type: ignore[operator]


@given(st.sampled_from(models()), st.integers(0, 200_000), st.integers(0, 200_000), st.integers(0, 200_000))
def test_a_prefix_costs_what_its_pieces_cost(one: Model, a: int, b: int, c: int) -> None:
    start, middle, end = sorted((a, b, c))
    work = Workload(one, 1, 1)
    whole, first, second = flops(work, start, end), flops(work, start, middle), flops(work, middle, end)
    if whole is None or first is None or second is None:
        assert one.weights is None
        return
    assert whole == pytest.approx(first + second)


@given(st.sampled_from(models()), st.integers(1, 300_000), st.sampled_from([16, 8, 4]))
def test_a_longer_request_never_keeps_or_reads_less(one: Model, tokens: int, bits: int) -> None:
    assert one.kept(tokens + 1, bits) >= one.kept(tokens, bits)
    assert one.read(tokens + 1, bits) >= one.read(tokens, bits)
    assert one.read(tokens, bits) <= one.kept(tokens, bits)


@given(st.sampled_from([one for one in models() if one.weights]), st.integers(1, 64))
def test_the_crossover_is_the_last_context_that_reads_no_more_cache_than_weights(one: Model, batch: int) -> None:
    work = Workload(one, 1, batch)
    context = work.crossover_context(batch)
    assert context is not None
    assert work.weights_read is not None
    assert batch * one.read(context, 16) <= work.weights_read < batch * one.read(context + 1, 16)


@pytest.mark.parametrize(
    ("heads", "ranks", "copies"),
    [(8, 1, 1), (8, 8, 1), (8, 4, 1), (4, 8, 2), (1, 8, 8), (2, 16, 8), (10, 8, 1.6)],
)
def test_ranks_beyond_the_kv_heads_keep_copies(heads: int, ranks: int, copies: float) -> None:
    assert grouped(layers=1, kv_heads=heads, head_dim=128, heads=heads).copies(ranks) == copies


def test_a_latent_is_kept_by_every_rank() -> None:
    part = latent(layers=61, rank=512, rope=64, heads=128, nope=128, value=128)
    assert part.per_token(16) == 61 * 576 * 2 == 70_272
    assert part.copies(8) == 8
    deepseek = model("deepseek-v3")
    assert node(32_000, of=deepseek).request_bytes == 8 * node(32_000, of=deepseek, ranks=1).request_bytes
    assert pytest.approx(4.66, abs=0.01) == 327_680 / 70_272


def test_a_window_stops_growing_and_a_state_never_starts() -> None:
    window = grouped(layers=2, kv_heads=1, head_dim=4, heads=4, window=100)
    assert [window.kept(tokens, 16) for tokens in (50, 100, 5_000)] == [1_600, 3_200, 3_200]
    # 1 + 2 + ... + 100 entries, then 100 for each further token.
    assert window.attended(100) == 5_050
    assert window.attended(150) == 10_050
    constant = state(layers=3, numbers=10, heads=1, fp32=True)
    assert constant.kept(1, 4) == constant.kept(1_000_000, 16) == 120
    assert constant.attended(500) == 0


def test_a_shared_prefix_is_kept_once() -> None:
    alone, shared = node(10_000, batch=5), node(10_000, batch=5, prefix=4_000)
    assert alone.cache_bytes - shared.cache_bytes == 4 * 4_000 * 327_680
    assert alone.cache_read == shared.cache_read, "a step reads it for every request"


def test_weights_that_do_not_fit_leave_no_pool() -> None:
    work = Workload(model("llama-3.1-405b"), 1, 1, gpu=gpu("l4"))
    assert work.pool_bytes is not None
    assert work.pool_bytes < 0
    assert work.pool_tokens == work.pool_requests == 0


def test_what_is_not_known_stays_unknown() -> None:
    work = Workload(model("kimi-k3"), 1_000, 1, gpu=gpu("h200"), gpus=8)
    unknown = (work.weight_bytes, work.weights_read, work.step_bytes, work.step_seconds, work.pool_bytes)
    assert set(unknown) == {None}
    assert work.crossover_tokens is work.crossover_context(4) is None
    assert lost(work, 0, 10).flops is None
    without_gpu = Workload(LLAMA, 1, 1)
    assert without_gpu.step_seconds is without_gpu.pool_bytes is lost(without_gpu, 0, 10).seconds is None


def test_the_gpus() -> None:
    known = {
        "a100-80gb": (80, 2039, 312),
        "h100": (80, 3350, 989),
        "h200": (141, 4800, 989),
        "b200": (180, 7700, 2250),
        "gb200": (186, 8000, 2500),
        "b300": (288, 7750, 2250),
        "mi300x": (192, 5300, 1307.4),
        "l4": (24, 300, 121),
        "l40s": (48, 864, 362.05),
    }
    assert {one.name: (one.memory / 1e9, one.bandwidth / 1e9, one.flops / 1e12) for one in gpus()} == known
    assert gpu("H100-SXM") is gpu("h100")
