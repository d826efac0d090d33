"""The table of models: figures worked out by hand, the models' own config.json, and another calculator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptlint.data import UnknownNameError, load_toml
from promptlint.serving.checkpoint import read_checkpoint
from promptlint.serving.models import Model, Weights, model, models
from promptlint.serving.workload import Workload

GIVEN = json.loads(Path(__file__).with_name("configs.json").read_text(encoding="utf-8"))
CONFIGS, UNKNOWN_TO_KVFIT = GIVEN["configs"], GIVEN["unknown to kvfit 0.3.0"]
KNOWN = {
    # title: bytes per token in 16 bits, constant bytes, GB at 131,072 tokens, GB of weights a step, crossover in tokens
    "Llama 3 / 3.1 8B": (131_072, 0, 17.18, 16.1, 122_528),
    "Llama 3 / 3.1 / 3.3 70B": (327_680, 0, 42.95, 141.2, 430_908),
    "Llama 3.1 405B": (516_096, 0, 67.65, 811.8, 1_572_963),
    "Llama 4 Scout (17B-16E)": (49_152, 1_207_959_552, 7.65, 34, 691_732),
    "Qwen2.5 7B": (57_344, 0, 7.52, 15.2, 265_765),
    "Qwen2.5 72B": (327_680, 0, 42.95, 145.4, 443_726),
    "Qwen3 8B": (147_456, 0, 19.33, 16.4, 111_084),
    "Qwen3 32B": (262_144, 0, 34.36, 65.6, 250_244),
    "Qwen3 30B-A3B": (98_304, 0, 12.88, 6.6, 67_139),
    "Qwen3 235B-A22B": (192_512, 0, 25.23, 44, 228_557),
    "Qwen3.5 27B": (65_536, 153_944_064, 8.74, 54, 823_975),
    "Qwen3.5 397B-A17B": (30_720, 192_061_440, 4.22, 34, 1_106_771),
    "Mistral 7B v0.3": (131_072, 0, 17.18, 14.5, 110_626),
    "Mixtral 8x7B": (131_072, 0, 17.18, 25.8, 196_838),
    "Mixtral 8x22B": (229_376, 0, 30.06, 78, 340_053),
    "Mistral Large 2 (123B)": (360_448, 0, 47.24, 246, 682_484),
    "Gemma 2 9B": (172_032, 704_643_072, 23.25, 18.5, 107_422),
    "Gemma 2 27B": (188_416, 771_751_936, 25.47, 54.4, 288_723),
    "Gemma 3 27B": (81_920, 436_207_616, 11.17, 54.8, 668_945),
    "Gemma 4 26B-A4B": (20_480, 209_715_200, 2.89, 8, 390_625),
    "Phi-4 14B": (204_800, 0, 26.84, 29.4, 143_555),
    "DeepSeek V3 / R1": (70_272, 0, 9.21, 74, 1_053_051),
    "DeepSeek V3.2": (85_888, 0, 11.26, 74, 861_587),
    "DeepSeek V4-Flash": (6_880, 5_636_096, 0.91, None, None),
    "Kimi K2": (70_272, 0, 9.21, 64, 910_747),
    # The convolution and recurrent state of 69 linear layers: 69 x (3 x 12,288 x 3 x 2 + 96 x 128 x 128 x 4).
    "Kimi K3": (27_648, 449_372_160, 4.07, None, None),
    "gpt-oss-20b": (24_576, 3_145_728, 3.22, 7.2, 292_969),
    "gpt-oss-120b": (36_864, 4_718_592, 4.84, 10.2, 276_693),
    "GLM-4.5 (355B-A32B)": (376_832, 0, 49.39, 64, 169_837),
    "GLM-5": (109_824, 0, 14.39, 80, 728_438),
    "Nemotron 3 Nano 30B-A3B": (6_144, 49_082_368, 0.85, 6, 976_562),
}

each_model = pytest.mark.parametrize("one", models(), ids=lambda one: one.name)


def test_the_table_holds_every_model_worked_out_by_hand() -> None:
    assert {one.title for one in models()} == set(KNOWN)
    assert {one.name for one in models()} == set(CONFIGS)


@each_model
def test_bytes_of_a_token_and_of_a_request(one: Model) -> None:
    per_token, constant, long_request, _, _ = KNOWN[one.title]
    assert one.growth(16) == per_token
    assert one.constant(16) == constant
    assert round(one.kept(131_072, 16) / 1e9, 2) == long_request


@each_model
def test_weights_of_a_step_and_the_crossover(one: Model) -> None:
    per_token, _, _, weights, crossover = KNOWN[one.title]
    work = Workload(one, tokens=131_072, batch=1)
    if weights is None or crossover is None:
        assert one.weights is None
        assert work.crossover_tokens is None
        return
    assert work.weights_read == pytest.approx(weights * 1e9, abs=0.05e9)
    assert work.weights_read is not None
    # As if every layer read all that it keeps; an indexer makes its layers read less (below).
    assert abs(work.weights_read / per_token - crossover) <= 1
    if not any(part.reads for part in one.parts):
        assert work.crossover_tokens in (crossover, crossover - 1)


@each_model
def test_a_row_says_what_the_model_s_own_configuration_says(one: Model, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIGS[one.name]), encoding="utf-8")
    read = read_checkpoint(path)
    assert read.parts == one.parts
    assert read.weights is None


@each_model
@pytest.mark.parametrize("number", [2.0, 1.0, 0.5])
def test_another_calculator_says_the_same(one: Model, number: float) -> None:
    kvfit = pytest.importorskip("kvfit")
    config = CONFIGS[one.name]
    if one.name in UNKNOWN_TO_KVFIT:
        with pytest.raises(kvfit.UnsupportedArchitecture):
            kvfit.estimate_cache(config, context_tokens=1)
        return
    for tokens in (1, 100, 127, 4_096, 131_072, 1_000_003):
        theirs = kvfit.estimate_cache(config, context_tokens=tokens, kv_bytes=number).total_bytes
        assert one.kept(tokens, int(8 * number)) == theirs


def test_a_sparse_step_reads_the_index_of_all_and_the_entries_of_some() -> None:
    sparse = model("deepseek-v3.2")
    assert sparse.read(1_000, 16) == sparse.kept(1_000, 16), "fewer tokens than the indexer picks"
    assert sparse.read(100_000, 16) == 61 * 2 * (2_048 * 576 + 100_000 * 128)
    assert sparse.read_growth(16) == 61 * 128 * 2
    assert Workload(sparse, tokens=1, batch=1).crossover_tokens == 74_000_000_000 // 15_616


def test_names_and_aliases() -> None:
    assert model("Llama-3.3-70B") is model("meta-llama/Llama-3.3-70B-Instruct") is model("llama-3-70b")
    with pytest.raises(UnknownNameError, match="did you mean 'qwen3-32b'"):
        model("qwen3-33b")


def test_no_name_stands_for_two_models() -> None:
    names = [name for one in models() for name in (one.name, *one.aliases)]
    assert len(names) == len(set(names))


def test_every_row_names_sources_that_exist() -> None:
    table = load_toml("models.toml")
    used = {name for row in table["model"] for name in row["sources"]}
    assert used == set(table["sources"])
    assert all(source["dated"] and source["url"] for source in table["sources"].values())


def test_more_requests_wake_more_experts() -> None:
    weights = Weights(total=30.5e9, active=3.3e9, experts=(8, 128))
    assert weights.read(1) == pytest.approx(3.3e9)
    routed = (30.5e9 - 3.3e9) / (1 - 8 / 128)
    assert weights.read(2) == pytest.approx(30.5e9 - routed * (15 / 16) ** 2)
    assert weights.read(1_000) == pytest.approx(30.5e9)
    assert Weights(8e9, 8e9).read(64) == 8e9
