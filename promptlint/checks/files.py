"""Findings about files that cannot be read as what they claim to be."""

from __future__ import annotations

from promptlint.events import Confidence
from promptlint.finding import Finding
from promptlint.rulebook import Rule
from promptlint.source import Place


def unreadable(place: Place, message: str, rule: Rule) -> Finding:
    """The finding for a problem that a reader met."""
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        confidence=Confidence.HIGH,
        message=message,
        place=place,
        label="here",
        advice=rule.advice,
        kind="syntax",
    )
