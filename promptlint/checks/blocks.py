"""A request's blocks and breakpoints in the order in which the provider reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor

from promptlint.layout.appraisal import Appraisal
from promptlint.layout.horizons import is_history
from promptlint.prompt import Field, GuardKind, Marker, Section, Segment
from promptlint.source import Place, Span

_SMALL = frozenset({"clock", "date", "id", "identity", "tenant", "session", "counter", "choice"})
"""Kinds of value that take a few tokens whatever they are; the size of the others is only assumed."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A breakpoint with its place in the order: it stands behind the first `end` segments of `Blocks.order`."""

    marker: Marker
    end: int


class Blocks:
    """The segments in the provider's order (its first, where there are several), and the breakpoints among them."""

    def __init__(self, appraisal: Appraisal) -> None:
        self.appraisal = appraisal
        self.segments = appraisal.prompt.segments
        ranks = {field: rank for rank, field in enumerate(appraisal.provider.orders[0])}
        self.order = sorted(range(len(self.segments)), key=lambda at: ranks[self.segments[at].field.value])
        ends = {segment: position + 1 for position, segment in enumerate(self.order)}
        marks = [Mark(marker, ends.get(marker.after, 0)) for marker in appraisal.prompt.markers]
        self.marks = sorted(marks, key=lambda mark: (mark.end, mark.marker.place.span))

    def within(self, start: int, end: int) -> list[Segment]:
        """The segments from one position of the order to another."""
        return [self.segments[at] for at in self.order[start:end]]

    def tokens(self, start: int, end: int) -> int:
        """Tokens between two positions of the order, by the appraisal's counter."""
        each = self.appraisal.tokens()
        return sum(each[at] for at in self.order[start:end])

    def band(self, tokens: int) -> tuple[int, int]:
        """The fewest and the most that so many counted tokens can be for the model."""
        counter = self.appraisal.counter
        return floor(tokens / counter.ratio * counter.low), ceil(tokens / counter.ratio * counter.high)

    def said(self, tokens: int) -> str:
        """A count with what kind of number it is: "812 tokens", "about 812 tokens (670 to 990)"."""
        low, high = self.band(tokens)
        return f"{tokens:,} tokens" if low == high else f"about {tokens:,} tokens ({low:,} to {high:,})"

    def stable_until(self) -> int:
        """How many segments of the order come before the first that changes, or about which too little is known."""
        for position, at in enumerate(self.order):
            if not is_stable(self.segments[at]):
                return position
        return len(self.order)

    def is_last(self, mark: Mark) -> bool:
        """Whether nothing but blanks is sent behind a breakpoint."""
        return all(
            segment.text is not None and not segment.text.strip() for segment in self.within(mark.end, len(self.order))
        )

    def is_one_call(self) -> bool:
        """Whether the prompt is the template of a request that no other call of a conversation follows."""
        prompt = self.appraisal.prompt
        told = any(is_history(each) or each.section is Section.HISTORY for each in prompt.segments)
        return (
            prompt.complete
            and not prompt.rendered
            and not told
            and all(segment.field is not Field.TOOLS for segment in prompt.segments)
        )


def is_stable(segment: Segment) -> bool:
    """Literal text, or a value that is known to change with a release at most; not the conversation's own."""
    if segment.section in (Section.HISTORY, Section.USER, Section.RETRIEVED) or not segment.lifetime.known:
        return False
    changing = [segment.lifetime, *(guard.lifetime for guard in segment.guards)]
    return all(event.value == "deploy" for lifetime in changing for event in lifetime.events)


def has_known_size(segments: Sequence[Segment]) -> bool:
    """Whether the segments take about as many tokens as they are counted for, whatever is filled in."""
    for segment in segments:
        if any(guard.kind is GuardKind.LOOP for guard in segment.guards):
            return False
        main = segment.lifetime.main
        if segment.text is None and segment.size is None and (main is None or main.kind not in _SMALL):
            return False
    return True


def last_line(segments: Sequence[Segment]) -> Place | None:
    """The last line that is not blank among the segments."""
    for segment in reversed(segments):
        place = segment.place
        if place is None or (segment.text is not None and not segment.text.strip()):
            continue
        text, span = place.text, place.span
        end = len(text.rstrip())
        start = max(text.rfind("\n", 0, end), text.rfind("\\n", 0, end) + 1 if "\\n" in text[:end] else -1) + 1
        return Place(place.source, Span(span.start + start, span.start + end))
    return None


def positions(segments: Sequence[Segment]) -> Iterator[Segment]:
    """One segment for each position that a look-back counts: a run of tool calls, or of their results, is one."""
    before: tuple[object, ...] | None = None
    for segment in segments:
        run = _run(segment)
        now = (run,) if run else (segment.field, segment.message)
        if now != before:
            yield segment
        before = now


def _run(segment: Segment) -> str | None:
    text = (segment.text or "").strip()
    if segment.role == "tool":
        return "results"
    return "calls" if segment.role == "assistant" and text.startswith("{") and text.endswith("}") else None
