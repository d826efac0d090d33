"""Which reader reads a file."""

from __future__ import annotations

from pathlib import PurePath

from promptlint.program import PYTHON_SUFFIXES, SCRIPT_SUFFIXES
from promptlint.source import Source, Span
from promptlint.template import Problem
from promptlint.unit import Unit

_PROGRAMS = frozenset(
    {
        ".ipynb",
        ".go",
        ".rs",
        ".java",
        ".kt",
    }
    | {".rb", ".php", ".cs", ".c", ".cc", ".cpp", ".h", ".hpp", ".swift", ".lua", ".pl", ".sh", ".bash", ".ps1", ".sql"}
    | {".css", ".scss", ".html", ".htm", ".xml", ".svg", ".toml", ".ini", ".cfg", ".lock"}
)
"""Files in which braces are no holes; they hold no prompt that promptlint can read."""

_TOO_DEEP = "this file is nested too deeply to be read; flatten it"


def read(source: Source, dialect: str | None = None) -> Unit:
    """The file's unit, by the reader that its name calls for. Never raises on odd input."""
    try:
        return _read(source, dialect)
    except RecursionError:
        return Unit(source, (), (Problem(Span(0, min(1, len(source.text))), _TOO_DEEP),))


def _read(source: Source, dialect: str | None) -> Unit:
    match PurePath(source.path).suffix.lower():
        case ".yaml" | ".yml":
            from promptlint.readers import yaml_prompts

            return yaml_prompts.read(source, dialect)
        case ".json" | ".jsonl" | ".ndjson":
            from promptlint.readers import presets, requests

            sent = requests.read(source, dialect)
            return sent if sent.prompts else _first(presets.read(source, dialect), sent)
        case suffix if suffix in PYTHON_SUFFIXES and dialect is None:
            from promptlint.readers.code import python

            return python.read(source)
        case suffix if suffix in SCRIPT_SUFFIXES and dialect is None:
            from promptlint.readers.code import script

            return script.read(source)
        case suffix if suffix in _PROGRAMS and dialect is None:
            return Unit(source, ())
    from promptlint.readers import text

    return text.read(source, dialect)


def _first(unit: Unit, other: Unit) -> Unit:
    return unit if unit.prompts else other
