"""TypeScript and JavaScript files: modules of facts. A broken file still gives what can be read of it."""

from __future__ import annotations

from promptlint.program import Module
from promptlint.readers.code.fragments import top_level
from promptlint.readers.code.script_expressions import VALUES
from promptlint.readers.code.script_modules import exports
from promptlint.readers.code.script_reading import ScriptReading
from promptlint.readers.code.script_statements import STEPS
from promptlint.readers.code.tree import Offsets, grammar_of
from promptlint.source import Source
from promptlint.unit import Unit


def read(source: Source) -> Unit:
    """The file's unit: a module, and no prompts of its own. The name's ending says which grammar reads it."""
    grammar = grammar_of(source.path)
    offsets = Offsets(source.text)
    nodes = top_level(offsets.data, grammar)
    reading = ScriptReading(source.text, offsets, values=VALUES, steps=STEPS)
    language = "javascript" if grammar == "javascript" else "typescript"
    return Unit(source, (), module=Module(language, reading.statements(nodes), exports(nodes, reading)))
