"""Which reader reads a file."""

from __future__ import annotations

from promptlint.source import Source, Span
from promptlint.template import Problem
from promptlint.unit import Unit

_TOO_DEEP = "this file is nested too deeply to be read; flatten it"


def read(source: Source, dialect: str | None = None) -> Unit:
    """The file's unit, by the reader that its name calls for. Never raises on odd input."""
    from promptlint.readers import text

    try:
        return text.read(source, dialect)
    except RecursionError:
        return Unit(source, (), (Problem(Span(0, min(1, len(source.text))), _TOO_DEEP),))
