"""Reuse of a prompt now and at best, and what each culprit costs, through the one function `reuse`."""

from __future__ import annotations

from functools import cached_property

from promptlint.layout.appraisal import Culprit, Layout, Price
from promptlint.layout.boundaries import Boundary, boundaries
from promptlint.layout.reading import Reading
from promptlint.providers.reuse import reuse

Written = tuple[int, int]
"""A boundary: its tokens, and its positions before the next marker."""


class Loss:
    """The figures of one reading."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    @cached_property
    def _boundaries(self) -> tuple[tuple[Boundary, ...], str]:
        """Boundaries behind so many chunks, and who says so."""
        reading = self._reading
        last = {chunk.segment: index + 1 for index, chunk in enumerate(reading.chunks)}
        return boundaries(reading.sheet.prompt, reading.provider, last)

    def _written(self, moved: int) -> list[Written]:
        """The boundaries above the place where reuse ends."""
        reading = self._reading
        stop = reading.stops[moved]
        return [(reading.kept[each.end], each.back) for each in self._boundaries[0] if each.end <= stop]

    def _reuse(self, prefix: int, written: list[Written]) -> tuple[int, int]:
        reading = self._reading
        within = [(tokens, back) for tokens, back in written if 0 < tokens <= reading.total]
        return reuse(
            reading.total,
            min(prefix, reading.total),
            [tokens for tokens, _ in within],
            reading.provider,
            model=reading.sheet.model,
            positions=[back for _, back in within],
        )

    @cached_property
    def _reached(self) -> list[tuple[int, int]]:
        """Reusable tokens once the first k moves stand last, for each k; a move that wins nothing need not be made."""
        found = [self._reuse_after(0)]
        for moved in range(1, len(self._reading.moves) + 1):
            low, high = self._reuse_after(moved)
            found.append((max(low, found[-1][0]), max(high, found[-1][1])))
        return found

    def _reuse_after(self, moved: int) -> tuple[int, int]:
        """Reusable tokens after the first moves; a marker may then be set where the stable text ends."""
        return self._marked(moved) if moved else self._reuse(self._reading.common_prefix(0), self._written(0))

    def _marked(self, moved: int) -> tuple[int, int]:
        """The same with a marker where the stable text ends, for providers that take markers."""
        prefix, written = self._reading.common_prefix(moved), self._written(moved)
        if self._reading.provider.max_breakpoints:
            written.append((prefix, 0))
        return self._reuse(prefix, written)

    @cached_property
    def layout(self) -> Layout:
        reading = self._reading
        now, moved, marked = self._reached[0], self._reached[-1], self._marked(len(reading.moves))
        best = max(moved[0], marked[0]), max(moved[1], marked[1])
        known = self._reuse(reading.common_prefix_of_known(), self._written(0))
        stop = reading.stops[0]
        at_end = stop >= len(reading.chunks)
        return Layout(
            provider=reading.provider,
            order=reading.order,
            horizon=reading.over,
            total=reading.total,
            now=now,
            now_at_least=(min(known[0], now[0]), min(known[1], now[1])),
            best=best,
            boundaries=self._boundaries[1],
            end=len(reading.sheet.prompt.segments) if at_end else reading.chunks[stop].segment,
        )

    def price(self, culprit: Culprit) -> Price:
        """What one culprit costs: see docs/design.md, "blocked" and "step"."""
        blocked, _ = self._reading.stable_after(culprit.segments)
        rank = self._reading.rank_of(culprit.segments)
        if rank is None:
            return Price(culprit, 0, (0, 0))
        if blocked and self._boundaries[0]:
            alone = self._reading.common_prefix(rank)
            blocked += alone - max((tokens for tokens, _ in self._written(rank) if tokens <= alone), default=0)
        before, after = self._reached[rank], self._reached[rank + 1]
        return Price(culprit, blocked, (after[0] - before[0], after[1] - before[1]))
