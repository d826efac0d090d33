"""What a comment asks for, and which findings it hides."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from promptlint.data import unknown
from promptlint.finding import Finding
from promptlint.source import Place, Source, Span
from promptlint.suppression.statements import statements
from promptlint.suppression.syntax import Written, is_alone, written
from promptlint.unit import Unit

_ASKED = re.compile(r"(?P<verb>[\w-]*)[ \t]*(?:\[(?P<names>[^\]\n]*)\])?(?P<reason>.*)")
_ONE, _ALL = "ignore", "ignore-file"
_CONTINUES = re.compile(r"(?:[|>][-+0-9]*|[(\[{=`]|\"\"\"|''')\s*$")
"""The end of a line whose value begins on the next one: a YAML block scalar, an open bracket or quote."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment that hides findings of `rules`: in the whole file, or in lines `first` to `last`, counted from 1."""

    place: Place
    rules: tuple[str, ...]
    reason: str
    whole: bool
    first: int
    last: int

    def hides(self, finding: Finding) -> bool:
        """Whether it speaks of the finding's rule and place."""
        if finding.rule not in self.rules or finding.place.source is not self.place.source:
            return False
        span, own = finding.place.span, self.place.span
        if self.whole or span.start <= own.start < span.end:
            return True
        first, last = lines(finding.place.source, span)
        return first <= self.last and self.first <= last


@dataclass(frozen=True, slots=True)
class Mistake:
    """A comment that hides nothing because it is not written as it should be."""

    place: Place
    message: str


def comments(unit: Unit, known: Collection[str], *, require_reason: bool = False) -> Iterator[Comment | Mistake]:
    """What the comments of a file ask for; `known` are the names of rules."""
    for each in written(unit):
        yield _asked(unit, each, known, require_reason)


def lines(source: Source, span: Span) -> tuple[int, int]:
    """First and last line of a span, counted from 1; a line end at its end adds no line."""
    end = max(span.start, span.end - 1)
    return source.position(span.start).line, source.position(end).line


def _asked(unit: Unit, comment: Written, known: Collection[str], require_reason: bool) -> Comment | Mistake:
    place = Place(unit.source, comment.span)
    asked = _ASKED.match(comment.text)
    assert asked is not None, "every part of the pattern is optional"
    names = [name.strip() for name in (asked["names"] or "").split(",") if name.strip()]
    reason = asked["reason"].strip(" \t:-—")
    if comment.sent:
        return Mistake(
            place,
            "this comment is part of the prompt, so the model reads it and promptlint does not; delete it and write "
            "a [[suppress]] entry in the configuration (--add-ignore does)",
        )
    if asked["verb"] not in (_ONE, _ALL):
        said = f"`promptlint: {asked['verb']}`" if asked["verb"] else "`promptlint:` alone"
        return Mistake(place, f"{said} says nothing; write `promptlint: ignore[rule] reason`")
    if not names or "all" in names:
        wanted = f"`promptlint: {asked['verb']}[rule] reason`"
        return Mistake(place, f"a comment that hides every rule hides too much; name the rules: {wanted}")
    for name in names:
        if name not in known:
            return Mistake(place, str(unknown("rule", name, known)))
    if require_reason and not reason:
        return Mistake(place, "this comment gives no reason; say behind the brackets why the finding stays")
    first, last = _reach(unit, comment)
    return Comment(place, tuple(dict.fromkeys(names)), reason, asked["verb"] == _ALL, first, last)


def _reach(unit: Unit, comment: Written) -> tuple[int, int]:
    """The lines that a comment speaks of: its own, or the next one with anything on it when it stands alone.

    A comment outside the prompts speaks of the whole string, or in a program the whole statement, that begins, goes on
    or ends there: inside a string no comment can stand.
    """
    first, last = lines(unit.source, comment.span)
    if is_alone(unit, comment.span):
        first = last = _next_line(unit, last)
    if comment.inside:
        return first, last
    around = [(head, end) for head, end in _wholes(unit) if head <= first <= end]
    return min(around, key=lambda each: each[1] - each[0], default=(first, last))


def _next_line(unit: Unit, line: int) -> int:
    """The next line that holds anything but another such comment."""
    source, total = unit.source, len(unit.source.line_starts())
    taken = {
        number
        for each in written(unit)
        if is_alone(unit, each.span)
        for number in range(lines(source, each.span)[0], lines(source, each.span)[1] + 1)
    }
    for number in range(line + 1, total + 1):
        if number not in taken and source.line(number).strip():
            return number
    return line


def _wholes(unit: Unit) -> Iterator[tuple[int, int]]:
    """First and last line of each string that is a prompt's text, with the line that announces it; or statement."""
    if unit.module is not None:
        yield from (lines(unit.source, span) for span in statements(unit.module.body))
    for prompt in unit.prompts:
        for message in prompt.messages:
            pieces = message.template.pieces
            if pieces:
                first, last = lines(unit.source, Span(pieces[0].span.start, pieces[-1].span.end))
                announced = first > 1 and _CONTINUES.search(_code(unit, first - 1))
                yield first - 1 if announced else first, last


def _code(unit: Unit, number: int) -> str:
    """A line without such a comment at its end."""
    start = unit.source.line_starts()[number - 1]
    line = unit.source.line(number)
    ends = [each.span.start - start for each in written(unit) if start <= each.span.start < start + len(line)]
    return line[: min(ends, default=len(line))]
