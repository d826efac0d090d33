"""Findings as annotations of a GitHub workflow: lines that the runner reads from a step's output.

Source: GitHub, "Workflow commands for GitHub Actions". GitHub shows at most ten annotations of a kind for a step and
drops the rest without a word, so the worst come first and the last one says how many are not shown.
"""

from __future__ import annotations

from promptlint.finding import Finding, Severity
from promptlint.folding import worst_first
from promptlint.report.annotate import said
from promptlint.report.paths import repository_path
from promptlint.report.summary import counted
from promptlint.run import Run

_MOST = 10
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def github(run: Run) -> str:
    """A workflow command a finding, ten at most."""
    worst = worst_first(run.findings)
    shown = worst if len(worst) <= _MOST else worst[: _MOST - 1]
    lines = [_annotation(finding) for finding in shown]
    if hidden := len(worst) - len(shown):
        more = f"{counted(hidden, 'more finding')} of promptlint {'is' if hidden == 1 else 'are'} not shown here"
        lines.append(f"::notice title=promptlint::{_data(f'{more}; the report has them all')}")
    return "".join(f"{line}\n" for line in lines)


def _annotation(finding: Finding) -> str:
    start = finding.place.source.position(finding.place.span.start)
    end = finding.place.source.position(finding.place.span.end)
    where = {
        "file": repository_path(finding.path),
        "line": str(start.line),
        "endLine": str(end.line),
        "title": f"promptlint {finding.rule}",
    }
    if start.line == end.line:
        # Columns of a span over several lines are refused.
        where |= {"col": str(start.column), "endColumn": str(end.column)}
    properties = ",".join(f"{name}={_property(value)}" for name, value in where.items())
    text = "\n".join(filter(None, (said(finding.message), said(finding.advice))))
    return f"::{_COMMANDS[finding.severity]} {properties}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
