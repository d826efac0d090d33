"""`promptlint kv`, and what `check` and `show` say about the machine that serves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Run = Callable[..., CompletedProcess[str]]

ROOT = Path(__file__).parent.parent.parent
CONFIG = {
    "model_type": "llama",
    "num_hidden_layers": 80,
    "hidden_size": 8192,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
}
CLOCK = "It is {{ now().strftime('%H:%M') }}.\n" + "You answer questions about gardens.\n" * 20
NODE = ("--gpu", "h100", "--gpus", "8")


def _config(folder: Path, **changes: Any) -> Path:
    path = folder / "served"
    path.mkdir()
    (path / "config.json").write_text(json.dumps({**CONFIG, **changes}), encoding="utf-8")
    return path


def test_text(promptlint: Run) -> None:
    done = promptlint("kv", "llama-3-70b", "--tokens", "107000", "--batch", "4", *NODE)
    assert done.returncode == 0
    said = done.stdout
    assert "  bytes per token      327,680  2 x 80 layers x 8 KV heads x 128 x 2 bytes\n" in said
    assert "  all requests       140.25 GB  22 % of 640.00 GB\n" in said
    assert "  floor                10.5 ms  between two tokens of a request, at 26.8 TB/s peak\n" in said
    assert "430,908  tokens in flight; cache = weights at 1 x 430,908, 4 x 107,727, 32 x 13,465\n" in said
    assert said.index("Prefix caching") < said.index("8-bit KV cache") < said.index("4-bit KV cache")


def test_json(promptlint: Run) -> None:
    done = promptlint("kv", "llama-3-70b", "--params", "70", "--tokens", "131072", *NODE, "--output-format", "json")
    told = json.loads(done.stdout)
    assert told["version"] == 1
    assert told["memory"]["bytes_per_token"] == 327_680
    assert told["memory"]["request_bytes"] == 40 * 2**30
    assert told["crossover"]["tokens"] == 427_246
    assert told["step"]["weights_read"] / told["step"]["bandwidth"] == pytest.approx(5.22e-3, abs=1e-5)
    assert told["lost_prefix"]["tokens"] == 131_072
    assert {lever["name"] for lever in told["levers"]} >= {"prefix-caching", "kv-8bit", "disaggregation"}


def test_what_is_not_known_is_null(promptlint: Run) -> None:
    told = json.loads(promptlint("kv", "kimi-k3", "--output-format", "json").stdout)
    assert told["crossover"] == {"tokens": None, "context": {"1": None, "4": None, "32": None}}
    assert told["memory"]["weight_bytes"] is told["step"]["seconds"] is told["lost_prefix"]["flops"] is None
    assert "The parameters are not known" in " ".join(told["notes"])


def test_a_model_of_one_s_own(promptlint: Run, tmp_path: Path) -> None:
    folder = _config(tmp_path)
    by_folder = promptlint("kv", "--config", str(folder), "--params", "70.6", "--output-format", "json")
    told = json.loads(by_folder.stdout)
    assert told["model"]["name"] == "served"
    assert told["memory"]["bytes_per_token"] == 327_680
    assert told["crossover"]["tokens"] == 430_908


def test_an_unknown_architecture_is_refused(promptlint: Run, tmp_path: Path) -> None:
    folder = _config(tmp_path, model_type="brandnew")
    done = promptlint("kv", "--config", str(folder / "config.json"))
    assert done.returncode == 2
    assert done.stdout == ""
    assert "config.json:1:1: the architecture 'brandnew' is not known: which layers keep keys and values" in done.stderr


def test_without_a_model_the_names_are_listed(promptlint: Run) -> None:
    done = promptlint("kv")
    assert done.returncode == 0
    assert "deepseek-v3.2 " in done.stdout
    assert "GPUs: a100-80gb, h100" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("kv", "lama-3-70b"), "no model is called 'lama-3-70b'; did you mean 'llama-3-70b'?"),
        (("kv", "phi-4", "--gpu", "h1000"), "no GPU is called 'h1000'; did you mean 'h100'?"),
        (("kv", "phi-4", "--config", "x"), "MODEL and --config both name a model"),
        (("kv", "phi-4", "--prefix", "9", "--tokens", "8"), "--prefix 9 is longer than a request of 8 tokens"),
        (("kv", "phi-4", "--tokens", "0"), "0 is not in the range"),
        (("kv", "--metrics", "x", "--plot", "x.svg"), "give one of them"),
        (("kv", "--config", "missing.json"), "missing.json: the file cannot be read"),
        (("kv", "--metrics", "missing.prom"), "missing.prom: the file cannot be read"),
        (("kv", "--metrics", "http://192.0.2.1/metrics"), "only http addresses on this machine"),
        (("kv", "kimi-k3", "--plot", "x.svg"), "the parameters are not known"),
        (("kv", "phi-4", "--plot", "nowhere/x.svg"), "nowhere/x.svg: it cannot be written"),
        (("check", "--model-config", "lama-3-70b", "clock.j2"), "did you mean 'llama-3-70b'?"),
        (("show", "--model-config", "missing.json", "clock.j2"), "missing.json: the file cannot be read"),
    ],
)
def test_what_cannot_be_used_is_said(promptlint: Run, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "clock.j2").write_text(CLOCK, encoding="utf-8")
    done = promptlint(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(("dump", "engine"), [("vllm.prom", "vLLM"), ("sglang.prom", "SGLang")])
def test_signals(promptlint: Run, dump: str, engine: str) -> None:
    path = str(ROOT / "examples" / "metrics" / dump)
    done = promptlint("kv", "--metrics", path, *NODE)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{engine}, meta-llama/Llama-3.1-70B-Instruct")
    assert "GPU utilisation is none of them" in done.stdout
    told = json.loads(promptlint("kv", "--metrics", path, *NODE, "--output-format", "json").stdout)
    assert told["readings"]["engine"] == engine
    assert told["step"]["weights_read"] == 141.2e9, "the model that the engine names is in the table"
    named = json.loads(promptlint("kv", "qwen3-8b", "--metrics", path, "--output-format", "json").stdout)
    assert named["step"]["weights_read"] == pytest.approx(16.38e9), "the model that is named comes first"


def test_an_engine_whose_model_is_not_in_the_table(promptlint: Run, tmp_path: Path) -> None:
    text = (ROOT / "examples" / "metrics" / "vllm.prom").read_text(encoding="utf-8")
    (tmp_path / "dump").write_text(text.replace("meta-llama/Llama-3.1-70B-Instruct", "our-own"), encoding="utf-8")
    done = promptlint("kv", "--metrics", "dump")
    assert done.returncode == 0
    assert "1,314,046 tokens in flight; name the model for their bytes" in done.stdout


def test_a_picture(promptlint: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = promptlint("kv", "llama-3-70b", "--plot", "out.svg")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "out.svg: written\n")
    assert (tmp_path / "out.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_a_lost_prefix_in_check_and_show(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "clock.j2").write_text(CLOCK, encoding="utf-8")
    (tmp_path / "promptlint.toml").write_text(
        "[serving]\nmodel = 'llama-3-70b'\ngpu = 'h100'\ngpus = 8\n", encoding="utf-8"
    )
    layout = json.loads(promptlint("show", "clock.j2", "--output-format", "json").stdout)["layouts"][0]
    lost = layout["best"][0] - layout["now"][0]
    expected = f"lost prefix = {lost * 327_680 * 1_000 / 1e9:.2f} GB of KV recomputed per 1,000 requests, "
    for command in ("check", "show"):
        said = promptlint(command, "clock.j2").stdout
        assert expected in said
        assert "s of prefill on 8 x H100 SXM at peak compute" in said
    told = json.loads(promptlint("check", "clock.j2", "--output-format", "json").stdout)["prompts"][0]["lost_prefix"]
    assert told["kv_bytes"] == lost * 327_680 * 1_000
    assert told["horizon"] == "conversation"
    other = promptlint("check", "clock.j2", "--model-config", "qwen3-8b").stdout
    assert "Qwen3 8B, fp16 KV" in other
    assert "on 8 x H100 SXM" in other, "the option names the model, the rest stays"
    folder = _config(tmp_path)
    unknown = promptlint("check", "clock.j2", "--model-config", str(folder)).stdout
    assert f"{expected.removesuffix(', ')} (served, fp16 KV; " in unknown, "without parameters there is no prefill"


def test_without_a_model_nothing_is_said_about_machines(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "clock.j2").write_text(CLOCK, encoding="utf-8")
    assert "lost prefix" not in promptlint("check", "clock.j2").stdout
    assert "lost_prefix" not in promptlint("check", "clock.j2", "--output-format", "json").stdout


def test_a_prompt_that_loses_nothing_costs_nothing(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "clean.j2").write_text("You answer questions about gardens.\n" * 20, encoding="utf-8")
    assert "lost prefix" not in promptlint("show", "clean.j2", "--model-config", "phi-4").stdout
    told = json.loads(promptlint("show", "clean.j2", "--model-config", "phi-4", "--output-format", "json").stdout)
    assert told["lost_prefix"] is None


def test_the_configuration_names_the_model_of_kv(promptlint: Run, tmp_path: Path) -> None:
    _config(tmp_path)
    (tmp_path / "promptlint.toml").write_text(
        "[serving]\nconfig = 'served/config.json'\nparams = 70.6\nkv-dtype = 'fp8'\n", encoding="utf-8"
    )
    told = json.loads(promptlint("kv", "--output-format", "json").stdout)
    assert told["memory"]["bytes_per_token"] == 163_840
    assert told["crossover"]["tokens"] == 861_816
    other = json.loads(promptlint("kv", "phi-4", "--kv-dtype", "fp16", "--output-format", "json").stdout)
    assert other["memory"]["bytes_per_token"] == 204_800
    assert other["memory"]["weight_bytes"] == pytest.approx(29.4e9), "its own parameters, not those that are stated"
