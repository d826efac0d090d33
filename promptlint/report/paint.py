"""How text is put on a terminal: colour, escapes for what must not reach it, width in columns."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from promptlint.finding import Severity


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours, or plain text when not enabled."""

    enabled: bool

    def error(self, text: str) -> str:
        return self._painted("1;31", text)

    def warning(self, text: str) -> str:
        return self._painted("1;33", text)

    def note(self, text: str) -> str:
        return self._painted("1;36", text)

    def bold(self, text: str) -> str:
        return self._painted("1", text)

    def dim(self, text: str) -> str:
        return self._painted("2", text)

    def frame(self, text: str) -> str:
        """What stands around the text that is shown: line numbers, bars, places, related spans."""
        return self._painted("34", text)

    def severity(self, severity: Severity, text: str) -> str:
        """The text in the colour of a severity."""
        return {Severity.ERROR: self.error, Severity.WARNING: self.warning, Severity.NOTE: self.note}[severity](text)

    def _painted(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.enabled and text else text


def escaped(text: str) -> str:
    """The text on one line and harmless: control, invisible and unassigned characters are written as escapes."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def width(text: str) -> int:
    """Columns of escaped text: wide East Asian characters and emoji take two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_width, text))


def shortened(text: str, columns: int) -> str:
    """The beginning of escaped text, in so many columns at most; an ellipsis says that it goes on."""
    if width(text) <= columns:
        return text
    taken, end = 1, 0
    while taken + _width(text[end]) <= columns:
        taken += _width(text[end])
        end += 1
    return text[:end] + "…"


def _escaped(char: str) -> str:
    return char if char.isprintable() or unicodedata.category(char) == "Zs" else ascii(char)[1:-1]


def _width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
