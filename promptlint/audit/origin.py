"""The line of a template that wrote what differs."""

from __future__ import annotations

import re
from pathlib import Path

_LARGEST = 2**20
_MOST_FILES = 20_000
_LEAST = 8
"""Characters of a line's beginning that have to be found."""


_VALUE = re.compile(r"(?:\S*\d\S*\s*)+\Z")
"""What a value that differs has in common with the one before it stands in no template."""

_LAST_WORD = re.compile(r"\S+\Z")


class Origins:
    """The texts of a folder, searched for the beginnings of lines.

    What stands before a value in a rendered line stands before its hole in the template; where that is only part of
    the line, the longest end of it that one place has is taken.
    """

    def __init__(self, folder: Path) -> None:
        paths = sorted(path for path in folder.rglob("*") if path.is_file() and not _is_hidden(path, folder))
        self._texts = {path: text for path in paths[:_MOST_FILES] if (text := _text(path))}

    def place(self, before: str) -> str:
        """`path:line:column` behind the text that stands before the difference in its line; "" when it is nowhere, or
        at several places."""
        fixed = _VALUE.sub("", before)
        return self._found(fixed) or self._found(_LAST_WORD.sub("", fixed))

    def _found(self, before: str) -> str:
        for start in range(max(len(before) - _LEAST, 0) + 1):
            part = before[start:]
            found = [(path, at) for path, text in self._texts.items() for at in _all(text, part)]
            if len(part.strip()) < _LEAST or len(found) > 1:
                return ""
            if found:
                path, at = found[0]
                head = self._texts[path][: at + len(part)]
                return f"{path}:{head.count(chr(10)) + 1}:{len(head) - head.rfind(chr(10))}"
        return ""


def _all(text: str, part: str) -> list[int]:
    found: list[int] = []
    at = text.find(part)
    while at >= 0 and len(found) < 2:
        found.append(at)
        at = text.find(part, at + 1)
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") if path.stat().st_size <= _LARGEST else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)
