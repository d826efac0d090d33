"""Which part of the request each written piece plays: messages, roles and sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from promptlint.project.write import Written
from promptlint.prompt import Field, Section
from promptlint.sections import Heading, section_of_role
from promptlint.source import Source, Span


@dataclass(frozen=True, slots=True)
class Part:
    """A written piece with the part it plays. `said` is false where the file says nothing about the section."""

    written: Written
    section: Section
    field: Field
    message: int
    said: bool


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
        self._message = 0
        self._open: list[_Open] = []

    def next_message(self, role: str | None) -> None:
        """A new message starts; without a role it is as the file's name says."""
        self._role = section_of_role(role) if role else self._default
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
        exact = piece.text is not None and len(piece.text) == piece.span.end - piece.span.start
        at = piece.span.start
        for heading in self._inside(piece, exact):
            cuts = [
                entry.end
                for entry in self._open
                if entry.source is piece.source and at < entry.end <= heading.span.start
            ]
            for cut in (*sorted(cuts), heading.span.start):
                if exact and at < cut < piece.span.end:
                    yield self._part(_cut(piece, at, cut))
                    at = cut
                self._close(piece.source, cut)
            self._enter(heading, piece.source)
        for entry in sorted(self._open, key=lambda entry: entry.end):
            if exact and entry.source is piece.source and at < entry.end < piece.span.end:
                yield self._part(_cut(piece, at, entry.end))
                at = entry.end
                self._close(piece.source, at)
        yield self._part(_cut(piece, at, piece.span.end) if exact else piece)

    def _inside(self, piece: Written, exact: bool) -> list[Heading]:
        span = piece.span
        found = [heading for heading in self._headings(piece.source) if span.start <= heading.span.start < span.end]
        return found if exact else found[:1]

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
        field = Field.SYSTEM if role in (Section.SYSTEM, Section.TOOLS, Section.EXAMPLES) else Field.MESSAGES
        said = section is not None
        return Part(piece, section or Section.SYSTEM, field, self._message, said)


def _cut(piece: Written, start: int, end: int) -> Written:
    assert piece.text is not None
    offset = piece.span.start
    return replace(piece, span=Span(start, end), text=piece.text[start - offset : end - offset])
