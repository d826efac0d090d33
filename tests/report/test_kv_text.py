from __future__ import annotations

import pytest

from promptlint.report.kv_text import formula, kv_text, notes
from promptlint.report.kv_units import duration, operations, percent, size
from promptlint.report.paint import Paint
from promptlint.serving.gpus import gpu
from promptlint.serving.models import model
from promptlint.serving.workload import Workload


def _lines(workload: Workload) -> list[str]:
    return list(kv_text(workload, Paint(False)))


def _row(lines: list[str], start: str) -> str:
    return next(line for line in lines if line.startswith(start))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("llama-3-70b", ["2 x 80 layers x 8 KV heads x 128 x 2 bytes"]),
        ("deepseek-v3.2", ["61 layers x 576 latent x 2 bytes", "61 layers x 128 index keys x 2 bytes"]),
        (
            "deepseek-v4-flash",
            [
                "21 layers x 512 compressed x 2 bytes / 4 tokens",
                "21 layers x 128 index keys x 2 bytes / 4 tokens",
                "20 layers x 512 compressed x 2 bytes / 128 tokens",
            ],
        ),
    ],
)
def test_the_formula_of_a_token(name: str, said: list[str]) -> None:
    assert [formula(part, 16) for part in model(name).parts if part.grows] == said


def test_half_a_byte() -> None:
    (part,) = model("llama-3-8b").parts
    assert formula(part, 4).endswith("x 0.5 bytes")
    assert formula(part, 8).endswith("x 1 byte")


def test_constant_bytes_are_said_where_there_are_some() -> None:
    hybrid = _lines(Workload(model("qwen3.5-27b"), 1_000, 1))
    assert _row(hybrid, "  constant").endswith("153.94 MB  full windows and states of a request")
    assert not any(line.startswith("  constant") for line in _lines(Workload(model("phi-4"), 1_000, 1)))


def test_what_needs_a_gpu_is_left_out_without_one() -> None:
    lines = _lines(Workload(model("phi-4"), 1_000, 1))
    assert not any(line.startswith(("  pool", "  floor")) for line in lines)
    # 2 x 14.7e9 x 1,000 + 4 x 40 x 40 x 128 x 500,500
    assert _row(lines, "  prefill").split() == ["prefill", "29.81", "TFLOP"]


def test_levers_say_what_is_left_and_the_new_crossover() -> None:
    lines = _lines(Workload(model("llama-3-70b"), 32_000, 32, gpu=gpu("h100"), gpus=8, ranks=8, prefix=20_000))
    assert _row(lines, "8-bit KV cache  ").split()[3:] == [
        *["bytes", "per", "number", "0.5", "of", "KV", "bytes", "167.77", "GB", "861,816", "near-neutral"]
    ]
    assert "149.55 GB (13)" not in "".join(lines)
    assert "136.31 GB (13)" in _row(lines, "Batch limit  ")
    assert _row(lines, "Eviction").split()[-2:] == ["none", "lossy"]
    assert "nothing  " in _row(lines, "Prefill and decode")
    assert "nothing to win here: data-parallel attention, grouped-query attention" in "\n".join(lines)


def test_notes() -> None:
    def said(name: str, ranks: int = 1) -> str:
        work = Workload(model(name), 1_000, 1, gpu=gpu("l4"), gpus=ranks, ranks=ranks)
        return " ".join(notes(work))

    assert "8 tensor-parallel ranks share 4 KV heads: the node keeps and reads 2 copies" in said("qwen3-30b-a3b", 8)
    assert "share one vector or head: the node keeps and reads 8 copies" in said("kimi-k2", 8)
    assert "10 KV heads do not divide over 8 ranks" in said("phi-4", 8)
    assert "a prefix resumes only where an earlier request saved them" in said("gpt-oss-20b")
    assert "8 of 128 experts work on a token" in said("qwen3-30b-a3b")
    assert "The parameters are not known" in said("kimi-k3")
    assert "The weights do not fit" in said("llama-3-70b")
    assert said("qwen3-8b") == ""


def test_units() -> None:
    assert [size(count) for count in (512, 42_949_672_960, 1.128e12)] == ["512 B", "42.95 GB", "1.13 TB"]
    assert [duration(seconds) for seconds in (5.224e-3, 0.0000012, 12.34, 157.4, 8_000)] == [
        "5.22 ms",
        "1.20 us",
        "12.3 s",
        "157 s",
        "2 h 13 min",
    ]
    assert operations(6.02e15) == "6.02 PFLOP"
    assert [percent(share) for share in (0.219, 0.067)] == ["22 %", "6.7 %"]
