"""Tokens of texts whose lines repeat: of a prompt under a clock only the lines that changed are tokenised again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from promptlint.replay.recent import Recent

Tokens: TypeAlias = npt.NDArray[np.uint32]

LEAST = 128
"""Characters of a part: looking one up takes a twentieth of the time that tokenising it does."""

_TOLD_BY = 32
"""Characters of a line by which it is told whether it begins a part."""


class KnownLines:
    """Encodes texts in parts of `least` characters or more; a part is encoded once, as long as it is among the `limit`
    bytes of the latest ones."""

    def __init__(self, encode: Callable[[str], Tokens], limit: int = 16 * 2**20, least: int = LEAST) -> None:
        self._encode, self._least = encode, least
        self._known: Recent[str, Tokens] = Recent(limit)

    def encode(self, text: str) -> Tokens:
        """The tokens of the text, the same as of all of it at once."""
        if len(text) < 2 * self._least:
            return self._encode(text)
        found = [self._part(part) for part in parts(text, self._least)]
        return np.concatenate(found) if len(found) > 1 else found[0]

    def _part(self, part: str) -> Tokens:
        if (known := self._known.get(part)) is None:
            known = self._encode(part)
            self._known.put(part, known, len(part) + known.nbytes + 300)
        return known


def parts(text: str, least: int) -> Iterator[str]:
    """The text in parts of at least that many characters that are tokenised each by itself.

    They end where `Vocabulary.stable_prefix` knows that every pattern cuts: behind a line end, before something
    visible but "/". Which line begins a part is told by how it begins, so that behind a change of any length parts
    soon are those that they were (content-defined chunking, as in Muthitacharoen et al., LBFS, SOSP 2001).
    """
    at = 0
    while cut := text.find("\n", at + least) + 1:
        while cut and cut < len(text) and not _begins(text, cut):
            cut = text.find("\n", cut) + 1
        if not cut or cut == len(text):
            break
        yield text[at:cut]
        at = cut
    yield text[at:]


def _begins(text: str, at: int) -> bool:
    """Whether the line there begins a part: every other one of those that can, by chance."""
    return not (text[at] == "/" or text[at].isspace()) and hash(text[at : at + _TOLD_BY]) % 2 == 0
