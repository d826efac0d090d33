"""A file's text with exact positions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range of character offsets into one source."""

    start: int
    end: int

    def holds(self, other: Span) -> bool:
        """Whether the other one lies in it; both may be the same."""
        return self.start <= other.start and other.end <= self.end

    def shifted(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)


@dataclass(frozen=True, slots=True)
class Position:
    """Line and column as reports show them, both counted from 1, in characters."""

    line: int
    column: int


@dataclass(slots=True, eq=False)
class Source:
    """One file's text. `path` is how the file is shown to users. Compared by identity."""

    path: str
    text: str
    _lines: list[int] = field(default_factory=list, repr=False)

    def line_starts(self) -> list[int]:
        """Offset of each line's first character. LF, CRLF and lone CR end a line."""
        if not self._lines:
            self._lines.append(0)
            self._lines.extend(_line_ends(self.text))
        return self._lines

    def position(self, offset: int) -> Position:
        """Position of the character at `offset`; the end of the text is a valid offset."""
        starts = self.line_starts()
        line = bisect_right(starts, offset)
        return Position(line, offset - starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """Text of a line, counted from 1, without its line end."""
        starts = self.line_starts()
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end]


@dataclass(frozen=True, slots=True)
class Place:
    """A span in a named source."""

    source: Source
    span: Span

    @property
    def text(self) -> str:
        return self.source.slice(self.span)


def _line_ends(text: str) -> Iterator[int]:
    at = 0
    while True:
        feed, carriage = text.find("\n", at), text.find("\r", at)
        if carriage >= 0 and (feed < 0 or carriage < feed):
            at = carriage + (2 if feed == carriage + 1 else 1)
        elif feed >= 0:
            at = feed + 1
        else:
            return
        yield at


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}


def alignment(written: str, text: str) -> Sequence[int] | None:
    """Where each character of `text` stands in the slice `written` that it was read from, and where it ends.

    The two differ where a container or dialect undoes line ends, indentation or backslash escapes. None when they
    differ otherwise.
    """
    if written == text:
        return range(len(text) + 1)
    return _aligned(written, text, 2) or _aligned(written, text, 1)


def _aligned(written: str, text: str, backslash: int) -> Sequence[int] | None:
    """`backslash` is how many of two backslashes in a row write one."""
    offsets: list[int] = []
    at = 0
    for character in text:
        while written[at : at + 1] != character:
            length = _escape_length(written, at, character)
            if length:
                break
            if not written[at : at + 1].isspace():
                return None
            at += 1
        else:
            length = backslash if character == "\\" and written.startswith("\\\\", at) else 1
        offsets.append(at)
        at += length
    return [*offsets, at]


def _escape_length(written: str, at: int, character: str) -> int:
    """Length of the backslash escape at `at` when it stands for the character, else 0."""
    if written[at : at + 1] != "\\":
        return 0
    kind = written[at + 1 : at + 2]
    if kind == "u":
        surrogates = len(character.encode("utf-16-le", "surrogatepass")) // 2
        return 6 * surrogates
    return 2 if _ESCAPES.get(kind, kind) == character else 0
