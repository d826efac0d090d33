"""Text without holes."""

from __future__ import annotations

from promptlint.dialects.pieces import PieceList
from promptlint.template import Template


def cut(text: str, start: int, end: int) -> Template:
    """One literal piece; none for an empty string."""
    pieces = PieceList(text, start, end)
    pieces.text(end)
    return pieces.template("plain")
