"""What only shows between the requests of one file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from promptlint.events import Confidence
from promptlint.finding import Finding, Related, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import Field, Prompt, Section, Segment
from promptlint.rulebook import Rule
from promptlint.source import Place, Span


@dataclass(frozen=True, slots=True)
class _Part:
    """A text of a request, or JSON in it.

    `means` is the same for all spellings of the same JSON, `ordered` for those with the same order of keys, `spelled`
    is what the model may be given. The body around a text is parsed by whoever takes the request: blanks and escapes
    in it reach no model, but those inside a string do.
    """

    means: str
    ordered: str
    spelled: str
    place: Place
    section: Section
    is_tool: bool
    is_text: bool


def key_order(appraisals: Sequence[Appraisal], rule: Rule) -> Iterator[Finding]:
    """JSON that is equal in two requests but for its spelling; the first such pair of a file.

    Requests to one model are compared. A tool is the same wherever it stands; a call or a result is sent again only
    where all that was said before it is the same: another conversation may hold another call of the same words.
    """
    numbers: dict[tuple[int, str], int] = {}
    written: dict[int, _Part] = {}
    for appraisal in appraisals:
        prompt = appraisal.prompt
        if not prompt.rendered:
            continue
        provider = prompt.provider.name if prompt.provider is not None else ""
        top = said = numbers.setdefault((-1, f"{provider}\n{prompt.model or ''}"), len(numbers))
        for part in _parts(prompt):
            number = numbers.setdefault((top if part.is_tool else said, part.means), len(numbers))
            said = said if part.is_tool else number
            first = written.setdefault(number, part)
            if part.spelled != first.spelled:
                yield _finding(part, first, rule)
                return


def _finding(part: _Part, first: _Part, rule: Rule) -> Finding:
    order = part.ordered != first.ordered
    # Many servers parse the arguments of a call before they write them for the model, and keep the order of keys.
    parsed_again = not order and not part.is_text
    what = "tool" if part.is_tool else "JSON of the conversation"
    how = "its keys in another order" if order else "other blanks, escapes or digits"
    return rule.finding(
        part.place,
        f"the same {what} is written with {how} than in an earlier request",
        severity=min(rule.severity, Severity.NOTE) if parsed_again else rule.severity,
        confidence=Confidence.MEDIUM if parsed_again else Confidence.HIGH,
        label=f"other bytes, the same {what}",
        related=(Related(first.place, "written like this before"),),
        kind="key-order" if order else "spelling",
        evidence="shape",
        section=part.section.value,
    )


def _parts(prompt: Prompt) -> Iterator[_Part]:
    """The tools and messages of a request; what a marker is cut out of is one part."""
    for _, run in groupby(prompt.segments, key=lambda segment: (segment.field, segment.message)):
        segments = [segment for segment in run if segment.field is not Field.SYSTEM and segment.text is not None]
        if segments and (place := _whole(segments)) is not None:
            text = "".join(segment.text or "" for segment in segments)
            yield _part(text, place, segments[0])


def _part(text: str, place: Place, segment: Segment) -> _Part:
    # JSON in a string has quotes in it, which the file escapes.
    is_text = segment.text != segment.place.text if segment.place is not None else True
    means, ordered, spelled = _spellings(text, is_text) or (text, text, text)
    return _Part(means, ordered, spelled, place, segment.section, segment.field is Field.TOOLS, is_text)


def _spellings(text: str, is_text: bool) -> tuple[str, str, str] | None:
    """JSON with sorted keys, with its keys in their order, and as it is given; None for any other text."""
    try:
        found = _parsed(text)
        if found is None:
            return None
        inner = _opened(found[0])
        return json.dumps(inner, sort_keys=True), json.dumps(inner), text if is_text else json.dumps(found[0])
    except RecursionError:
        return None


def _whole(segments: Sequence[Segment]) -> Place | None:
    first, last = segments[0].place, segments[-1].place
    return (
        Place(first.source, Span(first.span.start, last.span.end)) if first is not None and last is not None else None
    )


def _parsed(text: str) -> tuple[Any] | None:
    """The object or list that a text is, None when it is none."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return None


def _opened(value: Any) -> Any:
    """The value with the JSON in its strings read as well: arguments of calls are written twice."""
    match value:
        case dict():
            return {key: _opened(item) for key, item in value.items()}
        case list():
            return [_opened(item) for item in value]
        case str() if (found := _parsed(value)) is not None:
            return {"": _opened(found[0])}
    return value
