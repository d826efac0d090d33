"""What it costs to compute again what a cache held."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.serving.workload import Workload


@dataclass(frozen=True, slots=True)
class Loss:
    """Tokens of one request that are computed again: KV bytes, floating point operations, seconds at peak compute.

    Operations are None where the weights are not known, seconds without a GPU as well.
    """

    tokens: int
    kv_bytes: float
    flops: float | None
    seconds: float | None

    def times(self, requests: float) -> Loss:
        """The loss of so many requests; tokens are rounded."""
        return Loss(
            round(self.tokens * requests),
            self.kv_bytes * requests,
            None if self.flops is None else self.flops * requests,
            None if self.seconds is None else self.seconds * requests,
        )

    def __add__(self, other: Loss) -> Loss:
        return Loss(
            self.tokens + other.tokens,
            self.kv_bytes + other.kv_bytes,
            None if self.flops is None or other.flops is None else self.flops + other.flops,
            None if self.seconds is None or other.seconds is None else self.seconds + other.seconds,
        )


def lost(workload: Workload, start: int, end: int) -> Loss:
    """What it costs to compute the tokens from position `start` up to `end` of a request."""
    operations = flops(workload, start, end)
    gpu = workload.gpu
    return Loss(
        tokens=end - start,
        kv_bytes=(end - start) * workload.model.written(workload.kv_bits),
        flops=operations,
        seconds=None if operations is None or gpu is None else operations / (gpu.flops * workload.gpus),
    )


def flops(workload: Workload, start: int, end: int) -> float | None:
    """Operations of the prefill of those tokens, None where the weights are not known.

    Each token costs 2 for each parameter that works on it, and the two matrix products of attention with every
    entry before it, itself included: for dense attention 4 x layers x heads x head_dim x position. What a linear
    layer does with its state is small beside its weights and left out.
    """
    model = workload.model
    if model.weights is None:
        return None
    attended = sum(part.layers * part.flops * (part.attended(end) - part.attended(start)) for part in model.parts)
    return 2 * model.weights.active * (end - start) + attended
