"""Cache writes that nobody reads: what is marked changes, or the entry is gone before the next request comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from promptlint.checks.blocks import Blocks, Mark, has_known_size, last_line
from promptlint.checks.breakpoints import seconds_of, ttl_of
from promptlint.checks.minimum import ordinal
from promptlint.checks.multipliers import Multipliers, multipliers
from promptlint.checks.remarking import remarked
from promptlint.checks.severity import severity
from promptlint.events import Cause, Confidence, Event, Evidence
from promptlint.finding import Finding, Related
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import Field, Section, Segment
from promptlint.rulebook import Rule

_TAIL = 16
"""Stable tokens below a value that do not count: the rest of its line. With more, the value itself is in the way."""

_OFTEN = (Event.TURN, Event.REQUEST)
_RARELY = frozenset({Event.DEPLOY, Event.RESTART})


def on_volatile(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """A breakpoint whose block ends in a value that is another one in each request, below text that stays."""
    blocks = Blocks(appraisal)
    if not appraisal.provider_known:
        return
    start, spoken = 0, _spoken(appraisal) if blocks.marks else frozenset()
    for mark in blocks.marks:
        found = _changing_end(blocks, start, mark, spoken)
        if found is not None:
            position, cause = found
            last, changing = (blocks.segments[blocks.order[at]] for at in (position - 1, position))
            stable = _literal(blocks, start, position)
            place, line = changing.place, last_line(blocks.within(start, position))
            if place is not None and line is not None and stable:
                above = blocks.within(start, position)
                known = has_known_size(above)
                size = blocks.said(blocks.tokens(start, position)) if known else "all blocks"
                yield rule.finding(
                    mark.marker.place,
                    f"this breakpoint stands behind {cause.what}, which is another one in each request: "
                    "it is written each time and never read",
                    confidence=cause.confidence if cause.evidence is not Evidence.SECTION else Confidence.MEDIUM,
                    label="written each time",
                    related=(
                        Related(place, "another one in each request"),
                        Related(line, f"{size} up to here stay the same: the breakpoint belongs here"),
                    ),
                    kind="breakpoint",
                    subject="breakpoint",
                    evidence=cause.evidence.value,
                    section=changing.section.value,
                    fixes=remarked(appraisal.prompt, mark.marker, last, changing) if _stays(last) else (),
                )
        start = mark.end


def paid_writes(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """The changing end of a request that no other call goes on from, written at the price of a write."""
    blocks = Blocks(appraisal)
    prices = multipliers(appraisal.provider, appraisal.model) if appraisal.provider_known else None
    if prices is None or not blocks.is_one_call():
        return
    start = max((mark.end for mark in blocks.marks if not _is_end(blocks, mark)), default=blocks.stable_until())
    tail = next((mark for mark in blocks.marks if _is_end(blocks, mark)), None)
    name = ttl_of(tail.marker, appraisal) if tail else _default_ttl(appraisal)
    if (tail is None and not _writes_by_itself(appraisal)) or name not in prices.write or prices.write[name] <= 1:
        return
    changing = [each for each in blocks.within(start, len(blocks.order)) if _main(each) is not None]
    tokens, shared = blocks.tokens(start, len(blocks.order)), blocks.tokens(0, start)
    minimum = appraisal.provider.minimum_for(appraisal.model)[1]
    if (
        not changing
        or shared < minimum
        or tokens < max(appraisal.ignore_below, _TAIL)
        or _literal(blocks, start, len(blocks.order))
    ):
        return
    place = tail.marker.place if tail else changing[0].place
    if place is None:
        return
    extra = round(100 * (prices.write[name] - 1))
    yield rule.finding(
        place,
        f"what is filled in here, {tokens:,} tokens as assumed or stated, is written to the cache on each call "
        f"and never read: {extra} % dearer than sending it fresh",
        confidence=Confidence.MEDIUM,
        label="written each time, never read",
        related=(Related(line, "what is shared ends here"),) if (line := last_line(blocks.within(0, start))) else (),
        kind="breakpoint",
        subject="breakpoint",
        section=changing[0].section.value,
    )


def ttl_too_short(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """A breakpoint whose entry is gone when the next request comes, by the interval that the configuration states."""
    interval = appraisal.interval
    if interval is None or not appraisal.provider_known:
        return
    prices = multipliers(appraisal.provider, appraisal.model)
    for mark in Blocks(appraisal).marks:
        seconds = seconds_of(mark.marker, appraisal)
        if seconds is None or seconds >= interval:
            continue
        yield rule.finding(
            mark.marker.place,
            f"the entry lives {ttl_of(mark.marker, appraisal)}, requests come every {duration(interval)} as stated: "
            "it is written each time and never read",
            label="gone before the next request",
            advice=_longer(appraisal, prices, interval),
            kind="ttl",
            subject="breakpoint",
            evidence="declaration",
        )
        return


def duration(seconds: int) -> str:
    """Seconds in the largest unit that divides them: "20m"."""
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _longer(appraisal: Appraisal, prices: Multipliers | None, interval: int) -> str:
    """The TTL that lasts, with its break-even, or that none does."""
    lasting = next((ttl for ttl in appraisal.provider.ttl or () if ttl.seconds[0] >= interval), None)
    if lasting is None:
        return "No TTL of this provider lasts that long: without the breakpoint each request costs less."
    uses = prices.uses_to_pay(lasting.name) if prices is not None else None
    if uses is None:
        return f"A TTL of {lasting.name} lasts."
    return (
        f"A TTL of {lasting.name} lasts, and pays from the {ordinal(uses)} request of an unbroken chain on; "
        "for fewer, leave the breakpoint out."
    )


def _changing_end(blocks: Blocks, start: int, mark: Mark, spoken: frozenset[int]) -> tuple[int, Cause] | None:
    """The first of the values at the end of a marked block, with the cause of the last one."""
    below, found = 0, None
    for position in range(mark.end - 1, start - 1, -1):
        at = blocks.order[position]
        segment = blocks.segments[at]
        cause = _main(segment) if at not in spoken else None
        if cause is not None and _counts(blocks, segment, cause, mark):
            found = (position, found[1] if found else cause)
            continue
        below += blocks.tokens(position, position + 1) if segment.text is None or segment.text.strip() else 0
        if below > _TAIL:
            break
    return found


def _counts(blocks: Blocks, segment: Segment, cause: Cause, mark: Mark) -> bool:
    """In a message, only of a request that stands alone: a conversation's newest turn is read by its next call."""
    if segment.field is Field.MESSAGES:
        return blocks.is_one_call() and (cause.evidence is not Evidence.SECTION or blocks.is_last(mark))
    return cause.evidence is not Evidence.SECTION and cause.confidence > Confidence.LOW


def _main(segment: Segment) -> Cause | None:
    """Why a segment differs from request to request; None when it does not, or has a few variants."""
    main = segment.lifetime.main
    often = main is not None and any(event in main.events for event in _OFTEN) and not segment.lifetime.few
    return main if often else None


def _spoken(appraisal: Appraisal) -> frozenset[int]:
    """The segments whose values have a finding of their own: one cause, one finding."""
    reported = (culprit for culprit in appraisal.culprits if severity(culprit, appraisal) is not None)
    return frozenset(at for culprit in reported for at in culprit.segments)


def _literal(blocks: Blocks, start: int, end: int) -> bool:
    """Whether more than a few tokens between two positions stay the same in each request."""
    stays = [position for position in range(start, end) if _stays(blocks.segments[blocks.order[position]])]
    return sum(blocks.tokens(position, position + 1) for position in stays) > _TAIL


def _stays(segment: Segment) -> bool:
    return segment.lifetime.known and segment.lifetime.events <= _RARELY


def _is_end(blocks: Blocks, mark: Mark) -> bool:
    above = blocks.within(0, mark.end)
    return blocks.is_last(mark) and bool(above) and above[-1].section in (Section.USER, Section.RETRIEVED)


def _writes_by_itself(appraisal: Appraisal) -> bool:
    modes = [
        each.place.text.strip("\"'") for each in appraisal.prompt.parameters if each.name == "prompt_cache_options.mode"
    ]
    return "message" in appraisal.provider.automatic and appraisal.prompt.body and "explicit" not in modes


def _default_ttl(appraisal: Appraisal) -> str:
    stated = [
        each.place.text.strip("\"'") for each in appraisal.prompt.parameters if each.name == "prompt_cache_options.ttl"
    ]
    known: Sequence[str] = [ttl.name for ttl in appraisal.provider.ttl or ()]
    return next((name for name in stated if name in known), known[0] if known else "")
