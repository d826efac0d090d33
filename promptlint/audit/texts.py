"""The distinct texts of a log, beside its columns: read again only where two requests differ."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from promptlint.replay.chain import Text
from promptlint.replay.lines import Tokens


class TextWriter:
    """Writes texts and their tokens to two files, and where each stands to a third."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._texts, self._tokens = base.with_suffix(".texts").open("wb"), base.with_suffix(".tokens").open("wb")
        self._index: list[tuple[int, int, int, int, int]] = []
        self._at = self._token_at = 0

    def add(self, piece: Text, role: str, text: str) -> None:
        data = f"{role}\0{text}".encode("utf-8", "surrogatepass")
        self._index.append((piece.key, self._at, len(data), self._token_at, len(piece.tokens)))
        self._texts.write(data)
        self._tokens.write(piece.tokens.tobytes())
        self._at += len(data)
        self._token_at += len(piece.tokens)

    def close(self) -> None:
        self._texts.close()
        self._tokens.close()
        np.save(self._base.with_suffix(".npy"), np.array(self._index, np.int64).reshape(-1, 5))


class Library:
    """The texts of all writers. Looking one up reads it from its file."""

    def __init__(self, bases: Iterable[Path]) -> None:
        self._bases = list(bases)
        tables = [np.load(base.with_suffix(".npy")) for base in self._bases]
        owners = [np.full(len(table), number, np.int64) for number, table in enumerate(tables)]
        table = np.concatenate(tables) if tables else np.empty((0, 5), np.int64)
        owner = np.concatenate(owners) if owners else np.empty(0, np.int64)
        _, first = np.unique(table[:, 0], return_index=True)
        self._table, self._owner = table[first], owner[first]
        self._open: dict[tuple[int, str], Any] = {}

    def text(self, key: int) -> tuple[str, str] | None:
        """Role and text of a piece; None where it was not kept, as in an export."""
        if (found := self._find(key)) is None:
            return None
        _, at, length, _, _ = self._table[found]
        role, _, text = self._read(found, ".texts", at, length).decode("utf-8", "surrogatepass").partition("\0")
        return role, text

    def tokens(self, key: int) -> Tokens | None:
        """The tokens of a piece."""
        if (found := self._find(key)) is None:
            return None
        _, _, _, at, length = self._table[found]
        return np.frombuffer(self._read(found, ".tokens", 4 * at, 4 * length), np.uint32)

    def close(self) -> None:
        for stream in self._open.values():
            stream.close()

    def _find(self, key: int) -> int | None:
        at = int(np.searchsorted(self._table[:, 0], key))
        return at if at < len(self._table) and self._table[at, 0] == key else None

    def _read(self, found: int, suffix: str, at: int, length: int) -> bytes:
        owner = int(self._owner[found])
        if (owner, suffix) not in self._open:
            self._open[owner, suffix] = self._bases[owner].with_suffix(suffix).open("rb", 0)
        stream = self._open[owner, suffix]
        stream.seek(at)
        data: bytes = stream.read(length)
        return data
