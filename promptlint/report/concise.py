"""Findings on one line each."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.report.annotate import location, said
from promptlint.report.gate_view import gate_lines
from promptlint.report.paint import Paint
from promptlint.report.summary import counted, fixable, unsaid
from promptlint.run import Run


def concise(run: Run, paint: Paint) -> Iterator[str]:
    """`path:line:column: severity[rule] message` for each finding, then how many there are."""
    for finding in run.findings:
        name = paint.severity(finding.severity, f"{finding.severity.label}[{finding.rule}]")
        yield f"{paint.bold(location(finding.place))}: {name} {said(finding.message)}"
    yield total(run)
    yield from gate_lines(run.gate)


def total(run: Run) -> str:
    """How many findings there are in how many files, and how many of them have a fix."""
    found = counted(len(run.findings), "finding") if run.findings else "no findings"
    fixes = fixable(run)
    return f"{found} in {counted(run.files, 'file')}{unsaid(run)}{f'; {fixes}' if fixes else ''}"
