"""Models from their own config.json: what is read, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.serving.architectures import attention, parts_of
from promptlint.serving.checkpoint import Stated, read_checkpoint
from promptlint.serving.fields import Fields
from promptlint.serving.models import Model, Weights
from promptlint.toml_keys import ConfigError

CONFIGS = json.loads(Path(__file__).with_name("configs.json").read_text(encoding="utf-8"))["configs"]


def _write(folder: Path, config: object, **index: Any) -> Path:
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    if index:
        text = json.dumps({"metadata": index, "weight_map": {}})
        (folder / "model.safetensors.index.json").write_text(text, encoding="utf-8")
    return folder / "config.json"


def _read(folder: Path, **changes: Any) -> Model:
    config = {**CONFIGS["llama-3-8b"], **changes}
    return read_checkpoint(_write(folder, {key: value for key, value in config.items() if value != "absent"}))


def _windows(one: Model) -> dict[int | None, int]:
    return {part.window: part.layers for part in one.parts}


def test_a_folder_is_as_good_as_the_file(tmp_path: Path) -> None:
    path = _write(tmp_path, CONFIGS["qwen3-8b"])
    assert read_checkpoint(tmp_path) == read_checkpoint(path)


def test_weights_are_counted_by_the_index(tmp_path: Path) -> None:
    dense, mixture = tmp_path / "dense", tmp_path / "mixture"
    dense.mkdir()
    mixture.mkdir()
    assert read_checkpoint(_write(dense, CONFIGS["qwen3-8b"], total_size=16_381_470_720)).weights == Weights(
        8_190_735_360, 8_190_735_360
    )
    path = _write(mixture, CONFIGS["qwen3-30b-a3b"], total_size=61_064_245_248, total_parameters=30_532_122_624)
    assert read_checkpoint(path).weights is None, "how many parameters work on a token is not in the files"
    stated = read_checkpoint(path, Stated(active=3.3e9)).weights
    assert stated == Weights(30_532_122_624, 3.3e9, (8, 128))


def test_stated_parameters_come_first(tmp_path: Path) -> None:
    path = _write(tmp_path, CONFIGS["qwen3-8b"], total_size=16)
    assert read_checkpoint(path, Stated(total=8e9)).weights == Weights(8e9, 8e9)
    with pytest.raises(ConfigError, match="more parameters are active than there are"):
        read_checkpoint(path, Stated(total=8e9, active=9e9))


def test_windows_that_a_configuration_implies(tmp_path: Path) -> None:
    assert _windows(_read(tmp_path, model_type="mistral", sliding_window=4096)) == {4096: 32}
    assert _windows(_read(tmp_path, model_type="qwen2", use_sliding_window=False, sliding_window=4096)) == {None: 32}
    upper = _read(tmp_path, model_type="qwen2", use_sliding_window=True, sliding_window=4096, max_window_layers=28)
    assert _windows(upper) == {None: 28, 4096: 4}
    assert _windows(_read(tmp_path, model_type="gemma2", sliding_window=4096)) == {None: 16, 4096: 16}
    assert _windows(_read(tmp_path, model_type="gemma3_text", sliding_window=1024)) == {None: 5, 1024: 27}


def test_heads_that_a_configuration_implies(tmp_path: Path) -> None:
    alone = _read(tmp_path, num_key_value_heads="absent")
    assert alone.parts[0].heads == 32
    assert alone.attention == "32 layers MHA"
    assert _read(tmp_path, model_type="falcon", num_key_value_heads="absent", multi_query=True).attention == (
        "32 layers MQA"
    )
    assert _read(tmp_path, head_dim=64).growth(16) == 2 * 32 * 8 * 64 * 2


def test_layers_that_share_what_others_keep_keep_nothing(tmp_path: Path) -> None:
    text = {**CONFIGS["gemma-4-26b-a4b"]["text_config"], "num_kv_shared_layers": 6}
    assert _windows(read_checkpoint(_write(tmp_path, text))) == {None: 4, 1024: 20}
    schedule = ["full", "shared", "shared"] * 26
    shared = read_checkpoint(_write(tmp_path, {**CONFIGS["glm-5"], "indexer_types": schedule}))
    assert [(part.kind, part.layers) for part in shared.parts] == [("latent", 78), ("index keys", 26)]


def test_draft_layers_behind_the_model_are_not_counted(tmp_path: Path) -> None:
    config = {**CONFIGS["deepseek-v4-flash"], "compress_ratios": [0, 0, *[4, 128] * 20, 4, 0, 0, 0]}
    assert read_checkpoint(_write(tmp_path, config)) == read_checkpoint(_write(tmp_path, CONFIGS["deepseek-v4-flash"]))


def test_the_kind_of_attention_in_words(tmp_path: Path) -> None:
    def said(name: str) -> str:
        return read_checkpoint(_write(tmp_path, CONFIGS[name])).attention

    assert said("llama-3-70b") == "80 layers GQA"
    assert said("gemma-3-27b") == "10 layers GQA, 52 layers with a window of 1,024"
    assert said("kimi-k3") == "24 layers MLA, 69 layers with a constant state; mixture of experts"
    assert said("deepseek-v3.2") == "61 layers MLA reading 2,048 entries; mixture of experts"
    assert "21 layers compressed 4:1" in said("deepseek-v4-flash")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model_type": "rwkv7"}, "the architecture 'rwkv7' is not known: which layers keep keys and values"),
        ({}, "the architecture '(no model_type)' is not known"),
        ({"architectures": 7}, "the architecture '(no model_type)' is not known"),
        ({"architectures": ["NewForCausalLM"]}, "the architecture 'NewForCausalLM' is not known"),
        ({"model_type": "new", "kv_lora_rank": 512}, "the architecture 'new' is not known (it has kv_lora_rank)"),
        ({"model_type": "llama"}, "the field 'num_hidden_layers' is missing"),
        ({**CONFIGS["llama-3-8b"], "num_hidden_layers": "32"}, "'num_hidden_layers' is '32'; write a whole number"),
        ({**CONFIGS["llama-3-8b"], "num_hidden_layers": True}, "'num_hidden_layers' is True"),
        ({**CONFIGS["llama-3-8b"], "num_key_value_heads": 0}, "'num_key_value_heads' is 0"),
        ({**CONFIGS["llama-3-8b"], "num_attention_heads": 3}, "does not divide by 3 heads; add 'head_dim'"),
        ({**CONFIGS["llama-3-8b"], "layer_types": ["full_attention"]}, "'layer_types' does not list 32 layers"),
        ({**CONFIGS["llama-3-8b"], "layer_types": ["mamba"] * 32}, "what layers of type 'mamba' keep is not known"),
        ({**CONFIGS["gpt-oss-20b"], "sliding_window": None}, "the field 'sliding_window' is missing"),
        ({**CONFIGS["deepseek-v4-flash"], "compress_ratios": [4]}, "'compress_ratios' does not list 43 layers"),
        ({**CONFIGS["deepseek-v4-flash"], "compress_ratios": [7] * 43}, "the compression [7] keep is not known"),
        ({**CONFIGS["nemotron-3-nano-30b-a3b"], "hybrid_override_pattern": "MX"}, "does not name 52 layers"),
        ({**CONFIGS["glm-5"], "index_topk_freq": 4}, "the field 'indexer_types' is missing"),
        ({"model_type": "kimi_linear", "num_hidden_layers": 3}, "the field 'linear_attn_config' is missing"),
    ],
)
def test_what_is_not_understood_is_refused(tmp_path: Path, config: dict[str, Any], said: str) -> None:
    path = _write(tmp_path, config)
    with pytest.raises(ConfigError) as error:
        read_checkpoint(path)
    assert str(error.value).startswith(f"{path}:1:1: ")
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{\n  'a': 1}", ":2:3: this is not JSON"),
        ("[1]", ":1:1: this is no JSON object"),
        ("[" * 100_000, ":1:1: the values are nested too deeply"),
        ("", ":1:1: this is not JSON"),
    ],
)
def test_a_file_that_is_no_configuration(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        read_checkpoint(path)
    assert f"{path}{said}" in str(error.value)


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_checkpoint(tmp_path / "config.json")
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (5 << 20))
    with pytest.raises(ConfigError, match="larger than 4 MiB"):
        read_checkpoint(large)
    path = _write(tmp_path, CONFIGS["qwen3-8b"], weights=1)
    with pytest.raises(ConfigError, match="the index has no total size"):
        read_checkpoint(path)


_FIELDS = sorted({name for config in CONFIGS.values() for name in config if name != "text_config"})
_WORDS = st.sampled_from(["", "full", "M*E-"])
_VALUES = st.one_of(st.none(), st.booleans(), st.integers(-2, 300), _WORDS, st.lists(st.integers(0, 9)))


@given(st.sampled_from(sorted(CONFIGS)), st.dictionaries(st.sampled_from(_FIELDS), _VALUES, max_size=4))
def test_any_configuration_ends_in_parts_or_in_a_line(name: str, changes: dict[str, Any]) -> None:
    base = CONFIGS[name].get("text_config", CONFIGS[name])
    fields = Fields("config.json", {**base, **changes})
    try:
        parts = parts_of(fields)
        said = attention(parts, fields)
    except ConfigError as error:
        assert str(error).startswith("config.json:1:1: ")
        return
    assert all(part.kept(1_000, 16) > 0 for part in parts)
    assert said or not parts
