"""Strings inside other files: cut as if they stood alone, with positions in the outer file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TypeVar

from promptlint.readers.cutting import template_of
from promptlint.source import Span
from promptlint.template import Heading, Template

_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True)
class Held:
    """A string that an outer file holds: its value, and where each of its characters stands in the file.

    `starts[i]` and `ends[i]` are the offsets where what stands for character i begins and ends (an escape is
    longer than one). `span` is the whole literal, quotes and all.
    """

    value: str
    starts: Sequence[int]
    ends: Sequence[int]
    span: Span

    def outside(self, span: Span) -> Span:
        """A span of the value as a span of the outer file."""
        start = self.starts[span.start] if span.start < len(self.starts) else self._end()
        return Span(start, self.ends[span.end - 1] if span.end > span.start else start)

    def _end(self) -> int:
        return self.ends[-1] if self.ends else self.span.end


def template_inside(held: Held, dialect: str) -> Template:
    """The string as a template of the dialect; every span is one of the outer file."""
    return _outside(template_of(held.value, 0, len(held.value), dialect), held)


def _outside(part: _Part, held: Held) -> _Part:
    """The part of a template with every span in it moved to the outer file."""
    if isinstance(part, Span):
        return held.outside(part)  # type: ignore[return-value]
    if isinstance(part, tuple):
        return tuple(_outside(each, held) for each in part)  # type: ignore[return-value]
    if not is_dataclass(part) or isinstance(part, type):
        return part
    changed = {each.name: _outside(getattr(part, each.name), held) for each in fields(part)}
    if isinstance(part, Heading) and part.end is not None:
        changed["end"] = held.outside(Span(part.end - 1, part.end)).end if part.end else held.span.start
    return replace(part, **changed)  # type: ignore[type-var]
