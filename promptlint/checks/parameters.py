"""Settings of a request that decide what it can read from the cache."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.checks.ways import ways
from promptlint.events import Cause, Confidence, Event, Evidence
from promptlint.expression import Attribute, Bound, Call, Expression, Index, Literal, children
from promptlint.finding import Finding, Related, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.lifetimes.classify import lifetime_of
from promptlint.prompt import Parameter
from promptlint.providers.registry import Provider, providers
from promptlint.rulebook import Rule
from promptlint.source import Place, Source

LOSES = {
    "all": "everything is fresh",
    "tools": "everything from the tools on is fresh",
    "system": "the system text and the messages are fresh",
    "messages": "the messages are fresh",
    "unknown": "cached text is lost, the provider does not say from where on",
}
"""What a change of a setting costs, by the first field that it loses."""

_CHANGES = {
    Event.REQUEST: "changes with every request",
    Event.TURN: "changes with every turn",
    Event.SESSION: "changes with every session",
    Event.DAY: "changes every day",
    Event.RESTART: "differs from process to process",
}


def shares_by(provider: Provider, name: str) -> bool:
    """Whether the setting of that name decides with whom a request shares the provider's cache."""
    return name in provider.cache_keys or name in provider.salts


def unstable_key(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """A cache key or salt that changes sooner than the prefix that it stands for."""
    provider = appraisal.provider
    for given in appraisal.prompt.parameters:
        cause = given.lifetime.main
        event = max(cause.events, key=lambda event: event.rank, default=None) if cause is not None else None
        if not shares_by(provider, given.name) or cause is None or event not in _CHANGES or given.lifetime.few:
            continue
        often = event in (Event.REQUEST, Event.TURN)
        if not often and (given.name not in provider.salts or given.name in provider.cache_keys):
            continue  # one conversation on one machine is what such a key is for
        yield rule.finding(
            given.place,
            f"`{given.name}` {_CHANGES[event]}: "
            + ("no request finds what another one wrote" if often else "every new one starts without a cached token"),
            severity=_level(cause, Severity.ERROR if often else Severity.WARNING),
            confidence=cause.confidence,
            label=f"{cause.what} {_CHANGES[event]}",
            related=_sources(cause, given),
            kind="cache-key",
            subject=given.name,
            evidence=cause.evidence.value,
        )


def varying_parameter(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """A setting that is part of the prefix, with a value that changes by turn or request."""
    for given in appraisal.prompt.parameters:
        lost, cause = _lost(given.name, appraisal), newest_message(given) or given.lifetime.main
        if lost is None or shares_by(appraisal.provider, given.name) or cause is None:
            continue
        event = max(cause.events, key=lambda event: event.rank, default=Event.DEPLOY)
        if event in (Event.TURN, Event.REQUEST):
            yield rule.finding(
                given.place,
                f"`{given.name}` {_CHANGES[event]}, and with each change {lost}",
                severity=_level(cause, Severity.ERROR),
                confidence=cause.confidence,
                label=f"{cause.what} {_CHANGES[event]}",
                related=_sources(cause, given),
                kind="parameter",
                subject=given.name,
                evidence=cause.evidence.value,
            )


def newest_message(given: Parameter) -> Cause | None:
    """The cause of a setting that looks at the last message of a conversation: another one in each call."""
    expression, source = given.expression, given.place.source
    found = next(_ends_of_history(expression, source), None) if expression is not None else None
    if found is None:
        return None
    return Cause("history", frozenset({Event.REQUEST}), Evidence.CALL, Confidence.HIGH, f"`{found.text}`", found)


def _ends_of_history(expression: Expression, source: Source) -> Iterator[Place]:
    """`messages[-1]` and `messages.at(-1)`, wherever a name was given them. A value that is shared is seen once."""
    stack, seen = [(expression, source)], set[tuple[int, int]]()
    while stack:
        part, where = stack.pop()
        if (id(part), id(where)) in seen:
            continue
        seen.add((id(part), id(where)))
        match part:
            case Bound(value=value, source=other):
                stack.append((value, other))
                continue
            case Index(of=of, key=Literal(value=int() as at)) if at < 0:
                if lifetime_of(of, where).growing:
                    yield Place(where, part.span)
            case Call(function=Attribute(of=of, name="at"), arguments=(Literal(value=int() as at),)) if at < 0:
                if lifetime_of(of, where).growing:
                    yield Place(where, part.span)
        stack.extend((child, where) for child in reversed(children(part)))


def _lost(name: str, appraisal: Appraisal) -> str | None:
    """What a change of the setting makes fresh; None where that is nothing.

    Where the provider is not known, a name speaks for those who have it, unless one of them takes no harm.
    """
    if appraisal.provider_known:
        lost = appraisal.provider.breaks.get(name, "none")
        return LOSES.get(lost)
    having = [each for each in providers() if name in each.breaks]
    if not having or any(each.breaks[name] not in LOSES for each in having):
        return None
    return f"{LOSES[having[0].breaks[name]]} at {having[0].title}"


def _level(cause: Cause, most: Severity) -> Severity:
    limit = {Confidence.HIGH: Severity.ERROR, Confidence.MEDIUM: Severity.WARNING, Confidence.LOW: Severity.NOTE}
    return min(most, limit[cause.confidence])


def _sources(cause: Cause, given: Parameter) -> tuple[Related, ...]:
    """Where the value comes from, as far as it stands outside the setting."""
    found = list(ways((cause,)))
    if cause.place is not None:
        found.append(Related(cause.place, "what it depends on"))
    own, source = given.place.span, given.place.source
    return tuple(
        each for each in found if each.place.source is not source or not own.start <= each.place.span.start < own.end
    )
