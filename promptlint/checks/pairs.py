"""What two requests show: the differences that made sent text fresh, each under the rule that owns its cause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from promptlint.checks.severity import BY_EVENT
from promptlint.comparing.comparison import Comparison, Setting, lost_tokens
from promptlint.comparing.difference import Difference, difference_of
from promptlint.comparing.divergence import difference_at, of_field
from promptlint.comparing.history import Turn
from promptlint.events import Confidence, Event
from promptlint.finding import Cost, Finding, Related, Severity, with_fingerprints
from promptlint.prompt import Field
from promptlint.providers.reuse import reuse
from promptlint.rulebook import rule
from promptlint.shapes import shapes_in
from promptlint.shapes.named import VALUES, owner
from promptlint.source import Place, Span

_TEXTS = {
    "whitespace": "white space in {where}",
    "case": "upper and lower case in {where}",
    "text": "the wording of {where}",
    "added": "a part is added to {where}",
    "removed": "a part is taken out of {where}",
    "shape": "the JSON shape of {where}, with the same text,",
}
"""What is said to differ when no value does."""

_FIELDS = {Field.TOOLS: "the tools", Field.SYSTEM: "the system prompt", Field.MESSAGES: "the messages"}


@dataclass(frozen=True, slots=True)
class _Verdict:
    rule: str
    severity: Severity
    subject: str
    kind: str
    events: tuple[str, ...] = ()


def pair_findings(comparison: Comparison) -> tuple[Finding, ...]:
    """The findings about two requests, in render order; none about two templates, which differ by a release.

    The places are those of the current request, and related ones say what the previous one had there.
    """
    if comparison.previous.request is None or comparison.relation in ("identical", "append-only", "shortened"):
        found = list(_settings(comparison))
    else:
        found = [*_settings(comparison), *_contents(comparison)]
    return tuple(with_fingerprints(found))


def _contents(comparison: Comparison) -> Iterator[Finding]:
    for divergence in comparison.reading.found:
        if divergence.field is Field.MESSAGES:
            yield from _messages(comparison)
            continue
        difference = difference_of(comparison, divergence)
        verdict = _verdict(comparison, difference)
        blocked = lost_tokens(comparison, divergence)
        message = _said(comparison, difference, verdict) + (", above text that is sent again" if blocked else "")
        yield _finding(comparison, difference, verdict, message, difference.places)


def _said(comparison: Comparison, difference: Difference, verdict: _Verdict) -> str:
    where = _FIELDS[difference.divergence.field]
    when = "within the conversation" if _goes_on(comparison) else "between the two requests"
    match verdict.kind:
        case "key-order":
            return f"the same JSON in {where} is written with its keys in another order"
        case "reorder":
            return f"{where} hold the same parts in another order"
        case "added" | "removed":
            return f"{_TEXTS[verdict.kind].format(where=where)} {when}"
        case kind if kind in _TEXTS:
            return f"{_TEXTS[kind].format(where=where)} changes {when}"
    return f"{verdict.subject} in {where} changes {when}"


def _messages(comparison: Comparison) -> Iterator[Finding]:
    reading, history = comparison.reading, comparison.history
    if history is None:
        return
    one, other = (
        of_field([laid.piece for laid in side], Field.MESSAGES) for side in (reading.previous, reading.current)
    )
    divergence = next(each for each in reading.found if each.field is Field.MESSAGES)
    if divergence.structure == "shape":
        difference = difference_of(comparison, divergence)
        verdict = _Verdict("history-rewrite", Severity.NOTE, "", "shape")
        message = "a message that was sent before has the same text in another JSON shape; a backend may read it anew"
        yield _finding(comparison, difference, verdict, message, difference.wholes)
    if history.turn not in (Turn.TRUNCATED, Turn.REWRITTEN):
        return
    truncated = history.turn is Turn.TRUNCATED
    divergence = difference_at(one, other, history.index)
    difference = difference_of(comparison, replace(divergence, structure="removed") if truncated else divergence)
    if truncated:
        gone = "a message was" if history.dropped == 1 else f"{history.dropped} messages were"
        verdict = _Verdict("front-truncation", Severity.WARNING, "", "truncation")
        message = f"{gone} dropped from above messages that are sent again"
    elif difference.kind == "key-order":
        verdict = _Verdict("non-canonical-json", Severity.WARNING, "", "key-order")
        message = "the same JSON in a message that was sent before is written with its keys in another order"
    else:
        verdict = _Verdict("history-rewrite", Severity.WARNING, "", difference.kind)
        message = "a message that was sent before came back changed"
    yield _finding(comparison, difference, verdict, message, difference.wholes)


def _verdict(comparison: Comparison, difference: Difference) -> _Verdict:
    """The rule that owns a difference above the messages, and how bad it is."""
    goes_on = _goes_on(comparison)
    kind = difference.kind
    if kind == "key-order":
        return _Verdict("non-canonical-json", Severity.ERROR if goes_on else Severity.WARNING, "", kind)
    tools = difference.divergence.field is Field.TOOLS
    if kind == "reorder":
        level = Severity.ERROR if goes_on else Severity.WARNING
        return _Verdict("unordered-tools" if tools else "unordered-data", level, "", kind, ("request",))
    if kind not in VALUES:
        level = Severity.WARNING if goes_on and kind != "shape" else Severity.NOTE
        picked = tools and kind in ("added", "removed")
        return _Verdict("dynamic-tool-set" if picked else "prefix-divergence", level, "", kind)
    named = VALUES[kind]
    source, event = named.kind, named.event
    for value, (start, end) in zip(difference.values, difference.spans, strict=True):
        for shape in shapes_in(value):
            if shape.start < end and start < shape.end:
                source, event = shape.kind, max(shape.events, key=lambda each: each.rank)
    level = BY_EVENT.get(event, Severity.NOTE)
    if goes_on and event is not Event.DAY:
        level = Severity.ERROR
    elif not goes_on:
        level = min(level, Severity.WARNING)
    return _Verdict(owner(source, event), level, named.subject, source, (event.value,))


def _goes_on(comparison: Comparison) -> bool:
    return comparison.history is not None and comparison.history.goes_on


def _finding(
    comparison: Comparison,
    difference: Difference,
    verdict: _Verdict,
    message: str,
    places: tuple[Place | None, Place | None],
) -> Finding:
    previous, current = places
    blocked = lost_tokens(comparison, difference.divergence)
    return rule(verdict.rule).finding(
        current if current is not None else _body(comparison),
        message,
        severity=verdict.severity,
        confidence=Confidence.HIGH if _goes_on(comparison) else Confidence.MEDIUM,
        label="other than before" if previous is not None and current is not None else "",
        related=(Related(previous, "sent before"),) if previous is not None else (),
        cost=_cost(comparison, blocked, comparison.reading.prefix),
        kind=verdict.kind,
        events=verdict.events,
        evidence="shape",
        section=difference.divergence.field.value,
    )


def _settings(comparison: Comparison) -> Iterator[Finding]:
    for setting in comparison.settings:
        lost = comparison.reading.common - comparison.reading.before(setting.loses)
        known = setting.loses != "unknown"
        if known and lost <= 0:
            continue
        yield rule("varying-parameter").finding(
            setting.current or _body(comparison),
            _loss(setting),
            severity=Severity.WARNING if known else Severity.NOTE,
            confidence=Confidence.HIGH if known else Confidence.LOW,
            label="other than before" if setting.current else "not set here",
            related=(Related(setting.previous, "sent before"),) if setting.previous else (),
            cost=_cost(comparison, lost, comparison.reading.prefix) if known else None,
            subject=setting.name,
            kind="parameter",
            evidence="call",
        )


def _loss(setting: Setting) -> str:
    fresh = {
        "all": "the whole request is fresh",
        "tools": "tools and everything behind them are fresh",
        "system": "the system prompt and everything behind it are fresh",
        "messages": "the messages are fresh",
    }
    return f"`{setting.name}` is another one than before; {fresh.get(setting.loses, 'part of the cache may be lost')}"


def _cost(comparison: Comparison, blocked: int, prefix: int) -> Cost:
    """`best` is what could be reused if the changed value stood behind the text that is sent again."""
    reading, provider = comparison.reading, comparison.provider
    total = sum(laid.tokens for laid in reading.current)
    reached = min(prefix + blocked, total)
    written = [*reading.written, reached] if provider.max_breakpoints else list(reading.written)
    best = reuse(total, reached, written, provider, model=comparison.previous.appraisal.prompt.model)
    best = (max(best[0], reading.reused[0]), max(best[1], reading.reused[1]))
    return Cost(
        provider=provider.name,
        order=f"{reading.order[0]} first" if len(provider.orders) > 1 else "",
        horizon="conversation" if _goes_on(comparison) else "user",
        counter=comparison.previous.appraisal.counter.label,
        blocked=blocked,
        step=(best[0] - reading.reused[0], best[1] - reading.reused[1]),
        now=reading.reused,
        best=best,
        total=total,
    )


def _body(comparison: Comparison) -> Place:
    """The start of the current request, for what it does not say."""
    request = comparison.current.request
    start = request.node.span.start if request is not None else 0
    return Place(comparison.current.source, Span(start, start + 1))
