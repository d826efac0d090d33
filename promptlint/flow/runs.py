"""Literals in a row, read as the one text that they write: a hole may begin in one and end in another."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

from promptlint.expression import Expression, Literal
from promptlint.source import Source, Span, alignment


class Run:
    """The text of literals that stand one behind the other in a source."""

    def __init__(self, literals: Sequence[Literal], source: Source) -> None:
        self._literals, self._source = literals, source
        self._starts = list(accumulate((len(str(each.value)) for each in literals), initial=0))
        self._offsets: dict[int, Sequence[int] | None] = {}
        self.text = "".join(str(each.value) for each in literals)

    @property
    def whole(self) -> Span:
        """Where all of it stands."""
        return Span(self._literals[0].span.start, self._literals[-1].span.end)

    def literals(self, start: int, end: int) -> Iterator[Literal]:
        """The text between two of its characters, as literals of the source."""
        for number, literal in enumerate(self._literals):
            first = max(start - self._starts[number], 0)
            last = min(end, self._starts[number + 1]) - self._starts[number]
            if first < last:
                whole = last - first == len(str(literal.value))
                text = str(literal.value)[first:last]
                yield literal if whole else Literal(text, Span(self._start(number, first), self._end(number, last)))

    def span(self, start: int, end: int) -> Span:
        """Where the text between two of its characters stands; all of a literal that is written otherwise."""
        if not self._literals:
            return Span(0, 0)
        first = min(bisect_right(self._starts, start) - 1, len(self._literals) - 1)
        begin = self._start(first, start - self._starts[first])
        if start >= end:
            return Span(begin, begin)
        last = bisect_right(self._starts, end - 1) - 1
        return Span(begin, self._end(last, end - self._starts[last]))

    def _start(self, number: int, at: int) -> int:
        offsets, span = self._aligned(number), self._literals[number].span
        return span.start if offsets is None else span.start + offsets[at]

    def _end(self, number: int, at: int) -> int:
        offsets, span = self._aligned(number), self._literals[number].span
        return span.end if offsets is None else span.start + offsets[at]

    def _aligned(self, number: int) -> Sequence[int] | None:
        if number not in self._offsets:
            literal = self._literals[number]
            self._offsets[number] = alignment(self._source.slice(literal.span), str(literal.value))
        return self._offsets[number]


def in_runs(parts: Sequence[Expression]) -> Iterator[list[Expression]]:
    """Parts of a text, with literals in a row together; anything else alone."""
    for is_run, group in groupby(parts, _is_text):
        if is_run:
            yield list(group)
        else:
            yield from ([part] for part in group)


def _is_text(part: Expression) -> bool:
    return isinstance(part, Literal) and isinstance(part.value, str)
