"""Findings as a GitLab code quality report (GitLab, "Code Quality report format")."""

from __future__ import annotations

from collections import Counter

from promptlint.finding import Finding, Severity
from promptlint.report.annotate import said
from promptlint.report.json_v1 import document
from promptlint.report.paths import repository_path
from promptlint.run import Run

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def gitlab(run: Run) -> str:
    """A JSON array, one element a finding. Of elements with one fingerprint GitLab would show the first only."""
    seen: Counter[str] = Counter()
    rows = []
    for finding in run.findings:
        seen[finding.fingerprint] += 1
        often = seen[finding.fingerprint]
        rows.append(_row(finding, f"{finding.fingerprint}-{often}" if often > 1 else finding.fingerprint))
    return document(rows)


def _row(finding: Finding, fingerprint: str) -> dict[str, object]:
    start = finding.place.source.position(finding.place.span.start)
    end = finding.place.source.position(finding.place.span.end)
    return {
        "type": "issue",
        "check_name": finding.rule,
        "description": said(finding.message),
        "severity": _SEVERITIES[finding.severity],
        "fingerprint": fingerprint,
        "location": {
            "path": repository_path(finding.path),
            "positions": {
                "begin": {"line": start.line, "column": start.column},
                "end": {"line": end.line, "column": end.column},
            },
        },
    }
