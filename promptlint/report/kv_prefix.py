"""What lost prefixes cost the machine that computes them again: those of a prompt, and those of a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from promptlint.report.kv_json import loss_json
from promptlint.report.kv_units import duration, operations, size
from promptlint.report.paint import escaped
from promptlint.serving.prefill import Loss, lost
from promptlint.serving.workload import Workload

if TYPE_CHECKING:
    from promptlint.audit.result import Recomputed
    from promptlint.layout.appraisal import Layout

_REQUESTS = 1000


def lost_prefix(layouts: Sequence[Layout], workload: Workload, counter: str) -> str | None:
    """What 1,000 requests compute again, in one line; None where no horizon loses anything.

    The narrowest horizon that loses counts, and its first render order. `counter` says how tokens were counted.
    """
    found = _first_loss(layouts, workload)
    if found is None:
        return None
    layout, loss = found
    details = f"{loss.tokens:,} tokens each, {counter}; {layout.horizon.title}"
    return _said(loss.times(_REQUESTS), workload, details)


def lost_prefix_json(layouts: Sequence[Layout], workload: Workload) -> dict[str, Any] | None:
    """The same for programs; figures are those of 1,000 requests."""
    found = _first_loss(layouts, workload)
    if found is None:
        return None
    layout, loss = found
    return _figures(loss.times(_REQUESTS), workload, horizon=layout.horizon.name)


def lost_prefixes(found: Recomputed) -> str:
    """What 1,000 requests like those of a log compute again, in one line."""
    total = found.loss.times(_REQUESTS / found.requests)
    details = f"{found.loss.tokens / found.requests:,.0f} tokens a request, replayed"
    return _said(total, found.workload, details)


def lost_prefixes_json(found: Recomputed) -> dict[str, Any]:
    """The same for programs."""
    return _figures(found.loss.times(_REQUESTS / found.requests), found.workload)


def _said(total: Loss, workload: Workload, details: str) -> str:
    gpu = f" on {workload.gpus} x {workload.gpu.title}" if workload.gpu else ""
    if total.seconds is not None:
        time = f", {duration(total.seconds)} of prefill{gpu} at peak compute"
    else:
        time = f", {operations(total.flops)} of prefill" if total.flops is not None else ""
    return (
        f"lost prefix = {size(total.kv_bytes)} of KV recomputed per {_REQUESTS:,} requests{time} "
        f"({escaped(workload.model.title)}, {workload.kv_dtype} KV; {details})"
    )


def _figures(total: Loss, workload: Workload, **more: str) -> dict[str, Any]:
    return {
        "model": workload.model.name,
        "kv_dtype": workload.kv_dtype,
        "gpu": workload.gpu.name if workload.gpu else None,
        "gpus": workload.gpus,
        **more,
        "requests": _REQUESTS,
        **loss_json(total),
    }


def _first_loss(layouts: Sequence[Layout], workload: Workload) -> tuple[Layout, Loss] | None:
    for layout in layouts:
        if layout.best[0] > layout.now[0]:
            return layout, lost(workload, layout.now[0], layout.best[0])
    return None
