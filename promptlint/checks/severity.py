"""How bad a culprit is (design 3.3), or that it is not worth reporting."""

from __future__ import annotations

from pathlib import PurePath

from promptlint.events import Confidence, Event, Evidence
from promptlint.finding import Severity
from promptlint.layout.appraisal import Appraisal, Culprit
from promptlint.layout.horizons import is_history
from promptlint.project.programs import PROGRAM_SUFFIXES
from promptlint.prompt import TOOL_CALL, Field, Section

BY_EVENT = {
    Event.REQUEST: Severity.ERROR,
    Event.TURN: Severity.ERROR,
    Event.SESSION: Severity.WARNING,
    Event.RESTART: Severity.WARNING,
    Event.DAY: Severity.NOTE,
    Event.USER: Severity.NOTE,
    Event.TENANT: Severity.NOTE,
}


_CLOSING = 40
"""Tokens below a request's input that may close what it stands in: a tag, a heading, a reminder."""


def severity(culprit: Culprit, appraisal: Appraisal) -> Severity | None:
    """Severity of a culprit; None when it costs too little to be said."""
    event = main_event(culprit)
    level = BY_EVENT.get(event)
    if level is None:
        return None
    in_prefix = _is_in_prefix(culprit, appraisal)
    if level is Severity.ERROR and not in_prefix:
        level = Severity.WARNING
    level = min(level, _most(culprit.cause.confidence))
    unseen = (
        _more_follows_unseen(culprit, appraisal)
        or _history_follows(culprit, appraisal)
        or _is_in_history(culprit, appraisal)
    )
    if not culprit.blocks:
        # A guess about a value that blocks nothing visible is not worth a word.
        said = unseen and culprit.cause.confidence > Confidence.LOW and not _is_guess(culprit, appraisal)
        return max(Severity.NOTE, Severity(max(0, level - 1))) if said else None
    if not unseen and blocked(culprit, appraisal) < appraisal.ignore_below:
        return None
    return Severity.NOTE if _never_cached(culprit, appraisal) else level


def main_event(culprit: Culprit) -> Event:
    """The event that changes the culprit most often."""
    return max(culprit.cause.events, key=lambda event: event.rank)


def blocked(culprit: Culprit, appraisal: Appraisal) -> int:
    """Surviving tokens that are fresh while the culprit stays: the most that any order gives."""
    return max((price.blocked for _, price in appraisal.prices(culprit)), default=0)


def _most(confidence: Confidence) -> Severity:
    return {Confidence.HIGH: Severity.ERROR, Confidence.MEDIUM: Severity.WARNING, Confidence.LOW: Severity.NOTE}[
        confidence
    ]


def _is_in_prefix(culprit: Culprit, appraisal: Appraisal) -> bool:
    """In the system text, tools or examples, or above the conversation's history."""
    segments = appraisal.prompt.segments
    first = culprit.segments[0]
    if segments[first].field is not Field.MESSAGES or segments[first].section in (Section.TOOLS, Section.EXAMPLES):
        return True
    return any(segment.section is Section.HISTORY for segment in segments[first:])


def _more_follows_unseen(culprit: Culprit, appraisal: Appraisal) -> bool:
    """History and tools that are not visible follow the system text of a request that is only partly visible.

    What is retrieved or picked for the question right above the user's turn, and the request's input in last place,
    stand where they should: nothing is said about what may lie between.
    """
    segments = appraisal.prompt.segments
    first = segments[culprit.segments[0]]
    if appraisal.prompt.complete or first.field is not Field.SYSTEM:
        return False
    if first.section is Section.USER:
        return not first.assumed and culprit.blocks and blocked(culprit, appraisal) >= _CLOSING
    below = segments[culprit.segments[-1] + 1 :]
    picked = first.section is Section.RETRIEVED or culprit.cause.kind == "input"
    return not picked or all(segment.section is not Section.USER for segment in below)


def _is_guess(culprit: Culprit, appraisal: Appraisal) -> bool:
    """Whether nothing but the name of a text in a program says that it is a prompt's."""
    first = appraisal.prompt.segments[culprit.segments[0]]
    return first.assumed and PurePath(appraisal.prompt.path).suffix.lower() in PROGRAM_SUFFIXES


def _history_follows(culprit: Culprit, appraisal: Appraisal) -> bool:
    """Whether a value of the system text that is new in the next call stands above the conversation, however long."""
    segments = appraisal.prompt.segments
    if segments[culprit.segments[0]].field is not Field.SYSTEM or main_event(culprit).rank < Event.TURN.rank:
        return False
    return any(is_history(segment) for segment in segments[culprit.segments[-1] + 1 :])


def _is_in_history(culprit: Culprit, appraisal: Appraisal) -> bool:
    """Whether a call in the conversation is written with a value that is new each time: what is below is fresh.

    What comes from further away was mostly new once, and is kept in the message.
    """
    is_new = culprit.cause.evidence is Evidence.CALL and len(culprit.cause.hops) < 2
    return appraisal.prompt.name == TOOL_CALL and is_new and main_event(culprit) is Event.REQUEST


def _never_cached(culprit: Culprit, appraisal: Appraisal) -> bool:
    """Nothing of the request can be cached by the named provider, whatever is moved (below its minimum)."""
    if not appraisal.provider_known or not appraisal.prompt.complete:
        return False
    return all(layout.best[1] == 0 for layout, _ in appraisal.prices(culprit))
