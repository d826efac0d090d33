"""One provider reading a prompt in one order at one horizon: what lives, what moves, what may be reused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from promptlint.events import Event
from promptlint.layout.appraisal import Horizon
from promptlint.layout.chunks import Chunk
from promptlint.layout.horizons import breaks, changes_by_itself, is_history, is_known, survives
from promptlint.prompt import Field, GuardKind, Prompt, Section, Segment
from promptlint.providers.registry import Provider
from promptlint.tokens.counter import Counter
from promptlint.tokens.vocabulary import load

Move = tuple[str, int]
"""What moves together: a line, or all that a changing loop or condition writes."""

_TAIL = 400
"""Characters before a cut that decide how its last tokens are cut; pre-tokens are far shorter."""
_MOST_CHUNKS_BACK = 200

_FRAMING = re.compile(
    r"(?:\s*(?:<\|[^|<>\n]{1,40}\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>)\s*(?:system|user|assistant|model|tool)?)+\s*"
)
"""Special tokens of chat templates and role names after them."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A prompt's chunks with what decides their order; `arms` is the arm taken of each branch."""

    prompt: Prompt
    chunks: tuple[Chunk, ...]
    arms: dict[int, int]
    counter: Counter
    model: str | None = None


class Reading:
    """The sheet's chunks in render order, with what one pass over them tells.

    `moves` ranks the moves that hold culprits, in order; `stops[k]` is the chunk where reuse ends once the first k of
    them stand last (`barrier` once all do). `kept[i]` are the tokens before chunk i that stay in place once the moves
    met before it have moved, `live[i]` those that survive where they stand.
    """

    def __init__(self, sheet: Sheet, provider: Provider, order: tuple[str, ...], over: Horizon) -> None:
        self.sheet, self.provider, self.order, self.over = sheet, provider, order, over
        taken = [chunk for chunk in sheet.chunks if self._is_taken(self.segment(chunk))]
        ranks = {field: rank for rank, field in enumerate(order)}
        self.chunks = sorted(taken, key=lambda chunk: ranks.get(self.segment(chunk).field.value, len(ranks)))
        self.total = sum(chunk.tokens for chunk in self.chunks)
        self._lives = [survives(self.segment(chunk), over) for chunk in self.chunks]
        self._move = [self._move_of(chunk) for chunk in self.chunks]
        self.barrier = self._barrier()
        self.moves: dict[Move, int] = {}
        self.stops: list[int] = []
        for index in range(self.barrier):
            if not self._lives[index] and self._move[index] not in self.moves:
                self.moves[self._move[index]] = len(self.moves)
                self.stops.append(index)
        self.stops.append(self.barrier)
        self.kept, self.live = self._sums()

    def segment(self, chunk: Chunk) -> Segment:
        return self.sheet.prompt.segments[chunk.segment]

    def _is_taken(self, segment: Segment) -> bool:
        return all(self.sheet.arms.get(guard.group, guard.arm) == guard.arm for guard in segment.guards)

    def _move_of(self, chunk: Chunk) -> Move:
        for guard in self.segment(chunk).guards:
            if breaks(guard, self.over):
                return ("group", guard.group)
        return ("line", chunk.line)

    def _barrier(self) -> int:
        """How many chunks can be reused in place at all: up to the history, or with it while it only grows.

        Inside a conversation the newest user turn stands behind what was sent: none of it is reused in place.
        """
        seen = False
        limit = self._newest_turn() if Event.SESSION not in self.over.events else len(self.chunks)
        for index, chunk in enumerate(self.chunks[:limit]):
            history = is_history(self.segment(chunk))
            ends = history and not self._lives[index] and not changes_by_itself(self.segment(chunk))
            if ends or (seen and not history):
                return index
            seen = seen or history
        return limit

    def _newest_turn(self) -> int:
        """Where the last run of messages that the file says are the user's begins."""
        start = len(self.chunks)
        for index in range(len(self.chunks) - 1, -1, -1):
            segment = self.segment(self.chunks[index])
            said = segment.field is Field.MESSAGES and not segment.assumed
            if said and segment.section is not Section.HISTORY and segment.section.rank >= Section.RETRIEVED.rank:
                start = index
            elif start < len(self.chunks):
                break
        return start

    def _sums(self) -> tuple[list[int], list[int]]:
        kept, live = [0], [0]
        staying: dict[Move, int] = {}
        met: set[Move] = set()
        for index in range(self.barrier):
            move, tokens, stays = self._move[index], self.chunks[index].tokens, kept[index]
            if not self._lives[index]:
                if move not in met:
                    met.add(move)
                    stays -= staying.pop(move, 0)
                tokens = 0
            elif move not in met:
                stays += tokens
                if move in self.moves:
                    staying[move] = staying.get(move, 0) + tokens
            kept.append(stays)
            live.append(live[index] + tokens)
        return kept, live

    @cached_property
    def first_of(self) -> dict[int, int]:
        """The first chunk of each segment."""
        first: dict[int, int] = {}
        for index, chunk in enumerate(self.chunks):
            first.setdefault(chunk.segment, index)
        return first

    @cached_property
    def _stable_from(self) -> tuple[list[int], list[int]]:
        """For each chunk the tokens of stable text from it on, and the next stable chunk."""
        tokens, following = [0], [len(self.chunks)]
        for index in range(self.barrier - 1, -1, -1):
            chunk = self.chunks[index]
            counts = self._move[index] not in self.moves and _is_worth_reusing(chunk, self.segment(chunk))
            tokens.append(tokens[-1] + (chunk.tokens if counts else 0))
            following.append(index if counts else following[-1])
        return tokens[::-1], following[::-1]

    def stable_after(self, segments: Sequence[int]) -> tuple[int, Chunk | None]:
        """Stable tokens that are fresh while the segments change, and the first chunk of them."""
        at = min((self.first_of[segment] for segment in segments if segment in self.first_of), default=self.barrier)
        if at >= self.barrier:
            return 0, None
        tokens, following = self._stable_from
        return tokens[at], self.chunks[following[at]] if following[at] < len(self.chunks) else None

    def reaches(self, segments: Sequence[int]) -> bool:
        """Whether any of the segments stands where requests share their text at all."""
        return any(self.first_of.get(segment, self.barrier) < self.barrier for segment in segments)

    def rank_of(self, segments: Sequence[int]) -> int | None:
        """Which of the moves holds the segments; None when they are out of reach."""
        indices = (self.first_of[segment] for segment in segments if segment in self.first_of)
        return next((rank for at in indices if (rank := self.moves.get(self._move[at])) is not None), None)

    def common_prefix(self, moved: int) -> int:
        """Tokens of the longest common prefix once the first `moved` moves stand last."""
        stop = self.stops[moved]
        return max(0, self.kept[stop] - (self._unsafe(stop, moved) if stop < self.barrier else 0))

    def common_prefix_of_known(self) -> int:
        """The same with nothing moved, when values about which nothing is known do not survive either."""
        unknown = (index for index in range(self.stops[0]) if not is_known(self.segment(self.chunks[index])))
        stop = next(unknown, self.stops[0])
        return max(0, self.live[stop] - (self._unsafe(stop, 0) if stop < self.barrier else 0))

    def _unsafe(self, stop: int, moved: int) -> int:
        """Tokens before a cut inside a message that another continuation could cut differently."""
        here, text = self.segment(self.chunks[stop]), ""
        for index in range(stop - 1, max(-1, stop - _MOST_CHUNKS_BACK), -1):
            other = self.segment(self.chunks[index])
            if (other.field, other.message) != (here.field, here.message) or len(text) >= _TAIL:
                break
            if self.moves.get(self._move[index], moved) >= moved:
                text = self.chunks[index].text + text
        if not text:
            return 0
        vocabulary, text = load(self.sheet.counter.vocabulary), text[-_TAIL:]
        return self.sheet.counter.scale(vocabulary.count(text) - vocabulary.stable_prefix(text))


def _is_worth_reusing(chunk: Chunk, segment: Segment) -> bool:
    """Text that is known to stay, and more than blanks and the marks between messages.

    A transcript that a user's message quotes may be another one each time: only its name says that it grows.
    """
    quoted = segment.field is Field.MESSAGES and not segment.assumed and not segment.whole
    if segment.expression is not None and is_history(segment) and quoted:
        return False
    return is_known(segment) and bool(chunk.text.strip()) and not _FRAMING.fullmatch(chunk.text)


def with_arms_of(sheet: Sheet, segments: Sequence[int]) -> Sheet:
    """The sheet on the path that reaches a segment: its own arm of each branch it stands in."""
    guards = sheet.prompt.segments[segments[0]].guards
    own = {guard.group: guard.arm for guard in guards if guard.kind is GuardKind.BRANCH or guard.arm}
    reached = all(sheet.arms.get(group) == arm for group, arm in own.items())
    return sheet if reached else replace(sheet, arms={**sheet.arms, **own})
