from __future__ import annotations

from collections.abc import Callable

from promptlint.audit.result import Recomputed
from promptlint.layout.appraisal import Appraisal
from promptlint.report.kv_prefix import lost_prefix, lost_prefix_json, lost_prefixes, lost_prefixes_json
from promptlint.serving.gpus import gpu
from promptlint.serving.models import model
from promptlint.serving.prefill import lost
from promptlint.serving.workload import Workload
from promptlint.source import Source

Appraise = Callable[..., Appraisal]
NODE = Workload(model("llama-3-70b"), 1, 1, gpu=gpu("h100"), gpus=8, ranks=8)


def test_the_narrowest_horizon_that_loses_counts(support: Source, appraise: Appraise) -> None:
    appraisal = appraise(support, {"conversation": (900, 900, 900), "user": (100, 100, 1_100), "fleet": (0, 0, 900)})
    said = lost_prefix(appraisal.layouts(None, None), NODE, "counted with o200k_base")
    # 1,000 tokens from position 100 on: 2 x 70.6e9 x 1,000 + 4 x 80 x 64 x 128 x (1,100 x 1,101 - 100 x 101) / 2.
    assert said == (
        "lost prefix = 327.68 GB of KV recomputed per 1,000 requests, "
        "18.0 s of prefill on 8 x H100 SXM at peak compute "
        "(Llama 3 / 3.1 / 3.3 70B, fp16 KV; 1,000 tokens each, counted with o200k_base; "
        "new conversation of the same user)"
    )


def test_for_programs(support: Source, appraise: Appraise) -> None:
    appraisal = appraise(support, {"user": (100, 100, 1_100)})
    told = lost_prefix_json(appraisal.layouts(None, None), Workload(model("kimi-k3"), 1, 1, kv_dtype="fp8"))
    assert told == {
        "model": "kimi-k3",
        "kv_dtype": "fp8",
        "gpu": None,
        "gpus": 1,
        "horizon": "user",
        "requests": 1_000,
        "tokens": 1_000_000,
        "kv_bytes": 13_824_000_000,
        "flops": None,
        "seconds": None,
    }


def test_nothing_is_lost(support: Source, appraise: Appraise) -> None:
    layouts = appraise(support, {"user": (96, 96, 96)}).layouts(None, None)
    assert lost_prefix(layouts, NODE, "") is lost_prefix_json(layouts, NODE) is None


def test_those_of_a_log_are_said_of_a_thousand_of_its_requests() -> None:
    found = Recomputed(NODE, 400, lost(NODE, 100, 1_100) + lost(NODE, 0, 600))
    # 1,600 tokens of 400 requests are 4,000 of 1,000: 2 x 70.6e9 x 4,000
    # + 2.5 x 4 x 80 x 64 x 128 x (1,100 x 1,101 - 100 x 101 + 600 x 601) / 2 operations.
    assert lost_prefixes(found) == (
        "lost prefix = 1.31 GB of KV recomputed per 1,000 requests, 72.0 ms of prefill on 8 x H100 SXM at peak compute "
        "(Llama 3 / 3.1 / 3.3 70B, fp16 KV; 4 tokens a request, replayed)"
    )
    told = lost_prefixes_json(found)
    assert (told["requests"], told["tokens"], told["kv_bytes"]) == (1_000, 4_000, 4_000 * 327_680)
    assert "horizon" not in told


def test_losses_add_up_as_far_as_they_are_known() -> None:
    one, other = lost(NODE, 0, 10), lost(Workload(model("kimi-k3"), 1, 1), 0, 10)
    assert (one + one).seconds == 2 * (one.seconds or 0) > 0
    assert (one + other).tokens == 20
    assert (one + other).flops is (one + other).seconds is None
