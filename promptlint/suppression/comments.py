"""What a comment asks for, and which findings it hides."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from promptlint.data import unknown
from promptlint.finding import Finding
from promptlint.source import Place
from promptlint.suppression.reach import Reach, lines
from promptlint.suppression.syntax import Written, written
from promptlint.unit import Unit

_ASKED = re.compile(r"(?P<verb>[\w-]*)[ \t]*(?:\[(?P<names>[^\]\n]*)\])?(?P<reason>.*)")
_ONE, _ALL = "ignore", "ignore-file"


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


class Asked:
    """What the comments of one file ask for. Finds those that hide a finding by its lines."""

    def __init__(self, every: Iterable[Comment | Mistake]) -> None:
        self.every = tuple(every)
        self._whole: list[Comment] = []
        self._on_line: dict[int, list[Comment]] = {}
        for each in self.every:
            if isinstance(each, Mistake):
                continue
            if each.whole:
                self._whole.append(each)
                continue
            own, _ = lines(each.place.source, each.place.span)
            for number in {own, *range(each.first, each.last + 1)}:
                self._on_line.setdefault(number, []).append(each)

    def hiding(self, finding: Finding) -> set[Comment]:
        """The comments that speak of the finding's rule and place."""
        first, last = lines(finding.place.source, finding.place.span)
        beside = (each for number in range(first, last + 1) for each in self._on_line.get(number, ()))
        return {each for each in (*self._whole, *beside) if each.hides(finding)}


def comments(unit: Unit, known: Collection[str], *, require_reason: bool = False) -> Iterator[Comment | Mistake]:
    """What the comments of a file ask for; `known` are the names of rules."""
    found = written(unit)
    reach = Reach(unit, found)
    for each in found:
        yield _asked(unit, each, reach, known, require_reason)


def _asked(
    unit: Unit, comment: Written, reach: Reach, known: Collection[str], require_reason: bool
) -> Comment | Mistake:
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
    first, last = reach.of(comment)
    return Comment(place, tuple(dict.fromkeys(names)), reason, asked["verb"] == _ALL, first, last)
