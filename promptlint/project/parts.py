"""Which part of the request each written piece plays: messages, roles and sections."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from promptlint.project.write import Written
from promptlint.prompt import Field, Section
from promptlint.sections import section_of_role
from promptlint.source import Source, Span, alignment
from promptlint.template import Heading


@dataclass(frozen=True, slots=True)
class Part:
    """A written piece with the part it plays.

    `said` is false where the file says nothing about the section; `whole` marks messages of which a list is handed on.
    """

    written: Written
    section: Section
    field: Field
    message: int
    said: bool
    whole: bool = False
    role: str | None = None


@dataclass(slots=True)
class _Open:
    """The section that a heading or tag opened, up to `end` in its own source."""

    section: Section
    source: Source
    end: int


class Assigner:
    """Walks the written pieces in order and keeps track of message, role and section."""

    def __init__(self, headings: Callable[[Source], tuple[Heading, ...]], default: Section | None) -> None:
        self._headings = headings
        self._default = default
        self._role: Section | None = default
        self._name: str | None = None
        self._field: Field | None = None
        self._message = 0
        self._open: list[_Open] = []

    def next_message(self, role: str | None, section: Section | None = None, field: Field | None = None) -> None:
        """A new message starts. What its container does not say, its role does, or else the file's name."""
        self._role = section or (section_of_role(role) if role else self._default)
        self._field, self._name = field, role
        self._message += 1
        self._open.clear()

    def parts(self, written: Iterable[Written]) -> Iterator[Part]:
        for piece in written:
            if piece.role is not None:
                self.next_message(piece.role or None)
                continue
            while self._open and self._open[-1].source is piece.source and self._open[-1].end <= piece.span.start:
                self._open.pop()
            if piece.text is None:
                yield self._part(piece)
            else:
                yield from self._split(piece)

    def _split(self, piece: Written) -> Iterator[Part]:
        """Text is cut where a heading, a tag's end or a role marker stands in it."""
        found = self._inside(piece)
        if not found and not any(self._ends_inside(entry, piece) for entry in self._open):
            yield self._part(piece)
            return
        text = _Text(piece)
        for heading in found:
            yield from self._until(heading.span.start, piece, text)
            self._enter(heading, piece.source)
        yield from self._until(piece.span.end, piece, text)

    def _until(self, end: int, piece: Written, text: _Text) -> Iterator[Part]:
        """The text up to an offset, cut where open sections end."""
        ends = sorted(entry.end for entry in self._open if self._ends_inside(entry, piece) and entry.end <= end)
        for cut in (*ends, end):
            part = text.take(cut)
            if part is not None:
                yield self._part(part)
            self._close(piece.source, cut)

    def _ends_inside(self, entry: _Open, piece: Written) -> bool:
        return entry.source is piece.source and piece.span.start < entry.end < piece.span.end

    def _inside(self, piece: Written) -> list[Heading]:
        span = piece.span
        return [heading for heading in self._headings(piece.source) if span.start <= heading.span.start < span.end]

    def _close(self, source: Source, at: int) -> None:
        self._open = [entry for entry in self._open if entry.source is not source or entry.end > at]

    def _enter(self, heading: Heading, source: Source) -> None:
        if heading.role is not None:
            self.next_message(heading.role)
        elif heading.section is not None:
            self._open.append(_Open(heading.section, source, heading.end or len(source.text)))

    def _part(self, piece: Written) -> Part:
        section = self._open[-1].section if self._open else self._role
        role = self._role or Section.SYSTEM
        plain = Field.SYSTEM if role in (Section.SYSTEM, Section.TOOLS, Section.EXAMPLES) else Field.MESSAGES
        said = section is not None
        return Part(piece, section or Section.SYSTEM, self._field or plain, self._message, said, role=self._name)


class _Text:
    """A written text that is handed out part by part."""

    def __init__(self, piece: Written) -> None:
        assert piece.text is not None
        self._piece, self._text, self._at = piece, piece.text, 0
        self._offsets = alignment(piece.source.slice(piece.span), piece.text)

    def take(self, end: int) -> Written | None:
        """What has not been handed out yet, up to an offset in the source; None when that is nothing.

        Text whose characters cannot be found in its source stays whole.
        """
        start, whole = self._piece.span.start, end >= self._piece.span.end
        if self._offsets is None:
            until = len(self._text) if whole else 0
        else:
            until = len(self._text) if whole else bisect_left(self._offsets, end - start)
        if until <= self._at:
            return None
        first, self._at = self._at, until
        if self._offsets is None:
            return self._piece
        span = Span(start + self._offsets[first], min(end, self._piece.span.end))
        return replace(self._piece, span=span, text=self._text[first:until])
