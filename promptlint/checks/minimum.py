"""Breakpoints below the shortest prefix that is cached, and prefixes above it without one."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.checks.blocks import Blocks, Mark, has_known_size, last_line
from promptlint.checks.breakpoints import ttl_of
from promptlint.checks.multipliers import multipliers
from promptlint.events import Confidence
from promptlint.finding import Finding, Related, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.layout.horizons import is_history
from promptlint.prompt import Field, GuardKind
from promptlint.providers.registry import UNBOUNDED
from promptlint.rulebook import Rule


def below_minimum(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """The lowest breakpoint of a complete request, when even what stands above that one is too short to be cached.

    A breakpoint at the very end of a conversation grows with it, and is left alone.
    """
    blocks = Blocks(appraisal)
    if not appraisal.provider_known or not appraisal.prompt.complete or not blocks.marks:
        return
    mark = blocks.marks[-1]
    above = blocks.within(0, mark.end)
    low, high = appraisal.provider.minimum_for(appraisal.model)
    if not above or not has_known_size(above) or high == UNBOUNDED or _grows(blocks, mark):
        return
    tokens = blocks.tokens(0, mark.end)
    surely = blocks.band(tokens)[1] < low
    if not surely and (tokens >= low or not appraisal.model):
        return
    name = appraisal.model or appraisal.provider.title
    least = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    yield rule.finding(
        mark.marker.place,
        f"{blocks.said(tokens)} stand above the last breakpoint, and {name} caches from {least} on: "
        + ("nothing is cached" if surely else "probably nothing is cached"),
        severity=rule.severity if surely else Severity.NOTE,
        confidence=Confidence.HIGH if surely else Confidence.LOW,
        label="ignored" if surely else "probably ignored",
        related=tuple(Related(each.marker.place, "and so is this one") for each in blocks.marks[:-1]),
        advice=_padding(appraisal, mark, tokens, high),
        kind="minimum",
        subject=name,
        section=above[-1].section.value,
    )


def missing_breakpoint(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """A request to a provider that caches only what is marked, with a prefix that is long enough and no breakpoint."""
    prompt, provider = appraisal.prompt, appraisal.provider
    if prompt.markers or not (
        appraisal.provider_known and provider.marked_only and prompt.body and provider.max_breakpoints
    ):
        return
    if prompt.provider is None or any(each.name == "cachedContent" for each in prompt.parameters):
        return
    blocks = Blocks(appraisal)
    least = provider.minimum_for(appraisal.model)[1]
    shared = blocks.stable_until()
    until = shared if _fewest(blocks, shared) >= least else _end_of_history(blocks)
    place = last_line(blocks.within(0, until))
    if _fewest(blocks, until) < least or place is None:
        return
    where = "the first change" if until == shared else "the newest turn"
    yield rule.finding(
        place,
        f"{blocks.said(blocks.tokens(0, until))} stand above {where} without a breakpoint: "
        f"{provider.title} caches only what is marked",
        confidence=Confidence.MEDIUM,
        label="the last block worth a breakpoint" if until == shared else "a breakpoint here serves the next call",
        kind="breakpoint",
        subject="breakpoint",
        section=blocks.within(0, until)[-1].section.value,
    )


def _grows(blocks: Blocks, mark: Mark) -> bool:
    return blocks.is_last(mark) and blocks.within(mark.end - 1, mark.end)[0].field is Field.MESSAGES


def _fewest(blocks: Blocks, until: int) -> int:
    """The fewest tokens above a position: literal text alone, in the lower end of the counter's band."""
    each = blocks.appraisal.tokens()
    literal = [at for at in blocks.order[:until] if blocks.segments[at].text is not None]
    plain = [at for at in literal if all(guard.kind is not GuardKind.BRANCH for guard in blocks.segments[at].guards)]
    return blocks.band(sum(each[at] for at in plain))[0]


def _end_of_history(blocks: Blocks) -> int:
    """The position behind the last message of the conversation so far, of a request that was sent."""
    if not blocks.appraisal.prompt.rendered:
        return 0
    ends = [at + 1 for at, each in enumerate(blocks.within(0, len(blocks.order))) if is_history(each)]
    told = [at + 1 for at, each in enumerate(blocks.within(0, len(blocks.order))) if each.section.value == "history"]
    return max((*ends, *told), default=0)


def _padding(appraisal: Appraisal, mark: Mark, tokens: int, minimum: int) -> str:
    """Whether it pays to make the prefix longer, by the price multiples that are known."""
    prices = multipliers(appraisal.provider, appraisal.model)
    if prices is None:
        return ""
    uses = prices.uses_to_pad(tokens, minimum, ttl_of(mark.marker, appraisal))
    if uses is None:
        return f"Padding it to {minimum:,} tokens never pays: reading those costs more than sending these fresh."
    return f"Padding it to {minimum:,} tokens pays from the {ordinal(uses)} use within one cache life on."


def ordinal(number: int) -> str:
    """The number as an ordinal: "3rd"."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"
