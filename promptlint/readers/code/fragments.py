"""The statements of a file, also of one that does not parse as a whole."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from promptlint.readers.code.tree import named, parser

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_MOST_TOGETHER = 8
"""Fragments that are tried as one: a start inside a text of many lines is none."""

_PYTHON = rb"^(?:(?:async )?def \w+|class \w+|@\w|import \w|from [\w.]+ import |\w+(?:: [\w\[\], |.]+)? = )"
_SCRIPT = rb"^(?:export |import\b|(?:async )?function\b|(?:abstract )?class \w|(?:const|let|var) \S|@\w)"
"""What a line at the left margin begins with where it begins a statement."""


def top_level(data: bytes, language: str) -> tuple[Node, ...]:
    """The nodes of a program's statements in order.

    An unclosed quote or bracket takes all that follows with it. Where one does, each line that begins a statement
    begins a fragment. Fragments are parsed by themselves, or with the next ones where only that is whole.
    """
    whole = parser(language)
    nodes = tuple(named(whole.parse(data).root_node))
    if not any(node.has_error for node in nodes):
        return nodes
    starts = [found.start() for found in re.finditer(_PYTHON if language == "python" else _SCRIPT, data, re.M)]
    if not any(node.has_error and _is_between(starts, node.start_byte + 1, node.end_byte) for node in nodes):
        return nodes
    cuts = [0, *(start for start in starts if start), len(data)]
    return tuple(_fragments(data, cuts, whole))


def _is_between(starts: list[int], first: int, last: int) -> bool:
    at = bisect_left(starts, first)
    return at < len(starts) and starts[at] < last


def _fragments(data: bytes, cuts: list[int], whole: Parser) -> Iterator[Node]:
    at = 0
    while at < len(cuts) - 1:
        alone = _root(data, cuts[at], cuts[at + 1], whole)
        root, after = alone, at + 1
        while root.has_error and after < min(at + _MOST_TOGETHER, len(cuts) - 1):
            after += 1
            root = _root(data, cuts[at], cuts[after], whole)
        if root.has_error:
            root, after = alone, at + 1
        yield from named(root)
        at = after


def _root(data: bytes, start: int, end: int, whole: Parser) -> Node:
    from tree_sitter import Parser, Point, Range

    part = Range(Point(0, 0), Point(0, 0), start, end)
    return Parser(whole.language, included_ranges=[part]).parse(data).root_node
