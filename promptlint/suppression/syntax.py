"""Where a file may hold comments, and which of them reach the model."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from promptlint.data import load_toml
from promptlint.source import Span
from promptlint.template import Piece, PieceKind
from promptlint.unit import Unit

_WITHOUT_COMMENTS = frozenset({".json", ".jsonl", ".ndjson"})
"""Files that hold no comments outside their prompts; in others (YAML, front matter) `#` opens one."""

_CLOSERS = {"{#": "#}", "{{": "}}", "<!--": "-->", "/*": "*/"}
_MARK = re.compile(
    r"(?:(?P<block>\{#[-+]?|\{\{~?!(?:--)?|\{\{\s*//|<!--|/\*)[\s*]*|(?P<line>//|#)[ \t]*)promptlint:[ \t]*"
)
_LINE = re.compile(r"[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Written:
    """A comment that begins with `promptlint:`. `text` is what follows.

    `sent` says that it stands in the text of a prompt, where the model reads it; `inside` that it is a comment of the
    template, and not of the file around it.
    """

    span: Span
    text: str
    sent: bool
    inside: bool


def written(unit: Unit) -> list[Written]:
    """The comments of a file that are meant for promptlint, in their order."""
    text = unit.source.text
    if "promptlint:" not in text:
        return []
    if unit.module is not None:
        return list(_in_program(unit))
    pieces = _pieces(unit)
    starts = [piece.span.start for piece in pieces]
    found = []
    for mark in _MARK.finditer(text):
        index = bisect_right(starts, mark.start()) - 1
        piece = pieces[index] if index >= 0 and mark.start() < pieces[index].span.end else None
        comment = _comment(unit, mark, piece)
        if comment is not None:
            found.append(comment)
    return found


def _in_program(unit: Unit) -> Iterator[Written]:
    """Comments of a program, and lines of its strings that look like one."""
    from promptlint.readers.code.comments import comments

    spans = list(comments(unit.source))
    starts = [span.start for span in spans]
    for mark in _MARK.finditer(unit.source.text):
        index = bisect_right(starts, mark.start()) - 1
        around = spans[index] if index >= 0 else None
        if around is not None and mark.start() < around.end:
            yield Written(around, _said(unit, mark, around), sent=False, inside=False)
        elif _opener(mark) in ("#", "//") and is_alone(unit, span := _extent(unit.source.text, mark)):
            yield Written(span, _said(unit, mark, span), sent=True, inside=True)


def _said(unit: Unit, mark: re.Match[str], span: Span) -> str:
    line = unit.source.text.find("\n", mark.end(), span.end)
    said = unit.source.text[mark.end() : line if line >= 0 else span.end]
    return re.sub(r"[-~\s]*(?:#\}|\}\}|-->|\*/)$", "", said).strip()


def _pieces(unit: Unit) -> list[Piece]:
    every = {
        piece.span: piece for prompt in unit.prompts for message in prompt.messages for piece in message.template.pieces
    }
    return [every[span] for span in sorted(every)]


def _comment(unit: Unit, mark: re.Match[str], piece: Piece | None) -> Written | None:
    opener = _opener(mark)
    span = _extent(unit.source.text, mark)
    said = _said(unit, mark, span)
    if piece is None:
        free = mark.start() == 0 or unit.source.text[mark.start() - 1].isspace()
        is_comment = opener == "#" and free and PurePath(unit.source.path).suffix.lower() not in _WITHOUT_COMMENTS
        return Written(span, said, sent=False, inside=False) if is_comment else None
    if piece.kind is PieceKind.TEXT:
        sent = not (opener == "<!--" and _is_stripped(unit, span))
        return Written(span, said, sent=sent, inside=True)
    # A comment on a line of its own may take the blanks around it, and its line end, into its piece.
    begins = not unit.source.text[piece.span.start : mark.start()].strip()
    if piece.kind is PieceKind.MARKUP and opener.startswith("{") and begins:
        return Written(span, said, sent=False, inside=True)
    return None


def _opener(mark: re.Match[str]) -> str:
    return mark["block"] or mark["line"]


def _extent(text: str, mark: re.Match[str]) -> Span:
    """The comment with its ends; one that is not closed ends with its line."""
    closer = next((each for start, each in _CLOSERS.items() if _opener(mark).startswith(start)), None)
    at = text.find(closer, mark.end()) if closer is not None else -1
    if closer is not None and at >= 0:
        return Span(mark.start(), at + len(closer))
    line = _LINE.match(text, mark.end())
    return Span(mark.start(), line.end() if line is not None else len(text))


def _is_stripped(unit: Unit, span: Span) -> bool:
    """Whether who reads this file takes such comments out before the model sees them."""
    names = {name for row in load_toml("comments.toml")["stripped"] for name in row["files"]}
    return PurePath(unit.source.path).name in names and is_alone(unit, span)


def is_alone(unit: Unit, span: Span) -> bool:
    """Whether nothing but blanks stands on the lines of a comment beside it."""
    source = unit.source
    first, last = source.position(span.start), source.position(span.end)
    return (
        not source.line(first.line)[: first.column - 1].strip()
        and not source.line(last.line)[last.column - 1 :].strip()
    )
