"""Where the tags of a Mustache or Handlebars template stand, and which white space they take with them.

After the lexer of Handlebars (src/handlebars.l) and the standalone lines of the Mustache specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from promptlint.source import Span


class TagKind(StrEnum):
    VALUE = "value"
    COMMENT = "comment"
    OPEN = "open"
    INVERSE = "inverse"
    ELSE = "else"
    CLOSE = "close"
    PARTIAL = "partial"
    RAW = "raw"
    DELIMITERS = "delimiters"
    ESCAPE = "escape"
    UNCLOSED = "unclosed"


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag: its span, the span of what is written in it after the sigil, and the span with the white space it takes.

    RAW: `inner` is the literal text of a raw block. ESCAPE: `inner` is what a backslash leaves as text.
    UNCLOSED: `inner` is empty, the span holds the opening braces.
    """

    kind: TagKind
    span: Span
    inner: Span
    taken: Span


_STOP = re.compile(r"""["']|\{\{|\}\}""")
_STRING = re.compile(r""""(?:\\"|[^"]){0,1000}"|'(?:\\'|[^']){0,1000}'""")
_ELSE = re.compile(r"\s*else(?=[\s~}])\s*")
_COMMENT_END = re.compile(r"--~?\}\}")
_BRACES = re.compile(r"\{+")
_SIGILS = {
    "#": TagKind.OPEN,
    "^": TagKind.INVERSE,
    "/": TagKind.CLOSE,
    ">": TagKind.PARTIAL,
    "=": TagKind.DELIMITERS,
    "&": TagKind.VALUE,
}
_STANDALONE = frozenset(
    {TagKind.COMMENT, TagKind.OPEN, TagKind.INVERSE, TagKind.ELSE, TagKind.CLOSE, TagKind.PARTIAL, TagKind.DELIMITERS}
)


def tags(text: str, start: int, end: int) -> Iterator[Tag]:
    """Tags of text[start:end] in order; white space taken never overlaps an earlier tag."""
    at = start
    ends = _Ends(text, end)
    while (opened := text.find("{{", at, end)) >= 0:
        tag = _escape(text, at, opened) or _raw(text, opened, ends) or _tag(text, opened, ends)
        taken = _taken(text, tag, at, start, end)
        at = taken.end
        yield Tag(tag.kind, tag.span, tag.inner, taken)
        if tag.kind is TagKind.DELIMITERS:
            return


class _Ends:
    """Looks for closers; one that does not come is not looked for again."""

    def __init__(self, text: str, end: int) -> None:
        self._text = text
        self.end = end
        self._missing: set[str | re.Pattern[str]] = set()

    def find(self, closer: str | re.Pattern[str], at: int) -> Span | None:
        if closer in self._missing:
            return None
        pattern = re.compile(re.escape(closer)) if isinstance(closer, str) else closer
        found = pattern.search(self._text, at, self.end)
        if found is None:
            self._missing.add(closer)
            return None
        return Span(*found.span())


def _plain(kind: TagKind, span: Span, inner: Span) -> Tag:
    return Tag(kind, span, inner, span)


def _escape(text: str, at: int, opened: int) -> Tag | None:
    """A backslash makes the braces text; two of them are one backslash before a tag."""
    if opened - 2 >= at and text[opened - 2 : opened] == "\\\\":
        return _plain(TagKind.ESCAPE, Span(opened - 2, opened), Span(opened - 1, opened))
    if opened - 1 >= at and text[opened - 1] == "\\":
        return _plain(TagKind.ESCAPE, Span(opened - 1, opened + 2), Span(opened, opened + 2))
    return None


def _tag(text: str, opened: int, ends: _Ends) -> Tag:
    end = ends.end
    run = _BRACES.match(text, opened, end)
    if run is not None and run.end() - opened > 3:
        opened = run.end() - 3
    at = opened + 2 + text.startswith("~", opened + 2, end)
    sigil = text[at : min(at + 1, end)]
    if sigil == "!":
        return _comment(text, opened, at + 1, ends)
    if sigil == "{":
        return _closed(TagKind.VALUE, text, opened, at + 1, end)
    if branch := _ELSE.match(text, at, end):
        return _closed(TagKind.ELSE, text, opened, branch.end(), end)
    kind = _SIGILS.get(sigil)
    return _closed(kind or TagKind.VALUE, text, opened, at + (kind is not None), end)


def _closed(kind: TagKind, text: str, opened: int, inner: int, end: int) -> Tag:
    """The tag up to its closing braces; unclosed when another tag begins before them."""
    at = inner
    while stop := _STOP.search(text, at, end):
        if stop[0] in "\"'":
            begins = stop.start() == inner or text[stop.start() - 1] in " \t\r\n(="
            string = _STRING.match(text, stop.start(), end) if begins else None
            at = string.end() if string else stop.end()
            continue
        last, after = stop.span()
        if stop[0] == "{{":
            break
        if text[inner - 1] == "{" and inner - opened > 2:
            if text.startswith("}", after, end):
                after += 1
            elif text.startswith("}~", last - 2) and last - 2 >= inner:
                last -= 2
            else:
                break
        elif last > inner and text[last - 1] == ("=" if kind is TagKind.DELIMITERS else "~"):
            last -= 1
        if kind is TagKind.INVERSE and not text[inner:last].strip():
            kind = TagKind.ELSE
        return _plain(kind, Span(opened, after), Span(inner, last))
    return _unclosed(opened, end)


def _unclosed(opened: int, end: int) -> Tag:
    span = Span(opened, min(opened + 2, end))
    return _plain(TagKind.UNCLOSED, span, Span(span.end, span.end))


def _comment(text: str, opened: int, inner: int, ends: _Ends) -> Tag:
    closer = _COMMENT_END if text.startswith("--", inner, ends.end) else "}}"
    closed = ends.find(closer, inner)
    if closed is None:
        return _unclosed(opened, ends.end)
    return _plain(TagKind.COMMENT, Span(opened, closed.end), Span(inner, closed.start))


def _raw(text: str, opened: int, ends: _Ends) -> Tag | None:
    """A raw block, whose text is written as it is; None when four braces open none."""
    head = ends.find("}}}}", opened) if text.startswith("{{{{", opened, ends.end) else None
    words = text[opened + 4 : head.start].split(maxsplit=1) if head is not None else []
    if head is None or not words:
        return None
    closer = "{{{{/" + words[0] + "}}}}"
    last = ends.find(closer, head.start)
    return None if last is None else _plain(TagKind.RAW, Span(opened, last.end), Span(head.end, last.start))


def _taken(text: str, tag: Tag, at: int, start: int, end: int) -> Span:
    """The tag with the blanks of its line when it stands alone there, and with all white space at a `~`."""
    first, last = tag.span.start, tag.span.end
    if tag.kind in (TagKind.ESCAPE, TagKind.UNCLOSED, TagKind.RAW):
        return tag.span
    if tag.kind in _STANDALONE:
        line, rest = _back(text, first, at, " \t"), _forward(text, last, end, " \t")
        begins = line == start or text[line - 1] in "\r\n"
        if begins and (rest == end or text[rest] in "\r\n"):
            first, last = line, min(rest + (2 if text.startswith("\r\n", rest) else 1), end)
    if text.startswith("{{~", tag.span.start):
        first = _back(text, tag.span.start, at, " \t\r\n")
    if text.endswith("~}}", tag.span.start, tag.span.end):
        last = _forward(text, tag.span.end, end, " \t\r\n")
    return Span(first, last)


def _back(text: str, at: int, floor: int, blanks: str) -> int:
    while at > floor and text[at - 1] in blanks:
        at -= 1
    return at


def _forward(text: str, at: int, end: int, blanks: str) -> int:
    while at < end and text[at] in blanks:
        at += 1
    return at
