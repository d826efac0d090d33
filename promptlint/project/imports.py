"""What programs import, told without parsing them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from promptlint.project.programs import PROGRAM_SUFFIXES

_PYTHON = re.compile(
    rb"\n[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b[ \t]*(\([^)]*\)|(?:[^\n\\]|\\\n)*)|import[ \t]+([^\n]+))"
)
_SCRIPT = re.compile(
    rb"(?:(?:import|export)\s+(?:type\s+)?([\w*{},\s$]*?)\s*from\s*|(?:require|import)\s*\(\s*)[\"']([^\"'\n]+)[\"']"
)
_COMMENT = re.compile(r"#[^\n]*")
_NAME = re.compile(r"(?:type\s+)?([\w$.]+|\*)(?:\s+as\s+([\w$]+))?")

WHOLE = ""
"""In place of a name: the module itself, or what it hands on by default."""

ALL = "*"
"""As a name: every name of the module. As an alias: a name that cannot be told."""


@dataclass(frozen=True, slots=True)
class Import:
    """What a program takes out of a module: names, each with what the program calls it."""

    module: str
    names: tuple[tuple[str, str], ...]

    @property
    def last(self) -> str:
        """The last part of the module's name, which is what its file or folder is called."""
        if "/" in self.module:
            path = PurePath(self.module)
            return path.stem if path.suffix in PROGRAM_SUFFIXES else path.name
        return self.module.rpartition(".")[2]


def imports(path: PurePath, data: bytes) -> Iterator[Import]:
    """Every import of a program."""
    yield from _of_python(data) if path.suffix.lower() == ".py" else _of_script(data)


def _of_python(data: bytes) -> Iterator[Import]:
    for found in _PYTHON.finditer(b"\n" + data):
        if found[1] is not None:
            yield Import(found[1].decode(errors="replace"), tuple(_names(found[2])))
        else:
            for module, alias in _names(found[3]):
                yield Import(module, ((WHOLE, alias.partition(".")[0]),))


def _of_script(data: bytes) -> Iterator[Import]:
    for found in _SCRIPT.finditer(data):
        module = found[2].decode(errors="replace")
        if found[1] is None:
            yield Import(module, ((WHOLE, ALL),))
            continue
        before, _, inner = found[1].partition(b"{")
        whole = [(ALL, ALL) if alias == ALL else (WHOLE, alias) for _, alias in _names(before)]
        yield Import(module, (*whole, *_names(inner.partition(b"}")[0])))


def _names(text: bytes) -> Iterator[tuple[str, str]]:
    for part in _COMMENT.sub("", text.decode(errors="replace").replace("\\\n", " ")).strip("() \t").split(","):
        if (found := _NAME.match(part.strip())) is not None:
            yield found[1], found[2] or found[1]
