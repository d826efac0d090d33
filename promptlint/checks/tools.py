"""Tools whose order or choice is another one from request to request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from promptlint.checks.fixes import sorted_names
from promptlint.checks.ways import ways
from promptlint.events import Cause, Confidence, Event
from promptlint.finding import Finding
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import GuardKind, Section, Segment
from promptlint.rulebook import Rule
from promptlint.source import Place

_MOVING = frozenset({Event.TURN, Event.REQUEST})
_OWN_RULES = frozenset({"order", "clock", "id", "environment"})
"""Kinds of values inside a tool's text that have rules of their own."""


def unordered_tools(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """Tools that are taken from a collection without an order of its own."""
    for place, cause, segment in _causes(appraisal):
        if orders(cause):
            message = f"the order of the tools follows {cause.what}, which has none of its own"
            found = _finding(rule, place, cause, segment, message, "in another order in each process")
            walked = any(guard.place == place and guard.kind is GuardKind.LOOP for guard in segment.guards)
            yield replace(found, fixes=sorted_names(cause, place) if walked else ())


def dynamic_tool_set(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """Tools that are picked by something that changes with each turn."""
    for place, cause, segment in _causes(appraisal):
        if chooses(cause):
            message = f"which tools are sent depends on {cause.what}: another set in each turn"
            yield _finding(rule, place, cause, segment, message, "another set of tools makes the whole request fresh")


def orders(cause: Cause) -> bool:
    """Whether a cause gives tools another order."""
    return cause.kind == "order"


def chooses(cause: Cause) -> bool:
    """Whether a cause picks other tools from turn to turn."""
    return cause.kind not in _OWN_RULES and bool(cause.events & _MOVING) and cause.confidence > Confidence.LOW


def _causes(appraisal: Appraisal) -> Iterator[tuple[Place, Cause, Segment]]:
    """What makes tools another list, each place once: loops and conditions around tools, and whole lists."""
    met: set[tuple[Place, str]] = set()
    for segment in appraisal.prompt.segments:
        if segment.section is not Section.TOOLS:
            continue
        found = [(guard.place, cause) for guard in segment.guards for cause in guard.lifetime.causes]
        if segment.place is not None and segment.whole:
            found += [(_place(segment.place, cause), cause) for cause in segment.lifetime.causes]
        for place, cause in found:
            if (cause.place or place, cause.kind) not in met:
                met.add((cause.place or place, cause.kind))
                yield place, cause, segment


def _place(hole: Place, cause: Cause) -> Place:
    """Where the order of a list is lost, where that can be seen; else where the list is sent."""
    return cause.place if orders(cause) and cause.place is not None else hole


def _finding(rule: Rule, place: Place, cause: Cause, segment: Segment, message: str, label: str) -> Finding:
    return rule.finding(
        place,
        message,
        confidence=cause.confidence,
        label=label,
        related=ways((cause,)),
        kind=cause.kind,
        events=tuple(event.value for event in sorted(cause.events, key=lambda event: -event.rank)),
        evidence=cause.evidence.value,
        section=segment.section.value,
    )
