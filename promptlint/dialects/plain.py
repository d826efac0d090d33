"""Text without holes."""

from __future__ import annotations

from promptlint.dialects.pieces import PieceList
from promptlint.template import Emit, Template


def cut(text: str, start: int, end: int) -> Template:
    """One literal piece; none for an empty string."""
    pieces = PieceList(text, start, end)
    whole = pieces.text(end)
    return Template("plain", pieces.all(), () if whole is None else (Emit(whole),))
