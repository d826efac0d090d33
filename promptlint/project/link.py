"""A prompt of a unit, followed through the project into segments with sections and lifetimes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from promptlint.events import FIXED, Cause, Confidence, Event, Evidence, Lifetime
from promptlint.lifetimes.classify import Declared, condition_lifetime, lifetime_of
from promptlint.project.parts import Assigner, Part
from promptlint.project.scope import File
from promptlint.project.write import Find, Gate, Writer
from promptlint.prompt import Field, Guard, GuardKind, Prompt, Section, Segment
from promptlint.sections import section_of_path
from promptlint.source import Place
from promptlint.unit import PromptSource, Unit

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


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the configuration says stands around a template, in tokens (`[request]`)."""

    tools: int = 0
    system: int = 0
    history: int = 0
    user: int = 0


def link(
    unit: Unit,
    prompt: PromptSource,
    find: Find,
    declared: Mapping[str, Declared],
    around: Surroundings | None = None,
) -> Prompt:
    """The prompt with everything that the project's files add to it."""
    source = unit.source
    writer = Writer(find)
    assigner = Assigner(lambda file: writer.used[file].template.headings, section_of_path(source.path))
    parts: list[Part] = []
    for number, message in enumerate(prompt.messages):
        if number or message.role:
            assigner.next_message(message.role)
        parts.extend(assigner.parts(writer.write(File(source, message.template))))
    linker = _Linker(declared)
    segments = linker.segments(parts)
    if around is not None:
        segments = surround(segments, around)
    return Prompt(
        path=source.path,
        name=prompt.name,
        segments=tuple(segments),
        provider=prompt.provider,
        model=prompt.model,
        rendered=prompt.rendered,
        complete=prompt.complete or around is not None,
        files=tuple(dict.fromkeys((source.path, *(file.path for file in writer.used)))),
    )


class _Linker:
    def __init__(self, declared: Mapping[str, Declared]) -> None:
        self._declared = declared
        self._guards: dict[tuple[int, int], Guard] = {}

    def segments(self, parts: Sequence[Part]) -> list[Segment]:
        plain = [self._segment(part) for part in parts]
        if any(_is_request_input(segment) for segment in plain) and not any(part.said for part in parts):
            # One text that holds the question is the user's message, whatever else stands in it.
            plain = [_in_user_message(segment) for segment in plain]
        return [_with_default(segment) for segment in plain]

    def _segment(self, part: Part) -> Segment:
        written = part.written
        guards = tuple(self._guard(gate) for gate in written.gates)
        lifetime = FIXED
        if written.expression is not None:
            lifetime = lifetime_of(written.expression, written.source, self._declared)
        segment = Segment(
            section=part.section,
            field=part.field,
            message=part.message,
            lifetime=lifetime,
            place=Place(written.source, written.span),
            text=written.text,
            expression=written.expression,
            guards=guards,
            assumed=not part.said,
        )
        return _as_its_kind_says(segment)

    def _guard(self, gate: Gate) -> Guard:
        known = self._guards.get((gate.group, gate.arm))
        if known is None:
            classify = lifetime_of if gate.kind is GuardKind.LOOP else condition_lifetime
            lifetime = classify(gate.test, gate.source, self._declared)
            known = Guard(gate.kind, gate.group, gate.arm, lifetime, Place(gate.source, gate.span))
            self._guards[gate.group, gate.arm] = known
        return known


def _as_its_kind_says(segment: Segment) -> Segment:
    """History, retrieved text, tools and the question play their own part wherever they stand."""
    if any(guard.kind is GuardKind.LOOP and guard.lifetime.growing for guard in segment.guards):
        return replace(segment, section=Section.HISTORY, field=Field.MESSAGES, assumed=False)
    loops = [guard.lifetime for guard in segment.guards if guard.kind is GuardKind.LOOP]
    main = next((lifetime.main for lifetime in (*loops, segment.lifetime) if lifetime.main is not None), None)
    section = _SECTION_OF_KIND.get(main.kind) if main is not None else None
    if section is None:
        return segment
    field = Field.MESSAGES if section is Section.HISTORY else segment.field
    return replace(segment, section=section, field=field, assumed=segment.assumed)


def _is_request_input(segment: Segment) -> bool:
    main = segment.lifetime.main
    return main is not None and main.kind == "input"


def _in_user_message(segment: Segment) -> Segment:
    section = Section.USER if segment.section is Section.SYSTEM else segment.section
    return replace(segment, section=section, field=Field.MESSAGES)


def _with_default(segment: Segment) -> Segment:
    """A hole about which nothing is known takes the default of a section that the file names."""
    if segment.text is not None or segment.assumed or segment.lifetime.known or segment.lifetime.causes:
        return segment
    event = _DEFAULT_EVENTS.get(segment.section)
    if event is None or segment.place is None:
        return segment
    text = segment.place.text
    cause = Cause("unknown", frozenset({event}), Evidence.SECTION, Confidence.LOW, f"`{text}`", segment.place)
    return replace(segment, lifetime=Lifetime((cause,), growing=segment.section is Section.HISTORY))


def surround(segments: Sequence[Segment], around: Surroundings) -> list[Segment]:
    """The segments between what the configuration says stands before and after them."""
    sections = {segment.section for segment in segments}
    fields = {segment.field for segment in segments}
    before: list[Segment] = []
    after: list[Segment] = []
    if around.tools and Field.TOOLS not in fields:
        before.append(_stated("tools", Section.TOOLS, Field.TOOLS, around.tools))
    if around.system and Field.SYSTEM not in fields:
        before.append(_stated("system", Section.SYSTEM, Field.SYSTEM, around.system))
    if around.history and Section.HISTORY not in sections:
        history = _stated("history", Section.HISTORY, Field.MESSAGES, around.history, Event.SESSION)
        (after if Field.MESSAGES not in fields else before).append(history)
    if around.user and Section.USER not in sections:
        after.append(_stated("user", Section.USER, Field.MESSAGES, around.user, Event.TURN))
    return [*before, *segments, *after]


def _stated(name: str, section: Section, field: Field, tokens: int, event: Event | None = None) -> Segment:
    lifetime = FIXED
    if event is not None:
        cause = Cause(name, frozenset({event}), Evidence.DECLARATION, Confidence.HIGH, f"the {name}")
        lifetime = Lifetime((cause,), growing=section is Section.HISTORY)
    message = {"tools": -3, "system": -2, "history": -1, "user": 1_000_000}[name]
    return Segment(section, field, message, lifetime, None, None, size=tokens, name=name)
