"""Which values stand in the way, each once, at the narrowest horizon that it breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from promptlint.events import Cause, Evidence
from promptlint.layout.appraisal import Culprit, Horizon
from promptlint.layout.chunks import Chunk
from promptlint.layout.horizons import breaks, changes_by_itself, horizons, is_history
from promptlint.layout.reading import Reading, Sheet, with_arms_of
from promptlint.prompt import GuardKind, Prompt, Segment
from promptlint.providers.registry import Provider
from promptlint.source import Place, Span, alignment


def culprits_of(sheet: Sheet, provider: Provider, asked: Horizon | None) -> tuple[Culprit, ...]:
    """The prompt's culprits in file order; with a horizon asked for, only those that break it.

    The sheet need not be counted: what blocks what does not depend on tokens.
    """
    found = _Finder(sheet, provider)
    return tuple(
        found.culprit(tuple(segments), cause, place, guard, asked)
        for place, (segments, cause, guard) in _units(sheet.prompt).items()
        if asked is None or cause.events & asked.events
    )


def _units(prompt: Prompt) -> dict[Place, tuple[list[int], Cause, GuardKind | None]]:
    """Segments by the place that makes them change."""
    units: dict[Place, tuple[list[int], Cause, GuardKind | None]] = {}
    for index, segment in enumerate(prompt.segments):
        if is_history(segment) and not changes_by_itself(segment):
            continue
        for place, cause, guard in _reasons(segment):
            breaks_any = any(cause.events & over.events for over in horizons())
            if breaks_any and cause.evidence is not Evidence.SECTION:
                units.setdefault(place, ([], cause, guard))[0].append(index)
                break
    return units


def _reasons(segment: Segment) -> Iterator[tuple[Place, Cause, GuardKind | None]]:
    """Why a segment changes, outermost first: a loop or condition around it, else its own value."""
    for guard in segment.guards:
        main = guard.lifetime.main
        if main is not None and not guard.lifetime.growing and any(breaks(guard, over) for over in horizons()):
            yield guard.place, main, guard.kind
    main = segment.lifetime.main
    if main is not None and segment.place is not None and not segment.lifetime.few:
        yield segment.place, main, None


class _Finder:
    def __init__(self, sheet: Sheet, provider: Provider) -> None:
        self._sheet, self._provider = sheet, provider
        self._readings: dict[tuple[str, frozenset[tuple[int, int]] | None], tuple[Reading, ...]] = {}

    def culprit(
        self, segments: tuple[int, ...], cause: Cause, place: Place, guard: GuardKind | None, asked: Horizon | None
    ) -> Culprit:
        over = asked or self._narrowest(segments, cause)
        found = (reading.stable_after(segments)[1] for reading in self._reading(segments, over))
        stable = [chunk for chunk in found if chunk is not None]
        places = [where for chunk in stable if (where := self._beginning(chunk)) is not None]
        return Culprit(segments, cause, place, guard, over, bool(stable), places[0] if places else None)

    def _narrowest(self, segments: tuple[int, ...], cause: Cause) -> Horizon:
        """The narrowest horizon that the cause breaks at a place that requests share there."""
        broken = [over for over in horizons() if cause.events & over.events]
        shared = (over for over in broken if any(each.reaches(segments) for each in self._reading(segments, over)))
        return next(shared, broken[0])

    def _reading(self, segments: Sequence[int], over: Horizon) -> tuple[Reading, ...]:
        sheet = with_arms_of(self._sheet, segments)
        key = (over.name, frozenset(sheet.arms.items()) if sheet is not self._sheet else None)
        if key not in self._readings:
            readings = (Reading(sheet, self._provider, order, over) for order in self._provider.orders)
            self._readings[key] = tuple(readings)
        return self._readings[key]

    def _beginning(self, chunk: Chunk) -> Place | None:
        return first_line(self._sheet.prompt.segments[chunk.segment], chunk.offset, chunk.offset + len(chunk.text))


def first_line(segment: Segment, start: int, end: int) -> Place | None:
    """Where the first line of the segment's text[start:end] stands that is not blank; the place of a hole.

    None for what stands in no file.
    """
    place, text = segment.place, segment.text
    offsets = alignment(place.text, text) if place is not None and text is not None else None
    if place is None or text is None or offsets is None:
        return place
    stripped = text[start:end].lstrip()
    first = end - len(stripped)
    last = first + len(stripped.split("\n", 1)[0].rstrip())
    escaped = place.text[offsets[last - 1]] == "\\"
    stop = offsets[last] if escaped else offsets[last - 1] + 1  # not past a line end that the text writes otherwise
    return Place(place.source, Span(place.span.start + offsets[first], place.span.start + stop))
