"""A finding of a rule that is no selection over culprits."""

from __future__ import annotations

from promptlint.events import Confidence
from promptlint.finding import Finding, Fix, Related, Severity
from promptlint.rulebook import Rule
from promptlint.source import Place


def finding(
    rule: Rule,
    place: Place,
    message: str,
    *,
    label: str,
    kind: str,
    subject: str,
    evidence: str = "",
    severity: Severity | None = None,
    confidence: Confidence = Confidence.HIGH,
    related: tuple[Related, ...] = (),
    advice: str = "",
    section: str = "",
    fixes: tuple[Fix, ...] = (),
) -> Finding:
    """The finding, at the rule's severity unless another is given; `advice` is said before the rule's own.

    Findings of a rule with one `subject` in a file are one, so a log of a thousand requests says it once.
    """
    return Finding(
        rule=rule.name,
        severity=rule.severity if severity is None else severity,
        confidence=confidence,
        message=message,
        place=place,
        label=label,
        related=related,
        advice=f"{advice} {rule.advice}".strip(),
        subject=subject,
        kind=kind,
        evidence=evidence,
        section=section,
        fixes=fixes,
    )
