"""What chat templates and prompts for side calls do to a conversation's prefix."""

from __future__ import annotations

import re
from collections.abc import Iterator

from promptlint.events import Confidence
from promptlint.expression import Bound, Choice, Compare, Expression, Index, Literal, children, names, path
from promptlint.finding import Finding, Related
from promptlint.layout.appraisal import Appraisal
from promptlint.layout.horizons import is_history
from promptlint.lifetimes.names import snake
from promptlint.prompt import Guard, GuardKind, Section, Segment
from promptlint.rulebook import Rule

_SIDE_CALL = re.compile(r"titles?|summar(?:y|ies|i[sz](?:e|er|ation))|compact(?:ion)?|condenser?|tags?|rename")
_MAIN_CALL = frozenset({"agent", "assistant", "system", "bot", "chatbot"})
"""Words in the name of a prompt that holds a conversation, whatever it is about."""


def position_dependent(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """Text of a message that depends on the messages after it: sent once, it is written differently later."""
    seen: set[tuple[object, int]] = set()
    for segment in appraisal.prompt.segments:
        for guard in _inside_history(segment):
            key = (guard.place.source, guard.place.span.start)
            if key in seen or guard.test is None or not _looks_ahead(guard.test):
                continue
            seen.add(key)
            yield Finding(
                rule=rule.name,
                severity=rule.severity,
                confidence=Confidence.MEDIUM,
                message="the text of a message depends on the messages after it: the next turn writes it differently",
                place=guard.place,
                label="another answer for the same message one turn later",
                advice=rule.advice,
                subject="later messages",
                kind="position",
                evidence="call",
                section=segment.section.value,
            )


def auxiliary_call(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """A title, summary or tag prompt that quotes the conversation below instructions of its own."""
    prompt = appraisal.prompt
    words = snake(f"{prompt.path.rsplit('/', 1)[-1]} {prompt.name}").split("_")
    if not any(_SIDE_CALL.fullmatch(word) for word in words) or not _MAIN_CALL.isdisjoint(words):
        return
    for index, segment in enumerate(prompt.segments):
        if segment.place is None or not is_history(segment):
            continue
        if any(_asks(each) for each in prompt.segments[index + 1 :]):
            return  # an answer is wanted, as in the main call
        above = next((each for each in prompt.segments[:index] if each.text is not None and each.text.strip()), None)
        if above is not None and above.place is not None:
            yield Finding(
                rule=rule.name,
                severity=rule.severity,
                confidence=Confidence.LOW,
                message="this side call puts its own instructions above the conversation and shares no prefix with it",
                place=segment.place,
                label="computed anew for this call",
                related=(Related(above.place, "the main request begins otherwise"),),
                advice=rule.advice,
                kind="auxiliary",
                evidence="name",
                section=segment.section.value,
            )
        return


def _asks(segment: Segment) -> bool:
    """Whether a question is filled in here."""
    main = segment.lifetime.main
    return segment.text is None and (segment.section is Section.USER or (main is not None and main.kind == "input"))


def _inside_history(segment: Segment) -> Iterator[Guard]:
    """The conditions that stand inside a loop over the history, around what is written."""
    inside = False
    for guard in segment.guards:
        if guard.kind is GuardKind.LOOP:
            inside = inside or guard.lifetime.growing
        elif inside:
            yield guard


def _looks_ahead(test: Expression) -> bool:
    """Whether the answer for a message can change once more messages follow.

    What only ends the prompt is no harm, and neither is `loop.last or messages[loop.index0 + 1].role != "tool"`: the
    message that follows a finished one gives the same answer. So `loop.last` alone says nothing.
    """
    if any(name.id == "add_generation_prompt" for name in names(test)):
        return False
    return any(_compares_with_a_later_one(part) for part in _walk(test))


def _compares_with_a_later_one(part: Expression) -> bool:
    """`loop.index0 > last_query_index`, `message == user_messages[-1]`."""
    if not isinstance(part, Compare):
        return False
    if any(isinstance(each, Index) and _is_negative(each.key) for each in part.parts):
        return True
    position = [each for each in part.parts if path(each) in (("loop", "index"), ("loop", "index0"))]
    others = [each for each in part.parts if each not in position]
    return bool(position) and any(_varies(each) for each in others)


def _is_negative(key: Expression) -> bool:
    return isinstance(key, Literal) and isinstance(key.value, int) and key.value < 0


def _varies(expression: Expression) -> bool:
    """A name, unless every value that it was given is a constant."""
    match expression:
        case Bound(value=value):
            return not isinstance(value, Literal)
        case Choice(options=options):
            return any(_varies(option) for option in options)
    return bool(path(expression))


def _walk(test: Expression) -> Iterator[Expression]:
    yield test
    for child in children(test):
        yield from _walk(child)
