"""A prompt of a unit, followed through the project into segments with sections and lifetimes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from promptlint.events import FIXED, Cause, Confidence, Event, Evidence, Lifetime
from promptlint.expression import Expression
from promptlint.lifetimes.classify import Declared, lifetime_of
from promptlint.lifetimes.table import Table
from promptlint.project.parts import Assigner, Part
from promptlint.project.scope import File
from promptlint.project.segments import Segmenter
from promptlint.project.write import Find, Writer
from promptlint.prompt import Field, Marker, Parameter, Prompt, Section, Segment
from promptlint.sections import section_of_path
from promptlint.source import Place, Source
from promptlint.template import Heading
from promptlint.unit import ParameterSource, PromptSource, Unit


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
    given: Mapping[str, Expression] | None = None,
    table: Table | None = None,
) -> Prompt:
    """The prompt with everything that the project's files add to it.

    `given` are the values of its variables, `table` says what values are.
    """
    source = unit.source
    writer = Writer(find, given)
    own = tuple(heading for message in prompt.messages for heading in message.template.headings)

    def headings(file: Source) -> tuple[Heading, ...]:
        return own if file is source else writer.used[file].template.headings

    assigner = Assigner(headings, section_of_path(source.path))
    segmenter = Segmenter(declared, table, rendered=prompt.rendered)
    parts: list[Part] = []
    ends: list[int] = []
    for number, message in enumerate(prompt.messages):
        if number or message.role or message.section:
            assigner.next_message(message.role, message.section, message.field)
        parts.extend(assigner.parts(writer.write(File(source, message.template))))
        ends.append(parts[-1].message if parts else 0)
    segments = segmenter.segments(parts)
    if around is not None:
        segments = surround(segments, around)
    return Prompt(
        path=source.path,
        name=prompt.name,
        segments=tuple(segments),
        markers=tuple(_markers(prompt, source, segments, ends)),
        parameters=tuple(_parameter(each, source, declared) for each in prompt.parameters),
        provider=prompt.provider,
        model=prompt.model,
        rendered=prompt.rendered,
        complete=prompt.complete or around is not None,
        body=prompt.complete,
        files=tuple(dict.fromkeys((source.path, *(file.path for file in writer.used)))),
    )


def _markers(
    prompt: PromptSource, source: Source, segments: Sequence[Segment], ends: Sequence[int]
) -> Iterator[Marker]:
    """Breakpoints behind the last segment of the part that they stand at."""
    last: dict[int, int] = {segment.message: index for index, segment in enumerate(segments)}
    for marker in prompt.markers:
        message = ends[marker.after] if 0 <= marker.after < len(ends) else -1
        after = len(segments) - 1 if marker.automatic else last.get(message, -1)
        yield Marker(after, Place(source, marker.span), marker.ttl, marker.automatic, marker.site)


def _parameter(given: ParameterSource, source: Source, declared: Mapping[str, Declared]) -> Parameter:
    """A setting that is more than one literal stands as it is written."""
    lifetime = FIXED if given.expression is None else lifetime_of(given.expression, source, declared)
    return Parameter(given.name, Place(source, given.span), given.expression, lifetime)


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
