"""Python files: modules of facts. A broken file still gives what can be read of it."""

from __future__ import annotations

from promptlint.program import Module
from promptlint.readers.code.fragments import top_level
from promptlint.readers.code.python_statements import statements
from promptlint.readers.code.tree import Offsets, Reading
from promptlint.source import Source
from promptlint.unit import Unit


def read(source: Source) -> Unit:
    """The file's unit: a module, and no prompts of its own."""
    offsets = Offsets(source.text)
    nodes = top_level(offsets.data, "python")
    return Unit(source, (), module=Module("python", statements(nodes, Reading(source.text, offsets))))
