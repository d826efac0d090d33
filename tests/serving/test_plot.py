from __future__ import annotations

import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from promptlint.serving.models import model
from promptlint.serving.plot import plot
from promptlint.serving.workload import Workload
from promptlint.toml_keys import ConfigError

pytest.importorskip("matplotlib")


def _words(drawn: str) -> str:
    texts = ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    return "\n".join("".join(text.itertext()).strip() for text in texts)


def test_the_crossover_is_marked() -> None:
    words = _words(plot(Workload(model("llama-3-70b"), 32_000, 4)))
    assert "430,908 tokens" in words
    assert "4 x 107,727" in words
    assert "Llama 3 / 3.1 / 3.3 70B: what a decode step reads, 4 requests" in words
    assert {"cache, fp16", "weights, bf16", "tokens in flight", "GB per decode step"} <= set(words.split("\n"))


def test_the_same_workload_gives_the_same_picture() -> None:
    work = Workload(model("gemma-3-27b"), 32_000, 2)
    assert plot(work) == plot(work)


def test_a_name_is_no_formula() -> None:
    named = replace(model("qwen3-8b"), title="$x^{")
    assert "$x^{: what a decode step reads, 1 request" in _words(plot(Workload(named, 10, 1)))


def test_a_picture_needs_weights_and_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="the parameters are not known"):
        plot(Workload(model("kimi-k3"), 1, 1))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match=r"install promptlint with \[plot\]"):
        plot(Workload(model("qwen3-8b"), 1, 1))
