"""Levers: what each makes of a workload, and in which order they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.data import load_toml
from promptlint.serving.geometry import grouped
from promptlint.serving.gpus import gpu
from promptlint.serving.levers import QUALITY, Outcome, levers, ranked
from promptlint.serving.models import Model, Weights, model, models
from promptlint.serving.prefill import flops
from promptlint.serving.workload import Workload

MHA = Model("old", "Old", (), "MHA", (grouped(32, 32, 128, 32),), Weights(7e9, 7e9), "")
"""Llama 2 7B: a KV head for each query head."""


def _outcomes(workload: Workload) -> dict[str, Outcome]:
    return {outcome.lever.name: outcome for outcome in ranked(workload)}


def _llama(**more: object) -> Workload:
    known = {"tokens": 32_000, "batch": 32, "gpu": gpu("h100"), "gpus": 8, "ranks": 8, **more}
    return Workload(model("llama-3-70b"), **known)  # type: ignore[arg-type]


def test_bytes_per_number() -> None:
    found, before = _outcomes(_llama()), _llama()
    eight, four = found["kv-8bit"], found["kv-4bit"]
    assert (eight.factor, four.factor) == ((0.5, 0.5), (0.25, 0.25))
    assert eight.cache_bytes == before.cache_bytes / 2
    assert eight.after.crossover_tokens == 861_816
    assert four.after.crossover_tokens == 1_723_632
    already = _outcomes(_llama(kv_dtype="fp8"))
    assert "kv-8bit" not in already
    assert already["kv-4bit"].factor == (0.5, 0.5)


def test_a_shared_prefix_is_prefilled_once_and_kept_once() -> None:
    work = _llama(prefix=20_000)
    found = _outcomes(work)
    prefix = found["prefix-caching"]
    left = flops(work, 20_000, 32_000) / flops(work, 0, 32_000)  # type: ignore[operator]
    assert prefix.of == "prefill"
    assert prefix.factor == (left, left)
    assert prefix.cache_bytes == 327_680 * (32 * 32_000 - 31 * 20_000)
    assert prefix.after.crossover_tokens == 430_908
    assert found["kv-8bit"].cache_bytes == 327_680 * 32 * 32_000 / 2, "the others are seen without it"


def test_without_a_stated_prefix_prefill_can_be_anything() -> None:
    low, high = _outcomes(_llama())["prefix-caching"].factor
    assert 0 < low < 0.001
    assert high == 1


def test_paging_takes_waste_from_60_to_80_per_cent_to_4() -> None:
    paging = _outcomes(_llama())["paged-attention"]
    assert paging.of == "reserved memory"
    assert paging.factor == pytest.approx((0.2 / 0.96, 0.4 / 0.96))


def test_a_window_with_sinks_keeps_4100_tokens() -> None:
    found = _outcomes(_llama())["eviction"]
    assert found.cache_bytes == 32 * 4_100 * 327_680
    assert found.after.crossover_tokens is None, "no request reads more for being longer"
    assert "eviction" not in _outcomes(_llama(tokens=4_000))


def test_heads_are_won_where_every_query_has_its_own() -> None:
    found = _outcomes(Workload(MHA, 4_096, 8))
    assert found["grouped-query-attention"].factor == (0.25, 0.25)
    assert found["latent-attention"].factor == (576 / 8_192,) * 2
    assert "grouped-query-attention" not in _outcomes(_llama())


def test_a_latent_that_every_rank_keeps_wins_less() -> None:
    assert _outcomes(_llama(gpus=1, ranks=1))["latent-attention"].factor == (576 / 2_048,) * 2
    assert "latent-attention" not in _outcomes(_llama()), "8 copies of 576 are more than 2,048"


def test_layers_that_share() -> None:
    assert _outcomes(_llama())["layer-sharing"].factor == (0.5, 0.5)
    odd = Workload(model("deepseek-v3"), 1_000, 1)
    assert _outcomes(odd)["layer-sharing"].factor == (31 / 61,) * 2


def test_data_parallel_attention_removes_copies() -> None:
    latent = Workload(model("deepseek-v3"), 32_000, 32, gpus=8, ranks=8)
    found = _outcomes(latent)["data-parallel-attention"]
    assert found.factor == (1 / 8, 1 / 8)
    assert "data-parallel-attention" not in _outcomes(_llama())


def test_a_batch_limit_stops_where_cache_and_weights_are_equal() -> None:
    found = _outcomes(_llama())["batch-limit"]
    assert found.after.batch == 430_908 // 32_000 == 13
    assert found.factor == (13 / 32,) * 2
    assert "batch-limit" not in _outcomes(_llama(batch=8))
    assert _outcomes(_llama(batch=1_000_000))["batch-limit"].after.batch == 13
    assert "batch-limit" not in _outcomes(_llama(tokens=500_000)), "a single request reads more cache than weights"


def test_disaggregation_saves_no_byte_and_says_what_settles_it() -> None:
    found = _outcomes(_llama())["disaggregation"]
    assert found.factor == (1, 1)
    assert "inter-token latency of decode-heavy requests while long prefills share the replica" in found.lever.risk


@given(st.sampled_from(models()), st.integers(2, 100_000), st.integers(1, 128), st.sampled_from([1, 4, 8]))
def test_levers_stand_in_order_and_win_something(one: Model, tokens: int, batch: int, ranks: int) -> None:
    work = Workload(one, tokens, batch, gpus=ranks, ranks=ranks)
    found = ranked(work)
    places = [(QUALITY.index(outcome.lever.quality), outcome.factor[0]) for outcome in found]
    assert places == sorted(places)
    for outcome in found:
        low, high = outcome.factor
        assert 0 < low <= high <= 1
        assert 0 < outcome.cache_bytes <= work.cache_bytes


def test_every_row_is_complete() -> None:
    assert {lever.quality for lever in levers()} == set(QUALITY)
    for lever, row in zip(levers(), load_toml("levers.toml")["lever"], strict=True):
        assert lever.reported
        assert lever.risk
        assert lever.switch
        assert lever.sources
        assert row["dated"]
