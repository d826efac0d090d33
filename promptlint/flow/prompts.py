"""Requests that programs build, as prompts: segments with sections and lifetimes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from promptlint.events import Evidence
from promptlint.flow.request import Part, Request
from promptlint.flow.texts import is_constant
from promptlint.flow.writing import TextWriter
from promptlint.lifetimes.classify import Classifier, Declared
from promptlint.lifetimes.table import Table
from promptlint.project.link import Surroundings, surround
from promptlint.project.parts import Assigner
from promptlint.project.parts import Part as PlacedPart
from promptlint.project.segments import Segmenter
from promptlint.prompt import Field, Marker, Parameter, Prompt, ProviderHint, Section, Segment
from promptlint.readers.vendors.turns import placed
from promptlint.source import Source
from promptlint.template import Heading


def prompt_of(
    request: Request,
    path: str,
    declared: Mapping[str, Declared],
    around: Surroundings | None = None,
    table: Table | None = None,
) -> Prompt:
    """The request as a prompt of the file at `path`; `table` says what values are."""
    writer, segmenter = TextWriter(), Segmenter(declared, table, rendered=False)
    assigner = Assigner(_no_headings, None)
    parts: list[PlacedPart] = []
    ends: list[int] = []
    for part, section, field in _placed(request.parts):
        assigner.next_message(part.role, section, field)
        said = not request.guessed
        parts.extend(replace(each, whole=part.whole, said=said) for each in assigner.parts(writer.write(part)))
        ends.append(len(parts) - 1)
    segments: Sequence[Segment] = segmenter.segments(parts)
    if around is not None:
        segments = surround(segments, around)
    return Prompt(
        path=path,
        name=request.name,
        segments=tuple(segments),
        markers=tuple(_markers(request, ends)),
        parameters=tuple(_parameters(request, declared, table)),
        provider=ProviderHint(request.provider, Evidence.CALL) if request.provider else None,
        model=request.model,
        complete=request.complete or around is not None,
        edits=tuple(dict.fromkeys(request.edits)),
        files=tuple(dict.fromkeys((path, *_files(segments)))),
    )


def _no_headings(_: Source) -> tuple[Heading, ...]:
    """Roles are those of the messages; a heading in a literal is only text."""
    return ()


def _placed(parts: Sequence[Part]) -> Iterator[tuple[Part, Section, Field]]:
    """Parts with section and field. Turns that are written down above the newest one are few-shots."""
    rows = [(part, section, field) for part, (section, field) in zip(parts, placed(parts), strict=True)]
    last = max((at for at, (_, section, _) in enumerate(rows) if section is Section.USER), default=-1)
    said = [row for row in rows[:last] if row[1] is Section.HISTORY]
    shown = bool(said) and all(_is_written_down(part) for part, _, _ in said)
    for at, (part, section, field) in enumerate(rows):
        yield part, Section.EXAMPLES if shown and at < last and section is Section.HISTORY else section, field


def _is_written_down(part: Part) -> bool:
    return part.section is None and is_constant(part.content)


def _markers(request: Request, ends: Sequence[int]) -> Iterator[Marker]:
    for after, place, ttl, site in request.markers:
        if 0 <= after < len(ends) and ends[after] >= 0:
            yield Marker(ends[after], place, ttl, site=site)


def _parameters(request: Request, declared: Mapping[str, Declared], table: Table | None) -> Iterator[Parameter]:
    classifier = Classifier(declared, table)
    for setting in request.settings:
        lifetime = classifier.lifetime(setting.value, setting.source)
        yield Parameter(setting.name, setting.place, setting.value, lifetime)


def _files(segments: Iterable[Segment]) -> Iterator[str]:
    return (segment.place.source.path for segment in segments if segment.place is not None)
