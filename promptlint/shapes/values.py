"""The values in a text that look like something that changes."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from time import monotonic

from promptlint.events import Confidence, Event
from promptlint.shapes.code import covers, fences
from promptlint.shapes.nearby import Folded
from promptlint.shapes.silence import lowered
from promptlint.shapes.table import Row, compiled, rows

MATCHING, JUDGING = 0.35, 0.2
"""Seconds for one text: to find what matches, and to judge its surroundings. A prompt of 20,000 characters takes a
hundredth of them; the limits are there for texts that are made to take long."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A stretch `text[start:end]` that looks like a value of this kind.

    `name` is the row of `rules/data/shapes.toml`. The confidence is MEDIUM at most; LOW where such a value is as
    likely to stay the same (a bare date, a hash of the length of a commit's).
    """

    kind: str
    events: frozenset[Event]
    confidence: Confidence
    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Match:
    """What a row matched: the value's span, and where the key before it begins."""

    row: Row
    begin: int
    start: int
    end: int


def shapes_in(text: str) -> tuple[Shape, ...]:
    """The shapes in a text that was sent, in order, apart from each other.

    Where two overlap, the longer one stays, of two equally long ones the one that says more. Silent are fenced
    code blocks, values that are called an example or a format, placeholders that documentation uses, times of a
    line of a log, and numbers under a condition. Which section a text stands in is for the caller to judge.
    A text on which the patterns take longer than the limits gives what was found until then.
    """
    blocks = fences(text)
    shapes: list[tuple[Shape, str]] = []
    values: dict[str, set[str]] = defaultdict(set)
    found = apart(matches(text))
    until = monotonic() + JUDGING
    for match in found:
        row = match.row
        if monotonic() > until:
            break
        if covers(blocks, match.start):
            continue
        confidence = lowered(row, text, match.begin, match.start, match.end)
        if confidence is not None:
            counted = text[match.begin : match.start].strip(" :=#").casefold() if row.enumerates else ""
            shapes.append((Shape(row.kind, row.events, confidence, match.start, match.end, row.name), counted))
            values[counted].add(text[match.start : match.end])
    return tuple(shape for shape, counted in shapes if not counted or len(values[counted]) == 1)


def matches(text: str) -> list[Match]:
    """Whatever the rows match, overlaps included, wherever it stands."""
    folded, until = Folded(text), monotonic() + MATCHING
    found: list[Match] = []
    try:
        for row in rows():
            found.extend(_matches(row, text, folded, until))
    except TimeoutError:
        pass
    return found


def apart(found: Iterable[Match]) -> list[Match]:
    """Matches that do not overlap, in order: longer ones first, and of equally long ones the earlier row."""
    ranks = {row.name: rank for rank, row in enumerate(rows())}
    kept: list[Match] = []
    for match in sorted(found, key=lambda match: (match.start - match.end, ranks[match.row.name], match.start)):
        at = bisect(kept, match.start, key=lambda other: other.start)
        if (at == 0 or kept[at - 1].end <= match.start) and (at == len(kept) or kept[at].start >= match.end):
            kept.insert(at, match)
    return kept


def _matches(row: Row, text: str, folded: Folded, until: float) -> Iterator[Match]:
    for start, end in folded.windows(row):
        left = until - monotonic()
        if left <= 0:
            raise TimeoutError
        for match in compiled(row.pattern).finditer(text, start, end, timeout=left):
            span = match.span("value") if "value" in match.re.groupindex else match.span()
            yield Match(row, match.start(), *span)
