"""Chat templates that write a message in another way once more messages follow."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.checks.places import Talk, depends_on_later, switch_in
from promptlint.events import Confidence
from promptlint.expression import Bound, Choice, Element, Expression, children
from promptlint.finding import Finding, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import GuardKind, Segment
from promptlint.rulebook import Rule
from promptlint.source import Place, Source


def position_dependent(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """Text of a message that depends on the messages after it: sent once, it is written differently later."""
    seen: set[tuple[object, int]] = set()
    for segment in appraisal.prompt.segments:
        for place, test, talk in _tests(segment):
            key = (place.source, place.span.start)
            if key in seen or not depends_on_later(test, talk):
                continue
            seen.add(key)
            yield _finding(place, segment, switch_in(test), rule)


def _finding(place: Place, segment: Segment, switch: str | None, rule: Rule) -> Finding:
    message = "the text of a message depends on the messages after it: the next turn writes it differently"
    label, advice = "another answer for the same message one turn later", ""
    if switch is not None:
        message = f"`{switch}` decides whether the text of a message depends on the messages after it"
        label = "by the setting, another answer for the same message one turn later"
        advice = f"Set `{switch}` so that old messages stay as they were sent."
    return rule.finding(
        place,
        message,
        severity=rule.severity if switch is None else min(rule.severity, Severity.NOTE),
        confidence=Confidence.MEDIUM,
        label=label,
        advice=advice,
        subject=switch or "later messages",
        kind="position",
        evidence="call",
        section=segment.section.value,
    )


def _tests(segment: Segment) -> Iterator[tuple[Place, Expression, Talk]]:
    """What decides, for one message of the conversation, what is written of it, with the place where that stands."""
    talk: Talk | None = None
    for guard in segment.guards:
        if guard.kind is GuardKind.LOOP:
            if talk is None:
                talk = Talk.of(guard.test, guard.place) if guard.lifetime.growing and guard.test is not None else None
            elif guard.test is None or not talk.is_list(guard.test):
                talk = talk.inside()  # over the calls of a message, say
            else:
                talk = Talk.of(guard.test, guard.place)
        elif talk is not None and guard.test is not None:
            yield guard.place, guard.test, talk
    if talk is not None and segment.expression is not None and segment.place is not None:
        for place, test in _choices(segment.expression, segment.place, talk):
            yield place, test, talk


def _choices(expression: Expression, place: Place, talk: Talk) -> Iterator[tuple[Place, Expression]]:
    """What decides which of several values is written at a place: a test beside them, or branches that set a name."""
    left, seen = [expression], set[int]()
    while left:
        part = left.pop()
        if id(part) in seen or isinstance(part, Element) or talk.is_list(part):
            continue
        seen.add(id(part))
        if not isinstance(part, Choice):
            left.extend(reversed(children(part)))
            continue
        left.extend(reversed(part.options))
        if part.test is not None:
            yield place, part.test
        if part.tests and (source := _source(part)) is not None:
            yield from ((Place(source, test.span), test) for test in part.tests)


def _source(choice: Choice) -> Source | None:
    """Where a name is set in the branches: what they ask stands there too."""
    left: list[Expression] = [choice]
    while left:
        match left.pop():
            case Bound(source=source):
                return source
            case Choice(options=options):
                left.extend(reversed(options))
    return None
