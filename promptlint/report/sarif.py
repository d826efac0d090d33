"""Findings as SARIF 2.1.0, with what GitHub code scanning asks for ("SARIF support for code scanning", GitHub)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from promptlint import __version__
from promptlint.finding import Edit, Finding, Fix, Persona, Severity
from promptlint.report.annotate import said
from promptlint.report.json_v1 import document, extent, holds_secret
from promptlint.report.mask import mask
from promptlint.report.paths import repository_uri
from promptlint.rulebook import Rule
from promptlint.run import Run
from promptlint.source import Place

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LONGEST = 1024
"""Characters of a description (GitHub)."""

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}
_PRECISIONS = {Persona.REGULAR: "high", Persona.PEDANTIC: "medium", Persona.AUDITOR: "low"}
_LINK = re.compile(r"\[(?=[^\]]*\]\()")
_SECTION = re.compile(r"(?m)^## (.+)\n")


def sarif(run: Run) -> str:
    """One SARIF run with the rules that were run and a result a finding, in JSON."""
    index = {rule.name: number for number, rule in enumerate(run.rules)}
    driver = {
        "name": "promptlint",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in run.rules],
    }
    log = {
        "tool": {"driver": driver},
        # Ending in a slash: a category, so that other tools' results of the same commit stay.
        "automationDetails": {"id": "promptlint/"},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, index.get(finding.rule)) for finding in run.findings],
    }
    return document({"$schema": _SCHEMA, "version": "2.1.0", "runs": [log]})


def _rule(rule: Rule) -> dict[str, object]:
    sections = _sections(rule.body)
    what = " ".join(sections.get("What it does", rule.summary).split("\n\n")[0].split())
    advice = rule.advice.strip()
    kept = {title: text for title, text in sections.items() if title != "Examples"}
    pages = (f"## {title}\n\n{text}\n" for title, text in ({**kept, "Advice": advice} if advice else kept).items())
    return {
        "id": rule.name,
        "name": rule.name,
        "shortDescription": {"text": rule.summary[:_LONGEST]},
        "fullDescription": {"text": what[:_LONGEST]},
        "help": {"text": " ".join(advice.split()) or rule.summary, "markdown": "\n".join(pages)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "tags": ["prompt-caching", rule.group],
            "precision": _PRECISIONS[rule.persona],
            "problem.severity": _PROBLEMS[rule.severity],
        },
    }


def _sections(body: str) -> dict[str, str]:
    """The texts under the headings of the second rank."""
    parts = _SECTION.split(body)
    return {title: text.strip() for title, text in zip(parts[1::2], parts[2::2], strict=True)}


def _result(finding: Finding, index: int | None) -> dict[str, object]:
    related = [
        {"id": number, **_location(each.place), "message": {"text": said(each.message) or "related"}}
        for number, each in enumerate(finding.related, start=1)
    ]
    # GitHub shows only those related places that the message links.
    links = [f"[{_link_text(each.message)}]({at})" for at, each in enumerate(finding.related, start=1)]
    text = ": ".join(filter(None, (_LINK.sub(r"\\[", said(finding.message)), ", ".join(links))))
    fixes = [_fix(fix) for fix in finding.fixes if not holds_secret(fix)]
    return {
        "ruleId": finding.rule,
        **({} if index is None else {"ruleIndex": index}),
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [_location(finding.place)],
        **({"relatedLocations": related} if related else {}),
        "partialFingerprints": {
            "primaryLocationLineHash": f"{finding.fingerprint}:1",
            "promptlint/v1": finding.fingerprint,
        },
        **({"fixes": fixes} if fixes else {}),
        "properties": {
            "confidence": finding.confidence.label,
            "kind": finding.kind,
            "blockedTokens": finding.blocked,
            "advice": said(finding.advice),
        },
    }


def _link_text(message: str) -> str:
    return re.sub(r"[\\\]\[]", r"\\\g<0>", said(message) or "related")


def _location(place: Place) -> dict[str, object]:
    artifact = {"uri": repository_uri(place.source.path)}
    return {"physicalLocation": {"artifactLocation": artifact, "region": _region(place)}}


def _region(place: Place) -> dict[str, int]:
    at = extent(place)
    return {
        "startLine": at["line"],
        "startColumn": at["column"],
        "endLine": at["end_line"],
        "endColumn": at["end_column"],
    }


def _fix(fix: Fix) -> dict[str, object]:
    files: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        files.setdefault(edit.place.source.path, []).append(edit)
    changes = [
        {"artifactLocation": {"uri": repository_uri(path)}, "replacements": _replacements(edits)}
        for path, edits in files.items()
    ]
    return {"description": {"text": mask(fix.title)}, "artifactChanges": changes}


def _replacements(edits: Iterable[Edit]) -> list[dict[str, object]]:
    return [{"deletedRegion": _region(edit.place), "insertedContent": {"text": edit.text}} for edit in edits]
