"""Python's string literals: what they write, and where each part of that stands."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from promptlint.expression import Expression, Filter, Format, Join, Literal, Slot, Unknown
from promptlint.readers.code.tree import Reading, field_of, named
from promptlint.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

Read = Callable[["Node", Reading], Expression]

_PLAIN_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\r": "\r", '\\"': '"', "\\'": "'", "\\\\": "\\"}
_BRACES = {"{{": "{", "}}": "}"}
_OTHER_ESCAPES = {"\\a": "\a", "\\b": "\b", "\\f": "\f", "\\v": "\v"}


def string(node: Node, reading: Reading, read: Read) -> Expression:
    """A literal, or the parts of one that has several: f-strings, and strings side by side."""
    parts = tuple(_parts(node, reading, read))
    if len(parts) == 1 and isinstance(parts[0], Literal):
        return parts[0]
    if not parts:
        middle = _inside(node, reading)
        return Literal("", Span(middle, middle))
    return Join(parts, reading.span(node))


def _inside(node: Node, reading: Reading) -> int:
    first = node.named_children[0] if node.named_children else node
    return reading.span(first).end if first.type == "string_start" else reading.span(node).start


def _parts(node: Node, reading: Reading, read: Read) -> Iterator[Expression]:
    if node.type == "concatenated_string":
        for part in named(node):
            yield from _parts(part, reading, read)
        return
    prefix = ""
    for child in node.named_children:
        match child.type:
            case "string_start":
                prefix = reading.of(child).rstrip("'\"").lower()
            case "string_content":
                yield from _content(child, reading, prefix)
            case "interpolation":
                yield from _interpolation(child, reading, read)
            case "string_end" | "comment":
                pass
            case _:
                yield Unknown((), reading.span(child))


def _content(node: Node, reading: Reading, prefix: str) -> Iterator[Literal]:
    """Literal text, cut where an escape stands for something that its characters do not show."""
    span = reading.span(node)
    text, start, at = "", span.start, span.start
    for escape in node.children:
        here = reading.span(escape)
        raw = reading.text[here.start : here.end]
        brace = _BRACES.get(raw) if "f" in prefix or "t" in prefix else None
        if brace is None and "r" in prefix:
            continue
        text += _normal(reading.text[at : here.start])
        at = here.end
        if brace is not None:
            # Of two braces only the first is text.
            yield Literal(text + brace, Span(start, here.start + 1))
            text, start = "", here.end
            continue
        if raw in _PLAIN_ESCAPES or len(raw) == 1:
            text += _PLAIN_ESCAPES.get(raw, raw)
            continue
        if text:
            yield Literal(text, Span(start, here.start))
        text, start = "", here.end
        if decoded := _decoded(raw):
            yield Literal(decoded, here)
    text += _normal(reading.text[at : span.end])
    if text:
        yield Literal(text, Span(start, span.end))


def _normal(text: str) -> str:
    return text.replace("\r\n", "\n")


def _decoded(raw: str) -> str:
    """What a rarer escape writes: nothing for one at a line's end, itself for one that Python does not know."""
    if raw in _OTHER_ESCAPES:
        return _OTHER_ESCAPES[raw]
    if raw[1:2] in ("\n", "\r"):
        return ""
    try:
        match raw[1:2]:
            case "x" | "u" | "U":
                return chr(int(raw[2:], 16))
            case "N":
                return unicodedata.lookup(raw[3:-1])
            case digit if digit.isdigit():
                return chr(int(raw[1:], 8))
    except (ValueError, KeyError, OverflowError):
        return raw
    return raw


def _interpolation(node: Node, reading: Reading, read: Read) -> Iterator[Expression]:
    span = reading.span(node)
    value = field_of(node, "expression")
    if value is None:
        yield Slot(Unknown((), span), span)
        return
    expression = read(value, reading)
    named_by = reading.text[reading.span(value).end : span.end].lstrip()
    if named_by.startswith("=") and not named_by.startswith("=="):
        # `{x=}` writes the expression's text before its value.
        end = reading.span(value).end + reading.text[reading.span(value).end : span.end].index("=") + 1
        yield Literal(reading.text[span.start + 1 : end], Span(span.start + 1, end))
    conversion = next((child for child in node.named_children if child.type == "type_conversion"), None)
    if conversion is not None and reading.of(conversion) == "!r":
        expression = Filter(expression, "repr", (), span)
    spec = next((child for child in node.named_children if child.type == "format_specifier"), None)
    if spec is not None:
        inner = [read(found, reading) for part in named(spec) if (found := field_of(part, "expression")) is not None]
        written = reading.of(spec)[1:]
        expression = Unknown((expression, *inner), span) if inner else Format(expression, written, span)
    yield Slot(expression, span)
