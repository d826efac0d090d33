"""The YAML block on top of a file."""

from __future__ import annotations

import re

from promptlint.source import Span

_ABOVE = re.compile(r"(?:#[^\r\n]*|[ \t]*)(?:\r\n|\n|\r)")
_OPENING = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(r"(?<![^\r\n])---[ \t]*(?:\r\n|\n|\r|\Z)")
_KEY = re.compile(r"[^\s#\-][^:]*:(?:\s|\Z)")
_MARK = "\ufeff"


def front_matter(text: str) -> Span | None:
    """The block from its `---` line to the end of the closing one, where the body begins; None without one.

    Blank lines and comments (a licence) may stand above it, and a byte order mark. Two thematic breaks of a
    Markdown text are none: the block is empty or begins with a key, and below comments, which could be
    headings, it holds nothing but YAML.
    """
    first = at = len(_MARK) if text.startswith(_MARK) else 0
    while (above := _ABOVE.match(text, at)) is not None:
        at = above.end()
    opening = _OPENING.match(text, at)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return None
    commented = bool(text[first:at].strip())
    return Span(at, closing.end()) if _is_yaml(text[opening.end() : closing.start()], commented) else None


def inside(text: str, block: Span) -> Span:
    """What stands between the two `---` lines."""
    opening = _OPENING.match(text, block.start)
    assert opening is not None
    return Span(opening.end(), text.rindex("---", block.start, block.end))


def _is_yaml(block: str, strict: bool) -> bool:
    lines = [line for line in block.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        return not strict
    if not strict:
        return bool(_KEY.match(lines[0].lstrip()))
    return bool(_KEY.match(lines[0])) and all(line[0] in " \t-}]" or _KEY.match(line) for line in lines)
