"""Breakpoints that the provider, or a library on the way to it, does not take as they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from promptlint.checks.blocks import Blocks, positions
from promptlint.data import load_toml
from promptlint.events import Confidence
from promptlint.finding import Finding, Related, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import Field, Marker, Section
from promptlint.rulebook import Rule


def too_many(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """The first marker above the provider's limit. OpenAI's automatic one is not counted: it gives way."""
    limit, blocks = appraisal.provider.max_breakpoints, Blocks(appraisal)
    if not appraisal.provider_known or not 0 < limit < len(blocks.marks):
        return
    over = blocks.marks[limit].marker
    refused = appraisal.provider.excess == "refused"
    yield rule.finding(
        over.place,
        f"{len(blocks.marks)} breakpoints in one request, {limit} at most ({appraisal.provider.title}): "
        + ("the request is refused" if refused else "what becomes of the others is not stated"),
        severity=rule.severity if refused else Severity.WARNING,
        label=f"number {limit + 1}",
        related=tuple(Related(mark.marker.place, "counts too") for mark in blocks.marks[:limit]),
        kind="breakpoint",
        subject="breakpoint",
    )


def ttl_order(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """A marker with a longer TTL behind one with a shorter; the first such pair."""
    if not any(_concerns(row, appraisal) for row in load_toml("breakpoints.toml")["order"]):
        return
    shortest: Marker | None = None
    for mark in Blocks(appraisal).marks:
        marker, seconds = mark.marker, seconds_of(mark.marker, appraisal)
        before = seconds_of(shortest, appraisal) if shortest is not None else None
        if shortest is not None and seconds is not None and before is not None and seconds > before:
            yield rule.finding(
                marker.place,
                f"a breakpoint that lives {ttl_of(marker, appraisal)} stands behind one that lives "
                f"{ttl_of(shortest, appraisal)}: the request is refused",
                label="lives longer",
                related=(Related(shortest.place, "lives shorter, and stands first in tools, system, messages"),),
                kind="breakpoint",
                subject="breakpoint",
            )
            return
        if seconds is not None and (before is None or seconds < before):
            shortest = marker


def dropped(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """Markers at places that are not read, by the table of sites."""
    rows = [row for row in load_toml("breakpoints.toml")["site"] if _concerns(row, appraisal)]
    for marker in appraisal.prompt.markers:
        row = next((row for row in rows if row["site"] == marker.site), None)
        if row is None:
            continue
        refused = row["effect"] == "refused"
        seen = f" ({_package(row)}, looked at {row['checked_on']})" if "package" in row else ""
        yield rule.finding(
            marker.place,
            f"{row['said']}{seen}: " + ("the request is refused" if refused else "nothing is cached here"),
            severity=Severity.ERROR if refused else rule.severity,
            label="not taken here",
            advice=row["do"],
            kind="breakpoint",
            subject=marker.site,
        )


def lookback_exceeded(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """A turn that adds more blocks than the look-back reaches, with no breakpoint where the call before it ended.

    The call before ended with the last message of the user or of a tool above the newest answer. What it wrote there
    is found from the next breakpoint on only within the look-back. A breakpoint high up changes nothing: it is found
    by itself, and reaches no further.
    """
    lookback, blocks = appraisal.provider.lookback, Blocks(appraisal)
    sent = [at for at, segment in enumerate(blocks.within(0, len(blocks.order))) if segment.field is Field.MESSAGES]
    answers = [at for at in sent if blocks.segments[blocks.order[at]].role == "assistant"]
    if not lookback or not answers or not appraisal.prompt.rendered:
        return
    ended = _end_of_call_before(blocks, sent, answers[-1])
    mark = next((mark for mark in blocks.marks if mark.end > ended), None) if ended else None
    if mark is None or any(mark.end == ended for mark in blocks.marks):
        return
    added = list(positions(blocks.within(ended, mark.end)))
    if len(added) < lookback or added[0].place is None:
        return
    yield rule.finding(
        mark.marker.place,
        f"{len(added)} blocks were added since the call before, and {appraisal.provider.title} looks back over "
        f"{lookback}: what that call wrote is not found",
        confidence=Confidence.MEDIUM,
        label=f"looks back over {lookback} blocks, this one included",
        related=(Related(added[0].place, "the call before ended above this block"),),
        kind="breakpoint",
        subject="breakpoint",
        section=Section.HISTORY.value,
    )


def ttl_of(marker: Marker, appraisal: Appraisal) -> str:
    """The TTL's name: the marker's own, else the provider's default; empty where none is known."""
    known = appraisal.provider.ttl or ()
    return marker.ttl or (known[0].name if known else "")


def seconds_of(marker: Marker, appraisal: Appraisal) -> int | None:
    """How long a marker's entry lives at most, in seconds; None for a TTL that the provider does not have."""
    name = ttl_of(marker, appraisal)
    return next((ttl.seconds[1] for ttl in appraisal.provider.ttl or () if ttl.name == name), None)


def _end_of_call_before(blocks: Blocks, sent: list[int], answer: int) -> int:
    """The position behind the last message above the newest run of answers; 0 when there is none."""
    while answer in sent and blocks.segments[blocks.order[answer]].role == "assistant":
        answer -= 1
    return answer + 1 if answer in sent else 0


def _concerns(row: Mapping[str, Any], appraisal: Appraisal) -> bool:
    return appraisal.provider_known and appraisal.provider.name in row["providers"]


def _package(row: Mapping[str, Any]) -> str:
    """The library with the versions that drop the marker, as far as they are known."""
    if "below" in row:
        return f"{row['package']} before {row['below']}"
    return " ".join([row["package"], *([row["seen"]] if "seen" in row else [])])
