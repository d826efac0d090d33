"""Findings of many prompts as users want them: each cause once, the dearest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from promptlint.finding import Finding, Related, Severity
from promptlint.source import Place


def folded(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each rule and place: of the prompt that loses most, with a word about the others."""
    same: dict[tuple[str, Place], list[Finding]] = {}
    for finding in findings:
        same.setdefault((finding.rule, finding.place), []).append(finding)
    return [_one(group) for group in same.values()]


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """The findings by tokens blocked, path, position."""
    return sorted(findings, key=lambda finding: (-finding.blocked, finding.path, finding.place.span))


def worst(findings: Iterable[Finding]) -> Severity | None:
    """The highest severity; None when there are no findings."""
    return max((finding.severity for finding in findings), default=None)


def _one(same: list[Finding]) -> Finding:
    dearest = max(same, key=lambda finding: finding.blocked)
    if len(same) == 1:
        return dearest
    also = f"also in {len(same) - 1} other prompt{'s' if len(same) > 2 else ''}"
    return replace(dearest, related=(*dearest.related, Related(dearest.place, also)))
