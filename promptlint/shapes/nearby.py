"""Where in a text a row's pattern is worth trying: near its keywords and forms.

Looked for in bytes, one for each character, so that offsets stay those of the text. A keyword counts where a digit is
near, which leaves little of most prose to be searched.
"""

from __future__ import annotations

import string
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from promptlint.shapes.table import Row

Windows = list[tuple[int, int]]

REACH = 256
"""Characters on each side of a keyword or form; more than from there to either end of anything that a row matches."""

BEFORE_DIGIT, BEHIND_DIGIT = 112, 48
"""How far from the first digit of a value a keyword can stand: a key, what joins them, and the letters of a value are
before it, the name of what was counted behind it."""

_DIGITS, _LETTERS = string.digits.encode(), string.ascii_letters.encode()
_ALPHABETS = {
    b"9": bytes.maketrans(_DIGITS, b"9" * 10),
    b"x": bytes.maketrans(string.hexdigits.encode(), b"x" * 22),
    b"w": bytes.maketrans(_DIGITS + _LETTERS, b"w" * 62),
}


class Folded:
    """A text in the forms that keywords and forms are looked for in, each made when it is first needed."""

    def __init__(self, text: str) -> None:
        self._bytes = text.encode("ascii", "replace")
        self._skeletons: dict[bytes, bytes] = {}
        self._zones = _merged(_around(self._skeleton(b"9"), b"9", BEFORE_DIGIT, BEHIND_DIGIT), len(text))
        self._starts = [0, *accumulate(end - start + 1 for start, end in self._zones)]
        self._lower = b"\0".join(self._bytes[start:end] for start, end in self._zones).lower()

    def windows(self, row: Row) -> Windows:
        """The stretches in which the row can match, in order, apart from each other."""
        found: Windows = []
        for keyword in row.keywords:
            found.extend(self._in_zones(keyword))
        for form in row.forms:
            found.extend(_around(self._skeleton(form), form, REACH, REACH))
        return _merged(sorted(found), len(self._bytes))

    def _in_zones(self, keyword: bytes) -> Iterator[tuple[int, int]]:
        for start, end in _around(self._lower, keyword, 0, 0):
            first, last = (bisect_right(self._starts, at) - 1 for at in (start, end))
            # What lies between the zones of two hits has no digit; to take it along costs less than to look.
            yield (
                start - self._starts[first] + self._zones[first][0] - REACH,
                end - self._starts[last] + self._zones[last][0] + REACH,
            )

    def _skeleton(self, form: bytes) -> bytes:
        letter = next((letter for letter in (b"w", b"x", b"9") if letter in form), b"9")
        if letter not in self._skeletons:
            self._skeletons[letter] = self._bytes.translate(_ALPHABETS[letter])
        return self._skeletons[letter]


def _around(text: bytes, key: bytes, before: int, behind: int) -> Iterator[tuple[int, int]]:
    at = text.find(key)
    while at >= 0:
        start, last = at, at
        # The last one in reach takes all before it along, so a text full of the keyword costs few steps.
        while (further := text.rfind(key, last + 1, last + REACH)) >= 0:
            last = further
        yield start - before, last + len(key) + behind
        at = text.find(key, last + 1)


def _merged(windows: Iterator[tuple[int, int]] | Windows, length: int) -> Windows:
    merged: Windows = []
    for start, end in windows:
        start, end = max(start, 0), min(end, length)
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
