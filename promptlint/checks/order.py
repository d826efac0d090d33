"""Order among sections that survive."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.events import Confidence
from promptlint.expression import Element, children
from promptlint.finding import Cost, Finding, Related
from promptlint.layout.appraisal import Appraisal
from promptlint.layout.culprits import first_line
from promptlint.layout.horizons import horizon, is_history, survives
from promptlint.prompt import GuardKind, Section, Segment
from promptlint.rulebook import Rule

_NOUNS = {
    Section.SYSTEM: "system text stands",
    Section.TOOLS: "tool definitions stand",
    Section.EXAMPLES: "examples stand",
    Section.USER: "instructions stand",
}

_LEAST = 16
"""Tokens of the smallest block of a common engine (vLLM): less text than that is never worth a place of its own."""

_MOST_PARTS = 400
"""Parts of an expression that are looked at."""


def section_order(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """Stable text below the conversation's history, where no request can reuse it in place.

    Text under a condition lives as long as what that tests: it is not counted.
    """
    segments = appraisal.prompt.segments
    history = (at for at, segment in enumerate(segments) if is_history(segment) and not _is_of_one_message(segment))
    later = next(history, None)
    upper = segments[later].place if later is not None else None
    if later is None or upper is None:
        return
    below = [index for index in range(later + 1, len(segments)) if _is_stable(segments[index])]
    if not below:
        return
    tokens = appraisal.tokens()
    blocked = sum(tokens[index] for index in below)
    first = segments[below[0]]
    place = first_line(first, 0, len(first.text or ""))
    if blocked < max(appraisal.ignore_below, _LEAST) or place is None:
        return
    layout = appraisal.layouts(None, "user")[0]
    yield rule.finding(
        place,
        f"{_NOUNS[first.section]} below the conversation's history, where no request reuses them",
        confidence=Confidence.MEDIUM,
        label=f"{blocked:,} stable tokens from here on are fresh on every call",
        related=(Related(upper, "the history ends the prefix that requests share"),),
        cost=Cost(
            provider=layout.provider.name,
            order="",
            horizon="user",
            counter=appraisal.counter.label,
            blocked=blocked,
            step=(blocked, blocked),
            now=layout.now,
            best=(layout.best[0] + blocked, layout.best[1] + blocked),
            total=layout.total,
        ),
        kind="order",
        evidence="section",
        section=first.section.value,
    )


def _is_stable(segment: Segment) -> bool:
    """Instructions, tools or examples; in one text without roles, whatever is literal."""
    plays = segment.section in (Section.SYSTEM, Section.TOOLS, Section.EXAMPLES)
    if not plays and not (segment.assumed and segment.section is Section.USER):
        return False
    literal = segment.text is not None and bool(segment.text.strip())
    return literal and not segment.guards and survives(segment, horizon("fleet"))


def _is_of_one_message(segment: Segment) -> bool:
    """Whether a value is made of one message that a loop has picked, and not of the conversation."""
    loops = (guard.lifetime.growing for guard in segment.guards if guard.kind is GuardKind.LOOP)
    if segment.lifetime.growing or any(loops):
        return False
    left = [] if segment.expression is None else [segment.expression]
    for _ in range(_MOST_PARTS):
        if not left:
            return False
        part = left.pop()
        if isinstance(part, Element):
            return True
        left.extend(children(part))
    return False
