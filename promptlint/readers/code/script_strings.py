"""String and template literals of TypeScript and JavaScript: what they write, and where each part of that stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from promptlint.expression import Expression, Join, Literal, Slot, Unknown
from promptlint.readers.code.script_reading import ScriptReading, inner
from promptlint.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}
_OTHER_CONTROLS = {"b": "\b", "f": "\f", "v": "\v"}
_LOW_HALF = re.compile(r"\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
_LINE_ENDS = "\n\r\u2028\u2029"


def string(node: Node, reading: ScriptReading) -> Expression:
    """A literal, or the parts of one that has several."""
    parts = tuple(_parts(node, reading))
    if len(parts) == 1 and isinstance(parts[0], Literal):
        return parts[0]
    if not parts:
        start = reading.span(node).start + 1
        return Literal("", Span(start, start))
    return Join(parts, reading.span(node))


def _parts(node: Node, reading: ScriptReading) -> Iterator[Expression]:
    """Text is cut at each hole, and where an escape stands for something that its characters do not show."""
    whole = reading.span(node)
    text, start, at = "", whole.start + 1, whole.start + 1
    for child in node.named_children:
        here = reading.span(child)
        if child.type == "string_fragment" or here.start < at:
            continue
        text += _normal(reading.text[at : here.start])
        at = here.end
        raw = reading.text[here.start : here.end]
        if child.type == "escape_sequence" and raw[1:2] not in "bfvxu0123456789" + _LINE_ENDS:
            text += _CONTROLS.get(raw[1:], raw[1:])
            continue
        if text:
            yield Literal(text, Span(start, here.start))
        text = ""
        if child.type == "escape_sequence":
            decoded, at = _decoded(raw, here, reading)
            if decoded:
                yield Literal(decoded, Span(here.start, at))
        elif child.type == "template_substitution":
            value = inner(child)
            yield Slot(Unknown((), here) if value is None else reading.value(value), here)
        else:
            yield Unknown((), here)
        start = at
    last = node.children[-1]
    end = whole.end - 1 if last.type in ("'", '"', "`") and last.end_byte > last.start_byte else whole.end
    text += _normal(reading.text[at:end])
    if text:
        yield Literal(text, Span(start, end))


def _normal(text: str) -> str:
    return text.replace("\r\n", "\n")


def _decoded(raw: str, here: Span, reading: ScriptReading) -> tuple[str, int]:
    """What a rarer escape writes, and where it ends: two escapes that make one character count as one."""
    kind = raw[1:2]
    if kind in _OTHER_CONTROLS:
        return _OTHER_CONTROLS[kind], here.end
    if kind in _LINE_ENDS:
        return "", here.end
    try:
        if kind in ("x", "u"):
            code = int(raw[2:].strip("{}"), 16)
            low = _LOW_HALF.match(reading.text, here.end) if 0xD800 <= code < 0xDC00 else None
            if low is not None:
                return chr(0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00), low.end()
            return chr(code), here.end
        return chr(int(raw[1:], 8)), here.end
    except (ValueError, OverflowError):
        return raw, here.end
