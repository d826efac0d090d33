"""Whether two texts hold the same things in another order or spelling."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

_ATTEMPTS = 24
"""Opening brackets before the first difference that are tried as the start of JSON."""


def reordered(a: str, b: str, at: int) -> str | None:
    """The word for texts that are equal but for blanks, letter case, the order of keys or that of other things.

    None when more than that differs. JSON counts from any bracket that both texts share before `at`, so it may
    stand in the middle of prose.
    """
    if "".join(a.split()) == "".join(b.split()):
        return "whitespace"
    if a.casefold() == b.casefold():
        return "case"
    if (order := _of_json(a, b, at)) is not None:
        return order
    line = a.rfind("\n", 0, at) + 1
    return "reorder" if _same_lines(a[line:], b[line:]) or _same_items(a[line:], b[line:]) else None


def _of_json(a: str, b: str, at: int) -> str | None:
    decoder = json.JSONDecoder()
    start = at
    for _ in range(_ATTEMPTS):
        start = max(a.rfind("{", 0, start), a.rfind("[", 0, start))
        if start < 0:
            return None
        try:
            (left, left_end), (right, right_end) = decoder.raw_decode(a, start), decoder.raw_decode(b, start)
        except (ValueError, RecursionError):
            continue
        if min(left_end, right_end) <= at:
            continue
        if left == right:
            return "key-order"
        if _unordered(left) == _unordered(right):
            return "reorder"
    return None


def _unordered(value: Any) -> str:
    """A text that is the same for all orders of keys and of the elements of lists."""
    if isinstance(value, dict):
        return "{" + ",".join(sorted(f"{json.dumps(key)}:{_unordered(item)}" for key, item in value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(sorted(_unordered(item) for item in value)) + "]"
    return json.dumps(value)


def _same_lines(a: str, b: str) -> bool:
    """Whether each text has the other's first line further down, and as often: a list in another order."""
    lines, others = a.splitlines(), b.splitlines()
    if len(lines) < 2 or len(others) < 2:
        return False
    if Counter(lines) == Counter(others):
        return True
    first, second = lines[0].strip(), others[0].strip()
    return bool(first and second) and second in map(str.strip, lines[1:]) and first in map(str.strip, others[1:])


def _same_items(a: str, b: str) -> bool:
    """Whether the first lines hold the same items between commas, or the same words, in another order."""
    line, other = a.splitlines()[:1], b.splitlines()[:1]
    if not line or not other or line == other or len(line[0]) != len(other[0]):
        return False
    items, others = (text[0].replace(",", " ").split() for text in (line, other))
    return Counter(items) == Counter(others)
