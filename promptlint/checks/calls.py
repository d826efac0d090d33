"""Settings that differ between the requests of one file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from promptlint.checks.parameters import LOSES, shares_by
from promptlint.events import Confidence
from promptlint.finding import Finding, Related, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.layout.horizons import is_history
from promptlint.prompt import Field, Parameter, Section
from promptlint.rulebook import Rule

_FEWEST = 3
"""Requests of a file that say something together; two may be two runs."""


def key_for_each(appraisals: Sequence[Appraisal], rule: Rule) -> Iterator[Finding]:
    """Requests of one file that begin alike, each with a cache key of its own; not those of conversations."""
    groups: dict[tuple[str, str, str], list[Parameter]] = defaultdict(list)
    for appraisal in appraisals:
        talk = any(is_history(each) or each.section is Section.HISTORY for each in appraisal.prompt.segments)
        own = [given for given in appraisal.prompt.parameters if shares_by(appraisal.provider, given.name)]
        if own and appraisal.prompt.rendered and not talk and (start := _beginning(appraisal)) is not None:
            for given in own:
                groups[appraisal.provider.name, given.name, start].append(given)
    for (_, name, _), keyed in groups.items():
        values = {each.place.text for each in keyed}
        if len(keyed) >= _FEWEST and len(values) == len(keyed):
            yield rule.finding(
                keyed[0].place,
                f"{len(keyed)} requests of this file begin alike, and each has a `{name}` of its own",
                severity=Severity.WARNING,
                confidence=Confidence.MEDIUM,
                label="one key for each request",
                related=(Related(keyed[1].place, "the same beginning, another key"),),
                kind="cache-key",
                subject=name,
                evidence="shape",
            )


def switched(appraisals: Sequence[Appraisal], rule: Rule) -> Iterator[Finding]:
    """A setting that differs between two calls of one conversation in a file, the first such pair for each setting."""
    seen: set[str] = set()
    calls = [each for each in appraisals if each.prompt.rendered and each.provider_known]
    for before, after in pairwise(calls):
        if not _goes_on(before, after):
            continue
        earlier = {given.name: given for given in before.prompt.parameters}
        for given in after.prompt.parameters:
            lost, old = after.provider.breaks.get(given.name, "none"), earlier.get(given.name)
            if old is None or lost == "none" or given.name in seen or old.place.text == given.place.text:
                continue
            seen.add(given.name)
            yield rule.finding(
                given.place,
                f"`{given.name}` differs from the call before in the same conversation: {LOSES[lost]}",
                severity=Severity.WARNING,
                confidence=Confidence.MEDIUM,
                label="another value",
                related=(Related(old.place, "the value of the call before"),),
                kind="parameter",
                subject=given.name,
                evidence="shape",
            )


def _texts(appraisal: Appraisal, *, messages: bool) -> list[str]:
    return [
        each.text if each.text is not None else each.place.text if each.place else ""
        for each in appraisal.prompt.segments
        if (each.field is Field.MESSAGES) == messages
    ]


def _beginning(appraisal: Appraisal) -> str | None:
    """Tools and system text, None when they are too short to matter."""
    text = "\0".join(_texts(appraisal, messages=False))
    tokens = appraisal.tokens()
    size = sum(tokens[at] for at, each in enumerate(appraisal.prompt.segments) if each.field is not Field.MESSAGES)
    return text if size >= max(appraisal.ignore_below, 1) else None


def _goes_on(before: Appraisal, after: Appraisal) -> bool:
    """Whether a request begins with all of another one, and says more."""
    first, second = _texts(before, messages=True), _texts(after, messages=True)
    same = _texts(before, messages=False) == _texts(after, messages=False)
    return same and bool(first) and len(second) > len(first) and second[: len(first)] == first
