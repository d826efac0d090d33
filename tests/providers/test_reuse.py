"""The match rules: worked cases, what two engines' own cache code gives, and properties."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.providers.registry import UNBOUNDED, Provider, provider, providers
from promptlint.providers.reuse import reuse

VLLM, GENERIC, SGLANG = provider("vllm"), provider("generic"), provider("sglang")
OPENAI_55, ANTHROPIC = provider("openai-5.5"), provider("anthropic")
BOUNDARY_RULED = tuple(of for of in providers() if of.match in ("boundary", "object") and of.unit == (1, 1))


@pytest.mark.parametrize(
    ("of", "tokens", "common", "low", "high"),
    [
        (VLLM, 2000, 1000, 992, 992),  # 1000 // 16 = 62 blocks, 62 x 16 = 992
        (VLLM, 2000, 15, 0, 0),  # not one full block
        (VLLM, 64, 64, 48, 48),  # min(64, 63) // 16 = 3: the last token costs a whole block
        (GENERIC, 2000, 1000, 1000, 1000),
        (GENERIC, 1000, 1000, 999, 999),  # the last token is computed
        (GENERIC, 0, 0, 0, 0),
        # Units 128 and 2048, minimum 1024 to 2048.
        (OPENAI_55, 4000, 3000, 2048, 2944),  # 1 x 2048; 23 x 128
        (OPENAI_55, 4000, 2047, 0, 1920),  # 0 x 2048; 15 x 128
        (OPENAI_55, 4000, 1023, 0, 0),  # 7 x 128 = 896, below the lower minimum
        (OPENAI_55, 4000, 1024, 0, 1024),  # 8 x 128 = 1024, below the upper minimum only
        # Blocks of 32 that can be reused in part: 31 x 32 = 992 and all of 1000.
        (provider("tensorrt-llm"), 2000, 1000, 992, 1000),
        # Unit unknown: from nothing to unit 1, once the prefix can be long enough.
        (provider("gemini"), 8000, 5000, 0, 5000),
        (provider("gemini"), 8000, 2047, 0, 0),
        # Minimum unknown: 8 x 128 = 1024, or nothing.
        (provider("xai"), 2000, 1100, 0, 1024),
        # Rule unknown.
        (provider("together"), 2000, 1100, 0, 1100),
        (provider("together"), 1100, 1100, 0, 1099),
    ],
)
def test_without_boundaries(of: Provider, tokens: int, common: int, low: int, high: int) -> None:
    assert reuse(tokens, common, (), of) == (low, high)


# Tokens, common prefix, and the cached tokens that the engines' own cache code gave for such a request after earlier
# ones, without eviction: KVCacheManager of vLLM 0.33.0 with blocks of 16, RadixCache of SGLang 0.5.23 with pages of 1
# and of 16.
@pytest.mark.parametrize(
    ("tokens", "common", "vllm", "sglang", "sglang_16"),
    [
        (1, 1, 0, 0, 0),
        (14, 1, 0, 1, 0),
        (15, 15, 0, 14, 0),
        (16, 16, 0, 15, 0),
        (17, 16, 16, 16, 16),
        (23, 23, 16, 22, 16),
        (28, 27, 16, 27, 16),
        (30, 16, 16, 16, 16),
        (32, 32, 16, 31, 16),
        (48, 15, 0, 15, 0),
        (48, 32, 32, 32, 32),
        (80, 52, 48, 52, 48),
        (160, 0, 0, 0, 0),
        (207, 207, 192, 206, 192),
    ],
)
def test_what_the_engines_own_code_gives(tokens: int, common: int, vllm: int, sglang: int, sglang_16: int) -> None:
    assert reuse(tokens, common, (), VLLM) == (vllm, vllm)
    assert reuse(tokens, common, (), SGLANG) == (sglang, sglang)
    assert reuse(tokens, common, (), replace(SGLANG, match="block", unit=(16, 16))) == (sglang_16, sglang_16)


@pytest.mark.parametrize(
    ("common", "written", "model", "cached"),
    [
        # Minimum 1024. A difference at 6000 loses back to the last boundary before it.
        (6000, (1500, 5000, 9000), "claude-sonnet-4-6", (5000, 5000)),
        (4999, (1500, 5000, 9000), "claude-sonnet-4-6", (1500, 1500)),
        (1499, (1500, 5000, 9000), "claude-sonnet-4-6", (0, 0)),  # 1499 shared tokens and nothing to read
        (6000, (), "claude-sonnet-4-6", (0, 0)),
        (6000, (1023,), "claude-sonnet-4-6", (0, 0)),
        (6000, (1024,), "claude-sonnet-4-6", (1024, 1024)),
        # The same boundary is too short for one model and long enough for another.
        (6000, (2000,), "claude-opus-4-6", (0, 0)),
        (6000, (2000,), "claude-opus-5-5", (2000, 2000)),
        # The model is not known: 512 at best, 4096 at worst.
        (6000, (2000,), None, (0, 2000)),
        (6000, (2000, 5000), None, (5000, 5000)),
        (6000, (500,), None, (0, 0)),
        # An earlier request wrote its own end and this one is identical.
        (10_000, (5000, 10_000), "claude-sonnet-4-6", (10_000, 10_000)),
        # An earlier request that was longer than this one.
        (10_000, (5000, 12_000), "claude-sonnet-4-6", (5000, 5000)),
    ],
)
def test_boundaries(common: int, written: tuple[int, ...], model: str | None, cached: tuple[int, int]) -> None:
    assert reuse(10_000, common, written, ANTHROPIC, model=model) == cached


@pytest.mark.parametrize(
    ("positions", "cached"),
    [
        (None, 5000),
        ((30, 19), 5000),  # 20 positions are searched, the marker's own among them
        ((30, 20), 0),
        ((19, 20), 1500),
        ((0, 25), 1500),
    ],
)
def test_the_look_back_counts_the_markers_own_position(positions: tuple[int, ...] | None, cached: int) -> None:
    found = reuse(10_000, 6000, (1500, 5000), ANTHROPIC, model="claude-sonnet-4-6", positions=positions)
    assert found == (cached, cached)


def test_without_a_look_back_positions_do_not_matter() -> None:
    assert reuse(10_000, 6000, (5000,), provider("openai"), positions=(500,)) == (5000, 5000)


def test_boundaries_at_unpublished_places_leave_the_high_end_open() -> None:
    assert reuse(4000, 3000, (2000,), provider("deepseek")) == (0, 3000)  # the minimum is unknown too
    assert reuse(4000, 3000, (2000,), replace(provider("deepseek"), minimum=(64, 64))) == (2000, 3000)


def test_a_cache_object_is_read_as_a_boundary() -> None:
    assert reuse(9000, 8000, (6000,), provider("gemini-explicit")) == (6000, 6000)
    assert reuse(9000, 5999, (6000,), provider("gemini-explicit")) == (0, 0)


@pytest.mark.parametrize(
    ("common", "kept", "cached"),
    [
        (5000, (), (0, 4992)),  # no checkpoint is known: nothing at worst, 312 x 16 at best
        (5000, (3000,), (3000, 4992)),
        (2999, (3000,), (0, 2992)),  # a state behind the difference is of no use; 187 x 16
        (3005, (3004,), (2992, 2992)),  # never more than whole blocks: 187 x 16
    ],
)
def test_a_recurrent_state_is_read_at_a_checkpoint(common: int, kept: tuple[int, ...], cached: tuple[int, int]) -> None:
    assert reuse(9000, common, kept, VLLM, model="Qwen/Qwen3.5-27B") == cached
    whole = common // 16 * 16
    assert reuse(9000, common, kept, VLLM, model="Qwen/Qwen3-8B") == (whole, whole)


def test_a_larger_unit_can_be_the_better_one() -> None:
    between = replace(VLLM, unit=(48, 64))
    assert reuse(1000, 70, (), between) == (48, 64)  # 1 x 48, 1 x 64
    assert reuse(1000, 100, (), between) == (64, 96)  # 2 x 48, 1 x 64


@pytest.mark.parametrize(
    ("tokens", "common", "written", "positions"),
    [
        (-1, 0, (), None),
        (10, -1, (), None),
        (10, 11, (), None),
        (10, 5, (-1,), None),
        (10, 5, (1, 2), (0,)),
        (10, 5, (1,), (-1,)),
    ],
)
def test_impossible_figures_are_refused(
    tokens: int, common: int, written: tuple[int, ...], positions: tuple[int, ...] | None
) -> None:
    with pytest.raises(ValueError, match="give"):
        reuse(tokens, common, written, ANTHROPIC, positions=positions)


SIZES = st.integers(0, 20_000)
WRITTEN = st.lists(SIZES, max_size=6)
MODELS = st.sampled_from([None, "claude-opus-4-6", "claude-opus-5-5", "gemini-2.5-pro", "gpt-5.5", "gpt-oss-20b"])
ANY = st.sampled_from(providers())
BOUNDARIES = st.sampled_from(BOUNDARY_RULED)


@given(SIZES, SIZES, WRITTEN, ANY, MODELS)
def test_reuse_lies_within_the_common_prefix(
    a: int, b: int, written: list[int], of: Provider, model: str | None
) -> None:
    common, tokens = sorted((a, b))
    low, high = reuse(tokens, common, written, of, model=model)
    assert 0 <= low <= high <= common


@given(st.tuples(SIZES, SIZES, SIZES), WRITTEN, ANY, MODELS)
def test_a_longer_common_prefix_is_never_worse(
    sizes: tuple[int, int, int], written: list[int], of: Provider, model: str | None
) -> None:
    shorter, longer, tokens = sorted(sizes)
    before = reuse(tokens, shorter, written, of, model=model)
    after = reuse(tokens, longer, written, of, model=model)
    assert before[0] <= after[0]
    assert before[1] <= after[1]


@given(SIZES, SIZES, st.integers(1, 300))
def test_a_block_rule_reads_whole_blocks_and_loses_less_than_one(a: int, b: int, unit: int) -> None:
    common, tokens = sorted((a, b))
    low, high = reuse(tokens, common, (), replace(VLLM, unit=(unit, unit)))
    assert low == high
    assert low % unit == 0
    assert min(common, max(0, tokens - 1)) - low < unit


@given(SIZES, SIZES, WRITTEN, BOUNDARIES, MODELS)
def test_a_boundary_rule_reads_one_of_the_boundaries(
    a: int, b: int, written: list[int], of: Provider, model: str | None
) -> None:
    common, tokens = sorted((a, b))
    assert set(reuse(tokens, common, written, of, model=model)) <= {0, *written}


@given(SIZES, SIZES, st.lists(st.tuples(SIZES, st.integers(0, 40)), min_size=1, max_size=6), ANY, MODELS)
def test_an_added_boundary_never_lowers_reuse(
    a: int, b: int, written: list[tuple[int, int]], of: Provider, model: str | None
) -> None:
    common, tokens = sorted((a, b))
    at, positions = [place for place, _ in written], [position for _, position in written]
    fewer = reuse(tokens, common, at[1:], of, model=model, positions=positions[1:])
    more = reuse(tokens, common, at, of, model=model, positions=positions)
    assert fewer[0] <= more[0]
    assert fewer[1] <= more[1]


@given(SIZES, SIZES, WRITTEN, ANY)
def test_nothing_stated_holds_what_any_statement_gives(a: int, b: int, written: list[int], of: Provider) -> None:
    common, tokens = sorted((a, b))
    open_ended = replace(of, unit=(1, UNBOUNDED), minimum=(0, UNBOUNDED), minimum_by_model={})
    low, high = reuse(tokens, common, written, open_ended)
    stated = reuse(tokens, common, written, of)
    assert low <= stated[0]
    assert stated[1] <= high
