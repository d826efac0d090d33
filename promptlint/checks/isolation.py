"""Who shares a cache with whom, and what can be learnt from its speed: for auditors."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.checks.severity import severity
from promptlint.events import Confidence, Event, Evidence
from promptlint.finding import Finding, Related
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import Segment
from promptlint.rulebook import Rule

_OWN = (Event.TENANT, Event.USER)
_PERSONAL = frozenset({"identity", "tenant"})


def tenant_data(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """A tenant's or user's value above text that others share, in a cache of known scope and without a salt."""
    scope = appraisal.provider.scope
    if not appraisal.provider_known or scope in ("unknown", "upstream") or _salts(appraisal):
        return
    for culprit in appraisal.culprits:
        what, cause = culprit.cause.what, culprit.cause
        personal = cause.kind in _PERSONAL and any(event in cause.events for event in _OWN)
        if personal and culprit.blocks and severity(culprit, appraisal) is not None:
            yield rule.finding(
                culprit.place,
                f"{what} stands above text that all share, in a cache that a whole {scope} shares: "
                "a guess of it that is right is answered sooner",
                confidence=Confidence.MEDIUM,
                label="one tenant's or user's value",
                related=(Related(culprit.first_blocked, "shared text"),) if culprit.first_blocked else (),
                subject=what.strip("`").split(".")[0],
                kind="isolation",
                evidence=cause.evidence.value,
                section=appraisal.prompt.segments[culprit.segments[0]].section.value,
            )


def unsalted_cache(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """A request with tenants' or users' data and without the setting that keeps their caches apart."""
    salts = appraisal.provider.salts
    if not salts or _salts(appraisal) or not appraisal.prompt.body:
        return
    owned = next((each for each in appraisal.prompt.segments if _is_owned(each)), None)
    place = owned.place if owned is not None else None
    if place is None:
        place = next((each.place for each in appraisal.prompt.parameters if each.name == "user"), None)
    if place is not None:
        yield rule.finding(
            place,
            f"requests of several tenants or users share one cache of {appraisal.provider.title}: "
            f"`{salts[0]}` is not set",
            confidence=Confidence.MEDIUM,
            label="says whose request it is",
            kind="isolation",
            subject="cache",
            section=owned.section.value if owned is not None else "",
        )


def _salts(appraisal: Appraisal) -> bool:
    return any(each.name in appraisal.provider.salts for each in appraisal.prompt.parameters)


def _is_owned(segment: Segment) -> bool:
    main = segment.lifetime.main
    return (
        main is not None
        and main.kind in _PERSONAL
        and any(event in main.events for event in _OWN)
        and main.evidence is not Evidence.SECTION
        and main.confidence > Confidence.LOW
    )
