"""Comments of a program. Reading leaves them out; who needs them parses again."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.program import Module
from promptlint.readers.code.tree import Offsets, parser
from promptlint.source import Source, Span


def comments(source: Source, module: Module) -> Iterator[Span]:
    """Where the comments of a program stand, in their order."""
    offsets = Offsets(source.text)
    grammar = "tsx" if module.language == "typescript" and source.path.endswith(".tsx") else module.language
    waiting = [parser(grammar).parse(offsets.data).root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "comment":
            yield Span(offsets[node.start_byte], offsets[node.end_byte])
        else:
            waiting.extend(reversed(node.children))
