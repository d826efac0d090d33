"""Findings of many prompts as users want them: each cause once, the dearest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from promptlint.finding import Finding, Related, Severity
from promptlint.source import Place

_MOST_OTHERS = 5


def folded(findings: Iterable[Finding]) -> list[Finding]:
    """Each cause once.

    Of one place in several prompts the prompt that loses most is shown, with a word about the others. Of one value
    in several places of a file the first is shown, the others are related.
    """
    places: dict[tuple[str, Place], list[Finding]] = {}
    for finding in findings:
        places.setdefault((finding.rule, finding.place), []).append(finding)
    values: dict[tuple[str, ...], list[Finding]] = {}
    for group in places.values():
        finding = _dearest(group)
        unique = "" if finding.subject else str(finding.place.span)
        values.setdefault((finding.rule, finding.path, finding.subject, unique), []).append(finding)
    return [_first(group) for group in values.values()]


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """The findings by tokens blocked, path, position."""
    return sorted(findings, key=lambda finding: (-finding.blocked, finding.path, finding.place.span))


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """The findings by severity, then by tokens blocked, for where only some are shown."""
    return sorted(findings, key=lambda finding: (-finding.severity, -finding.blocked))


def worst(findings: Iterable[Finding]) -> Severity | None:
    """The highest severity; None when there are no findings."""
    return max((finding.severity for finding in findings), default=None)


def _dearest(same: list[Finding]) -> Finding:
    dearest = max(same, key=lambda finding: finding.blocked)
    if len(same) == 1:
        return dearest
    also = f"also in {len(same) - 1} other prompt{'s' if len(same) > 2 else ''}"
    return replace(dearest, related=(*dearest.related, Related(dearest.place, also)))


def _first(same: list[Finding]) -> Finding:
    first, *others = sorted(same, key=lambda finding: finding.place.span)
    related = [Related(other.place, "and here") for other in others[:_MOST_OTHERS]]
    if len(others) > _MOST_OTHERS:
        related[-1] = replace(related[-1], message=f"and here, and in {len(others) - _MOST_OTHERS} more places")
    severity = max(finding.severity for finding in same)
    return replace(first, severity=severity, related=(*first.related, *related)) if others else first
