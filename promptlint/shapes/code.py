"""Fenced code blocks: what stands in them is a sample of code or of a format."""

from __future__ import annotations

import re
from bisect import bisect_right

_FENCE = re.compile(r"(?m)^[ \t]{0,8}(`{3,20}|~{3,20})([^\n]{0,200})")


def fences(text: str) -> list[tuple[int, int]]:
    """Where fenced code blocks stand, their fences included; one that is not closed lasts to the end."""
    if "```" not in text and "~~~" not in text:
        return []
    blocks: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence.start(), fence[1]
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            blocks.append((opened[0], fence.end()))
            opened = None
    if opened is not None:
        blocks.append((opened[0], len(text)))
    return blocks


def covers(blocks: list[tuple[int, int]], start: int) -> bool:
    """Whether one of the blocks, which are in order, holds the offset."""
    index = bisect_right(blocks, start, key=lambda block: block[0]) - 1
    return index >= 0 and start < blocks[index][1]


def in_code(text: str, start: int) -> bool:
    """Whether the character at `start` stands in a fenced code block."""
    return covers(fences(text), start)
