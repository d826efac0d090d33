"""The KV equation of a workload, for programs. Bytes, seconds and operations are plain numbers; null is not known."""

from __future__ import annotations

from typing import Any

from promptlint.report.json_v1 import document
from promptlint.report.kv_text import batches, formula, notes
from promptlint.serving.levers import Outcome, ranked
from promptlint.serving.prefill import Loss, lost
from promptlint.serving.workload import Workload


def kv_json(workload: Workload) -> str:
    """One JSON document, version 1, that ends with a line break."""
    model, bits = workload.model, workload.kv_bits
    return document(
        {
            "version": 1,
            "model": {"name": model.name, "title": model.title, "attention": model.attention, "source": model.source},
            "workload": {
                "tokens": workload.tokens,
                "batch": workload.batch,
                "prefix": workload.prefix or None,
                "kv_dtype": workload.kv_dtype,
                "weight_dtype": workload.weight_dtype,
                "gpu": workload.gpu.name if workload.gpu else None,
                "gpus": workload.gpus,
            },
            "memory": {
                "bytes_per_token": model.growth(bits),
                "formula": [formula(part, bits) for part in model.parts if part.grows],
                "constant_bytes": model.constant(bits),
                "request_bytes": workload.request_bytes,
                "cache_bytes": workload.batch * workload.request_bytes,
                "weight_bytes": workload.weight_bytes,
                "memory_bytes": workload.memory or None,
                "share": workload.batch * workload.request_bytes / workload.memory if workload.memory else None,
                "pool_bytes": workload.pool_bytes,
                "pool_tokens": workload.pool_tokens,
                "pool_requests": workload.pool_requests,
            },
            "step": {
                "weights_read": workload.weights_read,
                "cache_read": workload.cache_read,
                "bytes": workload.step_bytes,
                "seconds": workload.step_seconds,
                "bandwidth": workload.bandwidth or None,
            },
            "crossover": {
                "tokens": workload.crossover_tokens,
                "context": {str(batch): workload.crossover_context(batch) for batch in batches(workload)},
            },
            "lost_prefix": loss_json(lost(workload, 0, workload.prefix or workload.tokens)),
            "levers": [_lever(outcome) for outcome in ranked(workload)],
            "notes": notes(workload),
        }
    )


def loss_json(loss: Loss) -> dict[str, Any]:
    """Tokens that are computed again, and what that takes."""
    return {"tokens": loss.tokens, "kv_bytes": loss.kv_bytes, "flops": loss.flops, "seconds": loss.seconds}


def _lever(outcome: Outcome) -> dict[str, Any]:
    lever = outcome.lever
    return {
        "name": lever.name,
        "title": lever.title,
        "shrinks": lever.shrinks,
        "quality": lever.quality,
        "of": outcome.of,
        "factor": list(outcome.factor),
        "cache_bytes": outcome.cache_bytes,
        "batch": outcome.after.batch,
        "crossover_tokens": outcome.after.crossover_tokens,
        "reported": lever.reported,
        "risk": lever.risk,
        "switch": lever.switch,
        "sources": list(lever.sources),
    }
