"""A model at work: so many requests of so many tokens on so many GPUs, and what that moves and holds.

Decode is bound by memory: a step reads the weights once and the cache of every request, so it takes at least
`(weights read + sum of cache read) / bandwidth`. Where both are equal the cache starts to decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from promptlint.serving.gpus import Gpu, usable_share
from promptlint.serving.models import Model

BITS: Final = {"fp16": 16, "bf16": 16, "fp8": 8, "int8": 8, "int4": 4}
"""Bits of a number by the name that engines use. Scales of quantised numbers are left out: 1 to 3 per cent at 8 bits,
6 to 12 at 4, by the size of the group that shares one."""

_LONGEST: Final = 1 << 40
"""Tokens up to which a crossover is looked for."""


@dataclass(frozen=True, slots=True)
class Workload:
    """`batch` requests of `tokens` tokens each, `prefix` of them shared by all.

    `ranks` are the tensor-parallel ranks that share the cache; it is `gpus` unless attention runs data-parallel.
    """

    model: Model
    tokens: int
    batch: int
    kv_dtype: str = "fp16"
    weight_dtype: str = "bf16"
    gpu: Gpu | None = None
    gpus: int = 1
    ranks: int = 1
    prefix: int = 0

    @property
    def kv_bits(self) -> int:
        return BITS[self.kv_dtype]

    @property
    def request_bytes(self) -> float:
        """Bytes kept of one request, on all ranks."""
        return self.model.kept(self.tokens, self.kv_bits, self.ranks)

    @property
    def cache_bytes(self) -> float:
        """Bytes kept of all requests: tokens that all share are kept once, where they can be."""
        growth = self.model.growth(self.kv_bits, self.ranks)
        return self.batch * self.request_bytes - (self.batch - 1) * min(self.prefix, self.tokens) * growth

    @property
    def weight_bytes(self) -> float | None:
        """Bytes of all weights, None where they are not known."""
        return None if self.model.weights is None else self.model.weights.total * BITS[self.weight_dtype] / 8

    @property
    def weights_read(self) -> float | None:
        """Bytes of weights that a decode step reads: of a mixture of experts, those the batch's tokens choose."""
        return self._weights_read(self.batch)

    @property
    def cache_read(self) -> float:
        """Bytes of cache that a decode step reads, a shared prefix once for each request."""
        return self.batch * self.model.read(self.tokens, self.kv_bits, self.ranks)

    @property
    def step_bytes(self) -> float | None:
        """Bytes that a decode step moves."""
        return None if self.weights_read is None else self.weights_read + self.cache_read

    @property
    def step_seconds(self) -> float | None:
        """The least time between two tokens of a request, at peak bandwidth; None without GPU or weights."""
        if self.gpu is None or self.step_bytes is None:
            return None
        return self.step_bytes / self.bandwidth

    @property
    def bandwidth(self) -> float:
        """Bytes per second of all GPUs together, 0 where none is named."""
        return 0.0 if self.gpu is None else self.gpu.bandwidth * self.gpus

    @property
    def memory(self) -> float:
        """Bytes of all GPUs together, 0 where none is named."""
        return 0.0 if self.gpu is None else self.gpu.memory * self.gpus

    @property
    def pool_bytes(self) -> float | None:
        """Bytes that an engine has left for the cache; negative where the weights do not fit."""
        if self.gpu is None or self.weight_bytes is None:
            return None
        return self.memory * usable_share() - self.weight_bytes

    @property
    def pool_tokens(self) -> int | None:
        """Tokens of long sequences that fit into the pool; None where length does not decide what fits."""
        growth = self.model.growth(self.kv_bits, self.ranks)
        return None if self.pool_bytes is None or not growth else max(0, int(self.pool_bytes / growth))

    @property
    def pool_requests(self) -> int | None:
        """Requests of this length that fit into the pool, sharing nothing."""
        return None if self.pool_bytes is None else max(0, int(self.pool_bytes / self.request_bytes))

    @property
    def crossover_tokens(self) -> int | None:
        """Tokens in flight at which a step reads as much cache as weights, for sequences long enough that windows
        and states do not count; None where the weights are not known, or no layer reads more for a longer sequence.
        """
        growth = self.model.read_growth(self.kv_bits, self.ranks)
        return None if self.weights_read is None or not growth else int(self.weights_read / growth)

    def crossover_context(self, batch: int) -> int | None:
        """The longest context at which a step of so many requests reads no more cache than weights, None without end.

        Exact: windows, states and the experts that the batch chooses count.
        """
        weights = self._weights_read(batch)
        if weights is None or batch * self.model.read(_LONGEST, self.kv_bits, self.ranks) <= weights:
            return None
        low, high = 0, _LONGEST
        while high - low > 1:
            middle = (low + high) // 2
            if batch * self.model.read(middle, self.kv_bits, self.ranks) > weights:
                high = middle
            else:
                low = middle
        return low

    def _weights_read(self, batch: int) -> float | None:
        weights = self.model.weights
        return None if weights is None else weights.read(batch) * BITS[self.weight_dtype] / 8
