"""Comments of a program. Reading leaves them out; who needs them parses again."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.readers.code.tree import Offsets, grammar_of, parser
from promptlint.source import Source, Span


def comments(source: Source) -> Iterator[Span]:
    """Where the comments of a program stand, in their order."""
    offsets = Offsets(source.text)
    waiting = [parser(grammar_of(source.path)).parse(offsets.data).root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "comment":
            yield Span(offsets[node.start_byte], offsets[node.end_byte])
        else:
            waiting.extend(reversed(node.children))
