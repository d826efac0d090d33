"""What only shows between the requests of one file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from promptlint.events import Confidence
from promptlint.finding import Finding, Related
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import Field
from promptlint.rulebook import Rule
from promptlint.source import Place


def key_order(appraisals: Sequence[Appraisal], rule: Rule) -> Iterator[Finding]:
    """Tools that are equal in two requests but for the order of their keys; the first such pair of a file."""
    written: dict[str, tuple[str, Place]] = {}
    for appraisal in appraisals:
        if not appraisal.prompt.rendered:
            continue
        for segment in appraisal.prompt.segments:
            if segment.field is not Field.TOOLS or segment.place is None or segment.text is None:
                continue
            canonical = _canonical(segment.text)
            if canonical is None:
                continue
            text, first = written.setdefault(canonical, (_compact(segment.text), segment.place))
            if text != _compact(segment.text):
                yield Finding(
                    rule=rule.name,
                    severity=rule.severity,
                    confidence=Confidence.HIGH,
                    message="the same tool is written with its keys in another order than in an earlier request",
                    place=segment.place,
                    label="other bytes, the same tool",
                    related=(Related(first, "written like this before"),),
                    advice=rule.advice,
                    kind="key-order",
                    evidence="shape",
                    section=segment.section.value,
                )
                return


def _canonical(text: str) -> str | None:
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except (ValueError, RecursionError):
        return None


def _compact(text: str) -> str:
    return json.dumps(json.loads(text), separators=(",", ":"))
