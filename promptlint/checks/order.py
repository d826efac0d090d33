"""Order among sections that survive."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.events import Confidence
from promptlint.finding import Cost, Finding, Related
from promptlint.layout.appraisal import Appraisal
from promptlint.layout.horizons import horizon, survives
from promptlint.prompt import Section, Segment
from promptlint.rulebook import Rule
from promptlint.source import Place, Span

_STABLE = (Section.SYSTEM, Section.TOOLS, Section.EXAMPLES)


def section_order(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """Stable text below the history, or below text that lives as long as a session and has no rule of its own.

    Text under a condition lives as long as what that tests: it is not counted.
    """
    segments = appraisal.prompt.segments
    later = next((index for index, segment in enumerate(segments) if _ends_the_prefix(segment)), None)
    if later is None or segments[later].place is None:
        return
    below = [index for index in range(later + 1, len(segments)) if _is_stable(segments[index])]
    if not below:
        return
    tokens = appraisal.tokens()
    blocked = sum(tokens[index] for index in below)
    place = _first_line(segments[below[0]])
    if blocked < appraisal.ignore_below or place is None:
        return
    layout = appraisal.layouts(None, "user")[0]
    cost = Cost(
        provider=layout.provider.name,
        order=", ".join(layout.order),
        horizon="user",
        counter=appraisal.counter.label,
        blocked=blocked,
        step=(blocked, blocked),
        now=layout.now,
        best=(layout.best[0] + blocked, layout.best[1] + blocked),
        total=layout.total,
    )
    upper = segments[later]
    assert upper.place is not None
    yield Finding(
        rule=rule.name,
        severity=rule.severity,
        confidence=Confidence.MEDIUM,
        message=f"{segments[below[0]].section.value} text stands below the {upper.section.value}; no request reuses it",
        place=place,
        label=f"{blocked:,} stable tokens that never hit from here",
        related=(Related(upper.place, f"the {upper.section.value} ends the shared prefix here"),),
        cost=cost,
        advice=rule.advice,
        kind="order",
        evidence="section",
        section=segments[below[0]].section.value,
    )


def _ends_the_prefix(segment: Segment) -> bool:
    if segment.section is Section.HISTORY:
        return True
    return (
        segment.section is Section.RETRIEVED
        and not survives(segment, horizon("user"))
        and survives(segment, horizon("conversation"))
    )


def _is_stable(segment: Segment) -> bool:
    return (
        segment.section in _STABLE
        and not segment.guards
        and segment.text is not None
        and bool(segment.text.strip())
        and survives(segment, horizon("fleet"))
    )


def _first_line(segment: Segment) -> Place | None:
    if segment.place is None or segment.text is None:
        return segment.place
    text, span = segment.place.text, segment.place.span
    start = span.start + len(text) - len(text.lstrip())
    end = segment.place.source.text.find("\n", start, span.end)
    return Place(segment.place.source, Span(start, end if end >= 0 else span.end))
