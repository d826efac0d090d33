"""Reuse of a prompt now and at best, and what each culprit costs, through the one function `reuse`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from promptlint.layout.appraisal import Culprit, Horizon, Layout, Price
from promptlint.layout.chunks import Chunk
from promptlint.layout.horizons import breaks, is_history, is_known, survives
from promptlint.prompt import GuardKind, Prompt, Segment
from promptlint.providers.registry import Provider
from promptlint.providers.reuse import reuse
from promptlint.tokens.counter import Counter
from promptlint.tokens.vocabulary import load

_TAIL = 400
"""Characters before a cut that decide how its last tokens are cut; pre-tokens are far shorter."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A prompt's chunks with what decides their order; `arms` is the arm taken of each branch."""

    prompt: Prompt
    chunks: tuple[Chunk, ...]
    arms: dict[int, int]
    counter: Counter
    model: str | None = None


class Reading:
    """One provider reading the sheet in one order at one horizon."""

    def __init__(self, sheet: Sheet, provider: Provider, order: tuple[str, ...], over: Horizon) -> None:
        self.sheet, self.provider, self.order, self.over = sheet, provider, order, over
        taken = [chunk for chunk in sheet.chunks if self._is_taken(self._segment(chunk))]
        ranks = {field: rank for rank, field in enumerate(order)}
        self.chunks = sorted(taken, key=lambda chunk: ranks.get(self._segment(chunk).field.value, len(ranks)))
        self.total = sum(chunk.tokens for chunk in self.chunks)
        self.barrier = self._barrier()
        dead = [chunk for chunk in self.chunks[: self.barrier] if not self._lives(chunk)]
        self.moves = list(dict.fromkeys(self.move_of(chunk) for chunk in dead))

    def _segment(self, chunk: Chunk) -> Segment:
        return self.sheet.prompt.segments[chunk.segment]

    def _is_taken(self, segment: Segment) -> bool:
        return all(self.sheet.arms.get(guard.group, guard.arm) == guard.arm for guard in segment.guards)

    def _lives(self, chunk: Chunk) -> bool:
        return survives(self._segment(chunk), self.over)

    def _barrier(self) -> int:
        """How many chunks can be reused in place at all: up to the history, or with it while it only grows."""
        seen = False
        for index, chunk in enumerate(self.chunks):
            history = is_history(self._segment(chunk))
            if history and not self._lives(chunk):
                return index
            if seen and not history:
                return index
            seen = seen or history
        return len(self.chunks)

    def move_of(self, chunk: Chunk) -> tuple[str, int]:
        """What moves together: a line, or all that a changing loop or condition writes."""
        for guard in self._segment(chunk).guards:
            if breaks(guard, self.over):
                return ("group", guard.group)
        return ("line", chunk.line)

    def common_prefix(self, moved: frozenset[tuple[str, int]], only_known: bool = False) -> tuple[int, int]:
        """Tokens of the longest common prefix once `moved` stand last, and the chunk where it ends."""
        tokens = 0
        for index, chunk in enumerate(self.chunks[: self.barrier]):
            if self.move_of(chunk) in moved:
                continue
            if not self._lives(chunk) or (only_known and not is_known(self._segment(chunk))):
                return max(0, tokens - self._unsafe(index, moved)), index
            tokens += chunk.tokens
        return tokens, self.barrier

    def _unsafe(self, index: int, moved: frozenset[tuple[str, int]]) -> int:
        """Tokens before a cut inside a message that another continuation could cut differently."""
        here, text = self._segment(self.chunks[index]), ""
        for chunk in reversed(self.chunks[:index]):
            other = self._segment(chunk)
            if (other.field, other.message) != (here.field, here.message) or len(text) >= _TAIL:
                break
            if self.move_of(chunk) not in moved:
                text = chunk.text + text
        if not text:
            return 0
        vocabulary, text = load(self.sheet.counter.vocabulary), text[-_TAIL:]
        return self.sheet.counter.scale(vocabulary.count(text) - vocabulary.stable_prefix(text))

    def boundaries(self, moved: frozenset[tuple[str, int]]) -> tuple[list[int], str]:
        """Token positions of the boundaries that an earlier request wrote, and where they come from."""
        if self.provider.match not in ("boundary", "object"):
            return [], "none"
        markers = {marker.after for marker in self.sheet.prompt.markers}
        ends: dict[str, int] = {}
        marked: dict[int, int] = {}
        tokens = history = 0
        for chunk in self.chunks:
            if self.move_of(chunk) in moved:
                continue
            tokens += chunk.tokens
            ends[self._segment(chunk).field.value] = tokens
            if chunk.segment in markers:
                marked[chunk.segment] = tokens
            if is_history(self._segment(chunk)):
                history = tokens
        if marked:
            return sorted(marked.values()), "source"
        places = self.provider.automatic or ("tools", "system", "message")
        found = {ends[field] for field in ("tools", "system") if field in ends and field in places}
        if "message" in places:
            found.update({tokens, history} - {0})
        return sorted(found), "automatic" if self.provider.automatic else "assumed"

    def reuse(self, moved: frozenset[tuple[str, int]]) -> tuple[int, int]:
        """Reusable tokens once `moved` stand last; a marker may then be set where the stable text ends."""
        prefix, _ = self.common_prefix(moved)
        written, _ = self.boundaries(moved)
        if moved and self.provider.max_breakpoints:
            written = [*written, prefix]
        return reuse(self.total, min(prefix, self.total), written, self.provider, model=self.sheet.model)

    def layout(self) -> Layout:
        now = self.reuse(frozenset())
        at_least, _ = self.common_prefix(frozenset(), only_known=True)
        written, kind = self.boundaries(frozenset())
        low = reuse(self.total, at_least, written, self.provider, model=self.sheet.model)
        best = self.reuse(frozenset(self.moves))
        _, end = self.common_prefix(frozenset())
        segment = self.chunks[end].segment if end < len(self.chunks) else len(self.sheet.prompt.segments)
        return Layout(
            provider=self.provider,
            order=self.order,
            horizon=self.over,
            total=self.total,
            now=now,
            now_at_least=(min(low[0], now[0]), min(low[1], now[1])),
            best=(max(best[0], now[0]), max(best[1], now[1])),
            boundaries=kind,
            end=segment,
        )

    def stable_after(self, segments: Sequence[int]) -> Chunk | None:
        """The first stable chunk that is fresh while one of the segments changes; None when nothing follows."""
        mine, moves = set(segments), set(self.moves)
        seen = False
        for chunk in self.chunks[: self.barrier]:
            seen = seen or chunk.segment in mine
            if seen and chunk.text.strip() and self.move_of(chunk) not in moves:
                return chunk
        return None

    def price(self, culprit: Culprit) -> Price:
        """What one culprit costs here."""
        mine = set(culprit.segments)
        at = next((index for index, chunk in enumerate(self.chunks) if chunk.segment in mine), None)
        if at is None or at >= self.barrier:
            return Price(culprit, 0, (0, 0))
        move = self.move_of(self.chunks[at])
        moves = set(self.moves)
        stable = [chunk for chunk in self.chunks[at : self.barrier] if self.move_of(chunk) not in moves]
        blocked = sum(chunk.tokens for chunk in stable if chunk.text.strip())
        others = frozenset(moves - {move})
        alone, _ = self.common_prefix(others)
        written, _ = self.boundaries(others)
        if written and blocked:
            blocked += alone - max((boundary for boundary in written if boundary <= alone), default=0)
        before = frozenset(self.moves[: self.moves.index(move)]) if move in moves else frozenset()
        low, high = self.reuse(before)
        better = self.reuse(before | {move})
        return Price(culprit, blocked, (max(0, better[0] - low), max(0, better[1] - high)))


def with_arms_of(sheet: Sheet, segments: Sequence[int]) -> Sheet:
    """The sheet on the path that reaches a segment: its own arm of each branch it stands in."""
    guards = sheet.prompt.segments[segments[0]].guards
    own = {guard.group: guard.arm for guard in guards if guard.kind is GuardKind.BRANCH or guard.arm}
    return (
        sheet
        if all(sheet.arms.get(group) == arm for group, arm in own.items())
        else replace(sheet, arms={**sheet.arms, **own})
    )
