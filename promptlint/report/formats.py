"""The formats of `check`, each a module with a function of its name."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType

from promptlint.report.paint import Paint
from promptlint.run import Run

_TEXT = MappingProxyType({"full": "full", "concise": "concise", "grouped": "grouped"})
"""For people, in colour where it is wanted: functions of a run and a paint that give lines."""

_DOCUMENTS = MappingProxyType(
    {
        "json": "json_v1",
        "json-lines": "json_lines",
        "github": "github",
        "gitlab": "gitlab",
        "junit": "junit",
        "sarif": "sarif",
        "markdown": "markdown",
    }
)
"""For programs and services: functions of a run that give the whole text."""

TEXT_FORMATS = tuple(_TEXT)
FORMATS = (*_TEXT, *_DOCUMENTS)


def rendered(name: str, run: Run, paint: Paint) -> str:
    """The report in the format of that name; text ends with a line break. Raises KeyError for any other name."""
    if name in _TEXT:
        return "".join(f"{line}\n" for line in _function(_TEXT[name])(run, paint))
    text: str = _function(_DOCUMENTS[name])(run)
    return text


def _function(name: str):  # type: ignore[no-untyped-def]
    return getattr(import_module(f"promptlint.report.{name}"), name)
