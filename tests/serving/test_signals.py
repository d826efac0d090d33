"""What engines' own metrics say about decode."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.serving.scrape import samples
from promptlint.serving.signals import Readings, no_signal, readings, signals
from promptlint.toml_keys import ConfigError

Dump = Callable[..., str]


def _read(text: str) -> Readings:
    return readings(samples(text, "dump"), "dump")


def test_the_stored_dumps_are_what_the_engines_metrics_print(stored: tuple[Path, str]) -> None:
    path, text = stored
    assert path.read_text(encoding="utf-8") == text


def test_vllm(vllm: Dump) -> None:
    found = _read(vllm())
    assert (found.engine, found.model) == ("vLLM", "meta-llama/Llama-3.1-70B-Instruct")
    assert (found.usage, found.running, found.waiting) == (0.962, 44, 19)
    assert found.capacity == 85_372 * 16
    assert found.in_flight == pytest.approx(0.962 * 85_372 * 16)
    assert (found.preempted, found.finished) == (212, 10_240), "finished for any reason"
    assert found.preempted_per_1000 == pytest.approx(1_000 * 212 / 10_240)
    assert found.hit_rate == pytest.approx(12_735_488 / 41_369_600)
    assert found.latency == pytest.approx((700 * 0.024 + 250 * 0.031 + 12 * 0.41) / 962)
    mean_prompt = (120 * 1_500 + 260 * 4_000 + 60 * 9_000) / 440
    assert found.recomputed == pytest.approx(212 * mean_prompt)
    assert found.recomputed_is_estimate


def test_older_names_of_vllm(vllm: Dump) -> None:
    old = vllm().replace("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")
    old = old.replace("vllm:prefix_cache", "vllm:gpu_prefix_cache").replace(
        "inter_token_latency", "time_per_output_token"
    )
    assert _read(old) == _read(vllm())


def test_data_parallel_engines_are_added_up_and_the_fullest_pool_counts(vllm: Dump) -> None:
    one, two = _read(vllm()), _read(vllm(engine="0") + vllm(engine="1", usage=0.5, running=6))
    assert two.running == 50
    assert two.usage == 0.962
    assert two.capacity == 2 * 85_372 * 16
    assert two.in_flight == pytest.approx((0.962 + 0.5) * 85_372 * 16)
    assert (two.preempted_per_1000, two.hit_rate, two.latency) == (
        one.preempted_per_1000,
        one.hit_rate,
        pytest.approx(one.latency),
    )


def test_sglang(sglang: Dump) -> None:
    found = _read(sglang())
    assert (found.engine, found.model) == ("SGLang", "meta-llama/Llama-3.1-70B-Instruct")
    assert (found.usage, found.running, found.waiting) == (0.41, 31, 2)
    assert (found.capacity, found.in_flight) == (1_249_843, 512_430)
    assert (found.preempted, found.finished, found.recomputed) == (4, 6_000, 61_440)
    assert not found.recomputed_is_estimate
    assert found.hit_rate == 27 / 36, "from the counters; the gauge is that of the last moment"
    assert found.latency == pytest.approx(0.0184)
    assert found.utilisation == ("sglang:utilization",)


def test_ranks_that_say_the_same_count_once(sglang: Dump) -> None:
    assert _read(sglang(ranks=8)) == _read(sglang(ranks=1))
    text = sglang(ranks=1)
    other = text.replace('pp_rank="0"', 'pp_rank="0",dp_rank="1"').replace('tp_rank="0"', 'tp_rank="10"')
    first = text.replace('pp_rank="0"', 'pp_rank="0",dp_rank="0"')
    two = _read(first + other)
    assert two.running == 62, "data-parallel ranks have requests of their own"
    assert two.capacity == 2 * 1_249_843


def test_sglang_without_counters_gives_its_own_rate(sglang: Dump) -> None:
    text = "\n".join(line for line in sglang().splitlines() if "realtime_tokens" not in line)
    assert _read(text.replace("vllm", "") + "\n").hit_rate == 0


def test_a_server_that_has_just_started(vllm: Dump) -> None:
    quiet = "\n".join(line for line in vllm(running=0).splitlines() if "request_success" not in line)
    found = _read(quiet + "\n")
    assert found.finished is found.preempted_per_1000 is None
    assert found.running == 0


def test_what_a_dump_does_not_hold_is_unknown() -> None:
    found = _read("vllm:num_requests_running 3\n")
    assert found.running == 3
    unknown = (found.usage, found.capacity, found.in_flight, found.preempted, found.hit_rate, found.latency)
    assert set(unknown) == {None}
    assert found.model == ""
    assert _read("vllm:num_requests_running +Inf\nvllm:num_requests_waiting NaN\n").running is None


def test_dumps_that_cannot_be_used(vllm: Dump) -> None:
    with pytest.raises(ConfigError, match="not printed by vLLM or SGLang"):
        _read("node_load1 0.5\n")
    with pytest.raises(ConfigError, match=r"holds 2 models \(a, b\)"):
        _read(vllm(model="a") + vllm(model="b"))
    for text in ("<html></html>", "vllm:x{a= 1", "vllm:x y", '{"a": 1}'):
        with pytest.raises(ConfigError, match="this is no Prometheus text"):
            _read(text)


@given(st.text(max_size=200))
def test_any_text_ends_in_samples_or_in_a_line(text: str) -> None:
    try:
        samples(text, "dump")
    except ConfigError as error:
        assert str(error).startswith("dump: this is no Prometheus text")


def test_thresholds() -> None:
    asks = {signal.name: signal.asks for signal in signals()}
    assert asks["pool"](0.9) and not asks["pool"](0.89)
    assert asks["preemption"](1) and not asks["preemption"](0.99)
    assert asks["prefix"](0.49) and not asks["prefix"](0.5)
    assert not asks["traffic"](1e15)


def test_gpu_utilisation_is_explained_and_is_no_signal() -> None:
    assert "the share of time in which any kernel ran" in no_signal()
    assert not any("utilisation" in signal.title for signal in signals())
