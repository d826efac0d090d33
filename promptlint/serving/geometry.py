"""What a model keeps of every sequence, as entries of so many numbers.

One equation covers every kind of attention here: `bytes = layers x numbers per entry x entries x bytes per number`.
Dense attention has one entry a token and `2 x KV heads x head_dim` numbers in it; the other kinds differ in how many
entries there are and in what one holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

FP32_BITS: Final = 32


@dataclass(frozen=True, slots=True)
class Part:
    """What some layers keep. All of a model's layers are in one part or another, or keep nothing.

    `numbers` make up one entry of one layer. `heads` is over how many ranks an entry divides; further ranks keep
    copies. `window` is how many of the newest tokens are kept (None: all), `ratio` how many tokens share an entry,
    `constant` one entry whatever the length. `fp32` numbers keep their size whatever the KV dtype. A decode step
    reads `reads` entries at most (None: all that are kept). `flops` are floating point operations for one token
    and one entry that it attends to, per layer: two matrix products, 2 x query heads x (key + value width).
    """

    kind: str
    layers: int
    numbers: int
    heads: int
    window: int | None = None
    ratio: int = 1
    constant: bool = False
    fp32: bool = False
    reads: int | None = None
    flops: int = 0

    @property
    def grows(self) -> bool:
        """Whether every further token is kept."""
        return not self.constant and self.window is None

    @property
    def reads_grow(self) -> bool:
        """Whether every further token makes a decode step read more."""
        return self.grows and self.reads is None

    def entries(self, tokens: int) -> int:
        """Entries of one layer that are kept of a sequence of so many tokens."""
        if self.constant:
            return 1
        kept = tokens if self.window is None else min(tokens, self.window)
        return -(-kept // self.ratio)

    def kept(self, tokens: int, kv_bits: int) -> int:
        """Bytes kept of a sequence, all layers, one copy."""
        return self._bytes(self.entries(tokens), kv_bits)

    def read(self, tokens: int, kv_bits: int) -> int:
        """Bytes that one decode step reads of a sequence, all layers, one copy."""
        entries = self.entries(tokens)
        return self._bytes(entries if self.reads is None else min(entries, self.reads), kv_bits)

    def per_token(self, kv_bits: int) -> float:
        """Bytes that one token adds while the part grows, all layers, one copy; 0 for a constant state."""
        return 0.0 if self.constant else self.layers * self.numbers * self._bits(kv_bits) / 8 / self.ratio

    def copies(self, ranks: int) -> float:
        """Copies of the part in a group of tensor-parallel ranks: each rank keeps whole heads, at least one."""
        return ranks * -(-self.heads // ranks) / self.heads

    def attended(self, tokens: int) -> float:
        """Entries that all tokens of a sequence attend to together, one layer: each sees itself and those before."""
        if self.constant:
            return 0.0
        caps = [cap for cap in (self.window, self.reads and self.reads * self.ratio) if cap]
        cap = min([tokens, *caps])
        return (cap * (cap + 1) / 2 + (tokens - cap) * cap) / self.ratio

    def _bits(self, kv_bits: int) -> int:
        return FP32_BITS if self.fp32 else kv_bits

    def _bytes(self, entries: int, kv_bits: int) -> int:
        return -(-self.layers * self.numbers * entries * self._bits(kv_bits) // 8)


def grouped(layers: int, kv_heads: int, head_dim: int, heads: int, window: int | None = None) -> Part:
    """Keys and values of each KV head: multi-head (kv_heads = heads), grouped-query and multi-query (1) attention."""
    return Part(
        "window" if window else "attention",
        layers,
        2 * kv_heads * head_dim,
        kv_heads,
        window=window,
        flops=4 * heads * head_dim,
    )


def latent(layers: int, rank: int, rope: int, heads: int, nope: int, value: int, top_k: int | None = None) -> Part:
    """Multi-head latent attention: one latent vector and one rotated key that all heads share, no factor 2."""
    return Part("latent", layers, rank + rope, 1, reads=top_k, flops=2 * heads * (nope + rope + value))


def index_keys(layers: int, width: int, heads: int, ratio: int = 1) -> Part:
    """Keys of a sparse-attention indexer: all are read at every step to choose the entries that are attended to."""
    return Part("index keys", layers, width, 1, ratio=ratio, flops=2 * heads * width)


def shared(
    layers: int, width: int, heads: int, ratio: int = 1, window: int | None = None, top_k: int | None = None
) -> Part:
    """One vector that is both key and value, of `ratio` tokens each."""
    kind = "window" if window else "compressed"
    return Part(kind, layers, width, 1, window=window, ratio=ratio, reads=top_k, flops=4 * heads * width)


def state(layers: int, numbers: int, heads: int, fp32: bool = False) -> Part:
    """A recurrent or convolution state: as large after one token as after a million."""
    return Part("state", layers, numbers, heads, constant=True, fp32=fp32)


MAKERS: Final[Mapping[str, Callable[..., Part]]] = {
    "grouped": grouped,
    "latent": latent,
    "index_keys": index_keys,
    "shared": shared,
    "state": state,
}
"""What a row of a table calls a part."""


def part(row: Mapping[str, Any]) -> Part:
    """The part that a table row describes: `kind`, and what its maker takes."""
    given = dict(row)
    return MAKERS[given.pop("kind")](**given)
