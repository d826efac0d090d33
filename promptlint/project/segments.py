"""Written pieces as segments: with lifetimes, and with the parts that their own kind or their section says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from promptlint.events import FIXED, Cause, Confidence, Event, Evidence, Lifetime
from promptlint.expression import Attribute, Bound, Call, Choice, Expression, Join, Kept, Slot
from promptlint.lifetimes.classify import Classifier, Declared
from promptlint.lifetimes.table import Table
from promptlint.project.parts import Part
from promptlint.project.write import Gate
from promptlint.prompt import Field, Guard, GuardKind, Section, Segment
from promptlint.source import Place, Source, Span, alignment

_SECTION_OF_KIND = {
    "history": Section.HISTORY,
    "retrieval": Section.RETRIEVED,
    "input": Section.USER,
    "tools": Section.TOOLS,
}

_DEFAULT_EVENTS = {
    Section.SYSTEM: Event.DEPLOY,
    Section.TOOLS: Event.DEPLOY,
    Section.EXAMPLES: Event.DEPLOY,
    Section.HISTORY: Event.SESSION,
    Section.RETRIEVED: Event.TURN,
    Section.USER: Event.TURN,
}

_SAMPLES = (Section.HISTORY, Section.RETRIEVED, Section.USER)
"""Sections whose text, in a request that was sent, is one of many: it takes the default of its section."""


class Segmenter:
    """Turns the parts of one prompt into segments. In a rendered request literals are samples.

    `table` says what values are; None stands for the tables that come with promptlint.
    """

    def __init__(self, declared: Mapping[str, Declared], table: Table | None = None, *, rendered: bool) -> None:
        self._classifier, self._rendered = Classifier(declared, table), rendered
        self._guards: dict[tuple[int, int], Guard] = {}

    def segments(self, parts: Sequence[Part]) -> list[Segment]:
        plain = [segment for part in parts for segment in self._segments(part)]
        if any(_is_request_input(segment) for segment in plain) and not any(part.said for part in parts):
            # One text that holds the question is the user's message, whatever else stands in it.
            plain = [_in_user_message(segment) for segment in plain]
        return [_with_default(segment, rendered=self._rendered) for segment in plain]

    def _segments(self, part: Part) -> Iterator[Segment]:
        written = part.written
        lifetime = FIXED
        if written.expression is not None:
            lifetime = self._classifier.lifetime(written.expression, written.source)
        segment = Segment(
            section=part.section,
            field=part.field,
            message=part.message,
            lifetime=lifetime,
            place=Place(written.source, written.span),
            text=written.text,
            expression=written.expression,
            guards=tuple(self._guard(gate) for gate in written.gates),
            assumed=not part.said,
            whole=part.whole,
            role=part.role,
        )
        if self._rendered and segment.text is not None and segment.section is Section.SYSTEM:
            yield from _by_shapes(segment, segment.text)
        else:
            yield segment if self._is_of_a_history(segment) else _as_its_kind_says(segment)

    def _is_of_a_history(self, segment: Segment) -> bool:
        """Whether a value is unseen and was once made of a conversation: an answer is not the conversation."""
        main, written = segment.lifetime.main, segment.expression
        if segment.lifetime.known or segment.lifetime.growing or main is None or written is None or not segment.place:
            return False
        return main.kind == "history" and not self._shows_history(written, segment.place.source)

    def _shows_history(self, value: Expression, source: Source) -> bool:
        """Whether a value is what one function, seen or not, makes of the conversation itself."""
        match value:
            case Bound(value=of, source=own):
                return self._shows_history(of, own)
            case Slot(of=of) | Kept(of=of):
                return self._shows_history(of, source)
            case Join(parts=parts) | Choice(options=parts):
                return any(self._shows_history(part, source) for part in parts)
            case Call(function=function, arguments=arguments, keywords=keywords):
                owner = (function.of,) if isinstance(function, Attribute) else ()
                given = (*owner, *arguments, *(each for _, each in keywords))
                return any(self._classifier.lifetime(each, source).growing for each in given)
        return self._classifier.lifetime(value, source).growing

    def _guard(self, gate: Gate) -> Guard:
        known = self._guards.get((gate.group, gate.arm))
        if known is None:
            of = self._classifier
            classify = of.walk if gate.kind is GuardKind.LOOP else of.condition
            lifetime = classify(gate.test, gate.source)
            known = Guard(gate.kind, gate.group, gate.arm, lifetime, Place(gate.source, gate.span), gate.test)
            self._guards[gate.group, gate.arm] = known
        return known


def _by_shapes(segment: Segment, text: str) -> Iterator[Segment]:
    """A sample's text cut where it looks like a value that changes."""
    from promptlint.shapes import shapes_in

    place = segment.place
    offsets = alignment(place.text, text) if place is not None else None
    if place is None or offsets is None:
        yield segment
        return

    def piece(start: int, end: int, lifetime: Lifetime = FIXED) -> Segment:
        span = Span(place.span.start + offsets[start], place.span.start + offsets[end])
        return replace(segment, text=text[start:end], place=Place(place.source, span), lifetime=lifetime)

    at = 0
    for shape in shapes_in(text):
        if at < shape.start:
            yield piece(at, shape.start)
        found = piece(shape.start, shape.end)
        what = f"`{text[shape.start : shape.end]}`"
        cause = Cause(shape.kind, shape.events, Evidence.SHAPE, shape.confidence, what, found.place)
        yield piece(shape.start, shape.end, Lifetime((cause,)))
        at = shape.end
    if at < len(text) or not text:
        yield piece(at, len(text))


def _as_its_kind_says(segment: Segment) -> Segment:
    """History, retrieved text, tools and the question play their own part wherever they stand."""
    if segment.whole or segment.field is Field.TOOLS:
        return segment
    if any(guard.kind is GuardKind.LOOP and guard.lifetime.growing for guard in segment.guards):
        return replace(segment, section=Section.HISTORY, assumed=False)
    loops = [guard.lifetime for guard in segment.guards if guard.kind is GuardKind.LOOP]
    main = next((lifetime.main for lifetime in (*loops, segment.lifetime) if lifetime.main is not None), None)
    section = _SECTION_OF_KIND.get(main.kind) if main is not None else None
    if section is Section.TOOLS and segment.section is Section.HISTORY:
        return segment  # what a tool was called with and gave back
    return segment if section is None else replace(segment, section=section)


def _is_request_input(segment: Segment) -> bool:
    main = segment.lifetime.main
    return main is not None and main.kind == "input"


def _in_user_message(segment: Segment) -> Segment:
    section = Section.USER if segment.section is Section.SYSTEM else segment.section
    return replace(segment, section=section, field=Field.MESSAGES)


def _with_default(segment: Segment, *, rendered: bool) -> Segment:
    """A hole about which nothing is known takes the default of a section that the file names; so does a sample."""
    sample = rendered and segment.section in _SAMPLES
    known = segment.lifetime.known and not sample
    if known or segment.assumed or segment.lifetime.causes or (segment.text is not None and not sample):
        return segment
    event = _DEFAULT_EVENTS.get(segment.section)
    if event is None or segment.place is None:
        return segment
    what = f"`{segment.place.text}`"
    cause = Cause("unknown", frozenset({event}), Evidence.SECTION, Confidence.LOW, what, segment.place)
    return replace(segment, lifetime=Lifetime((cause,), growing=segment.section is Section.HISTORY))
