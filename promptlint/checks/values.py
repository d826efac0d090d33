"""Findings for culprits: values that change above text that does not."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.checks.fixes import fixes_of
from promptlint.checks.media import is_fresh_medium
from promptlint.checks.moving import moved_below
from promptlint.checks.passage import Passages
from promptlint.checks.severity import main_event, severity
from promptlint.checks.tools import chooses, orders
from promptlint.checks.ways import ways
from promptlint.events import Cause, Event, Evidence
from promptlint.finding import Cost, Finding, Fix, Related
from promptlint.layout.appraisal import Appraisal, Culprit
from promptlint.prompt import GuardKind, Prompt, Section
from promptlint.rulebook import Rule

_CHANGES = {
    Event.REQUEST: "changes with every request",
    Event.TURN: "changes with every turn",
    Event.SESSION: "changes with every session",
    Event.USER: "differs from user to user",
    Event.TENANT: "differs from tenant to tenant",
    Event.DAY: "changes every day",
    Event.RESTART: "differs from process to process",
    Event.DEPLOY: "changes with a release",
}

_FRESH = {
    "conversation": "fresh on every call",
    "user": "fresh in every new conversation",
    "fleet": "fresh for every other user or worker",
    "tomorrow": "fresh every day",
}

_KNOWN_BY = {
    Evidence.NAME: ", going by its name",
    Evidence.SHAPE: ", going by what it looks like",
    Evidence.DECLARATION: ", as declared",
}

_ONLY_TOOLS = "tools that a provider renders below miss"
"""What a value at the end of system text can lose between two conversations: they share no history."""


def selected(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """A finding for each culprit that the rule's `when` selects and that costs enough to be said."""
    passages: Passages | None = None
    for culprit in appraisal.culprits:
        if is_fresh_medium(appraisal.prompt.segments[culprit.segments[0]]):
            continue  # said by the rule about media
        if matches(culprit, rule, appraisal.prompt) and (level := severity(culprit, appraisal)) is not None:
            changes = _CHANGES[main_event(culprit)] + _KNOWN_BY.get(culprit.cause.evidence, "")
            cost = cost_of(culprit, appraisal)
            passages = passages or Passages(appraisal.prompt.segments)
            yield rule.finding(
                culprit.place,
                _message(culprit),
                severity=level,
                confidence=culprit.cause.confidence,
                label=changes,
                related=(*blocked_text(culprit, cost), *_hops(culprit, appraisal.prompt)),
                cost=cost,
                subject=_subject(culprit.cause),
                kind=culprit.cause.kind,
                events=tuple(event.value for event in sorted(culprit.cause.events, key=lambda event: -event.rank)),
                evidence=culprit.cause.evidence.value,
                section=appraisal.prompt.segments[culprit.segments[0]].section.value,
                fixes=_fixes(culprit, appraisal.prompt, passages),
            )


def _fixes(culprit: Culprit, prompt: Prompt, passages: Passages) -> tuple[Fix, ...]:
    """What can be done about a value where it stands, and where else it can stand. A collection is to be sorted."""
    if culprit.guard is not None:
        return ()
    found = fixes_of(culprit.cause, culprit.place)
    return found if culprit.cause.kind == "order" else (*found, *moved_below(culprit, prompt, passages))


def matches(culprit: Culprit, rule: Rule, prompt: Prompt) -> bool:
    """Whether a rule selects this culprit; what makes tools another list has rules of its own."""
    when = rule.when
    if when is None or culprit.cause.kind not in when.kinds or main_event(culprit).value not in when.events:
        return False
    segment = prompt.segments[culprit.segments[0]]
    picks = segment.section is Section.TOOLS and (segment.whole or culprit.guard is not None)
    return not (picks and (orders(culprit.cause) or chooses(culprit.cause)))


def cost_of(culprit: Culprit, appraisal: Appraisal) -> Cost:
    """The culprit's price in the order in which it costs most; the order is said when the orders differ."""
    found = appraisal.prices(culprit)
    layout, price = max(found, key=lambda pair: pair[1].blocked)
    differ = len({(each.now, each.best, cost.blocked) for each, cost in found}) > 1
    return Cost(
        provider=layout.provider.name,
        order=f"{layout.order[0]} first" if differ else "",
        horizon=layout.horizon.name,
        counter=appraisal.counter.label,
        blocked=price.blocked,
        step=price.step,
        now=layout.now,
        best=layout.best,
        total=layout.total,
    )


def _subject(cause: Cause) -> str:
    """The value, or the object that it is one field of: fields of one customer are one cause."""
    name = cause.what.strip("`")
    return name.split(".")[0] if cause.kind == "identity" and cause.evidence is Evidence.NAME else name


def _message(culprit: Culprit) -> str:
    what = culprit.cause.what
    subject = {None: what, GuardKind.LOOP: f"the loop over {what}", GuardKind.BRANCH: f"the condition on {what}"}
    changes = f"{subject[culprit.guard]} {_CHANGES[main_event(culprit)]}"
    if not culprit.blocks:
        misses = "history and tools that follow miss" if culprit.horizon.name == "conversation" else _ONLY_TOOLS
        return f"{changes}; {misses} too (size unknown)"
    return f"{changes}, above text that stays the same"


def blocked_text(culprit: Culprit, cost: Cost) -> tuple[Related, ...]:
    """The first stable text that the culprit makes fresh, with how much there is."""
    if culprit.first_blocked is None:
        return ()
    tokens = f"{cost.blocked:,} stable token{'s' if cost.blocked != 1 else ''}"
    return (Related(culprit.first_blocked, f"{tokens} from here on are {_FRESH[culprit.horizon.name]}"),)


def _hops(culprit: Culprit, prompt: Prompt) -> tuple[Related, ...]:
    """Where the value passes through, by each way on which another value of its kind comes to the same place."""
    cause, segment = culprit.cause, prompt.segments[culprit.segments[0]]
    others = [other for other in segment.lifetime.causes if other.kind == cause.kind and other.events == cause.events]
    return ways((cause, *(others if cause in others else ())))
