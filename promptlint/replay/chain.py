"""A request as a chain of hashes: one for each of its pieces, and one for each full block of its tokens.

A block's hash covers its parent's hash and its own tokens, as serving engines build it, so equal hashes mean equal
prefixes. What repeats in a log is hashed once: a piece behind a prefix that was seen has its blocks already.
Hashes are signed and have 64 bits: two of a million different prefixes collide once in 37 million logs.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from sys import getsizeof
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from promptlint.replay.lines import Tokens
from promptlint.replay.recent import Recent

Ints: TypeAlias = npt.NDArray[np.int64]

TAIL = 16
"""Tokens at the end of a piece by which one is found that begins or goes on otherwise."""

FRAME = 4
"""Tokens around a message or tool: start, role, separator and end, as ChatML has them."""

_FRAME_IDS = 1 << 30
_NO_BLOCKS: Ints = np.empty(0, np.int64)
_NO_TOKENS: Tokens = np.empty(0, np.uint32)


class Text(NamedTuple):
    """A piece as a chain needs it: `key` tells it from every other, a setting has no tokens.

    `tail` is the same for pieces that end alike, 0 for short ones.
    """

    key: int
    tokens: Tokens
    tail: int = 0


@dataclass(frozen=True, slots=True)
class Chained:
    """A request: by piece the hash of the prefix that ends with it and that prefix' tokens, and its full blocks."""

    chain: Ints
    ends: Ints
    blocks: Ints


class _Node(NamedTuple):
    chain: int
    state: bytes
    tail: Tokens
    end: int
    blocks: Ints


class Texts:
    """Pieces tokenised once each, as long as they are among the `limit` bytes of the latest ones."""

    def __init__(self, encode: Callable[[str], Tokens], secret: bytes = b"", limit: int = 64 * 2**20) -> None:
        self._encode, self._secret = encode, secret
        self._known: Recent[tuple[str, str], Text] = Recent(limit)

    def of(self, role: str, text: str) -> tuple[Text, bool]:
        """The piece that opens a message of the role, or goes on with one (""); and whether it is new."""
        known = self._known.get((role, text))
        if known is not None:
            return known, False
        ids = self._encode(text)
        if role:
            frame = _FRAME_IDS + (zlib.crc32(role.encode("utf-8", "replace")) % 2**20) * FRAME
            ids = np.concatenate([np.arange(frame, frame + FRAME, dtype=np.uint32), ids])
        tail = _digest(self._secret, b"tail\0", ids[-TAIL:].tobytes()) if len(ids) >= 2 * TAIL else 0
        key = _digest(self._secret, role.encode("utf-8", "replace"), b"\0", text.encode("utf-8", "surrogatepass"))
        made = Text(key, ids, tail)
        self._known.put((role, text), made, getsizeof(text) + ids.nbytes + 200)
        return made, True


def setting(name: str, value: str, secret: bytes = b"") -> Text:
    """A setting as a piece without tokens."""
    key = _digest(secret, b"setting\0", name.encode("utf-8", "replace"), b"\0", value.encode("utf-8", "replace"))
    return Text(key, _NO_TOKENS)


class Chainer:
    """Chains requests. `unit` is tokens of a block, 0 for none; `secret` makes hashes that only its holder can make."""

    def __init__(self, unit: int, secret: bytes = b"", limit: int = 64 * 2**20) -> None:
        self._unit, self._secret = unit, secret
        self._nodes: Recent[tuple[int, int], _Node] = Recent(limit)
        self._root = _Node(0, b"\0" * 8, _NO_TOKENS, 0, _NO_BLOCKS)

    def chained(self, pieces: Sequence[Text]) -> Chained:
        node = self._root
        chain, ends, blocks = [], [], []
        for piece in pieces:
            key = (node.chain, piece.key)
            following = self._nodes.get(key)
            if following is None:
                following = self._after(node, piece)
                self._nodes.put(key, following, following.blocks.nbytes + following.tail.nbytes + 400)
            node = following
            chain.append(node.chain)
            ends.append(node.end)
            if node.blocks is not _NO_BLOCKS:
                blocks.append(node.blocks)
        return Chained(
            np.array(chain, np.int64),
            np.array(ends, np.int64),
            np.concatenate(blocks) if blocks else _NO_BLOCKS,
        )

    def _after(self, node: _Node, piece: Text) -> _Node:
        key = piece.key.to_bytes(8, "little", signed=True)
        chain = _digest(b"", node.chain.to_bytes(8, "little", signed=True), key)
        if not len(piece.tokens):
            folded = blake2b(node.state + key, digest_size=8, key=self._secret)
            return _Node(chain, folded.digest(), node.tail, node.end, _NO_BLOCKS)
        end = node.end + len(piece.tokens)
        if not self._unit:
            return _Node(chain, node.state, _NO_TOKENS, end, _NO_BLOCKS)
        ids = np.concatenate([node.tail, piece.tokens]) if len(node.tail) else piece.tokens
        full = len(ids) // self._unit * self._unit
        state, blocks = block_hashes(ids[:full], self._unit, node.state, self._secret)
        return _Node(chain, state, ids[full:].copy(), end, blocks)


def block_hashes(ids: Tokens, unit: int, parent: bytes = b"\0" * 8, secret: bytes = b"") -> tuple[bytes, Ints]:
    """The hash of each full block of `unit` tokens behind the parent's, and the last of them as the next parent."""
    data, width = ids.astype("<u4", copy=False).tobytes(), 4 * unit
    digests = []
    for at in range(0, len(data) // width * width, width):
        parent = blake2b(parent + data[at : at + width], digest_size=8, key=secret).digest()
        digests.append(parent)
    if not digests:
        return parent, _NO_BLOCKS
    return parent, np.frombuffer(b"".join(digests), "<i8").astype(np.int64, copy=False)


def _digest(secret: bytes, *parts: bytes) -> int:
    digest = blake2b(digest_size=8, key=secret)
    for part in parts:
        digest.update(part)
    return int.from_bytes(digest.digest(), "little", signed=True)
