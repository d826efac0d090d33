"""Texts as they would be written after a change: with sorted keys, in one order, without the lines that vary."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from itertools import filterfalse

from promptlint.logs.values import opened

Lines = frozenset[str]

SPELLINGS = ("keys", "sort")
"""The changes that write the same text otherwise, in the order in which they are made."""

_VOLATILE = 0.02
"""Of the distinct texts at a path: a line that stands in so few of them, or in one, is what changes."""


def spelled(actions: Iterable[str], text: str) -> str:
    """The text after those of the actions that are SPELLINGS: JSON with sorted keys, lines in one order."""
    for action in actions:
        if action == "sort":
            text = "\n".join(sorted(text.split("\n")))
        elif action == "keys" and (value := opened(text)) is not text:
            text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return text


def staying(texts: Iterable[str]) -> Lines | None:
    """The lines that are the same in many of the distinct texts at a path; None when there are no two texts."""
    counter: Counter[str] = Counter()
    count = 0
    for text in texts:
        counter.update(set(text.split("\n")))
        count += 1
    limit = max(1, int(_VOLATILE * count))
    return frozenset(line for line, times in counter.items() if times > limit) if count > 1 else None


def parted(text: str, stays: Lines | None) -> tuple[str, str]:
    """The lines of a text that stay and those that change."""
    if stays is None:
        return text, ""
    lines = text.split("\n")
    return "\n".join(filter(stays.__contains__, lines)), "\n".join(filterfalse(stays.__contains__, lines))
