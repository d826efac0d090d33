"""Findings under the name of their file."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.finding import Finding
from promptlint.report.annotate import said
from promptlint.report.concise import total
from promptlint.report.gate_view import gate_lines
from promptlint.report.paint import Paint, escaped
from promptlint.run import Run


def grouped(run: Run, paint: Paint) -> Iterator[str]:
    """For each file its path and a line a finding, in the order of the text; then how many there are."""
    files: dict[str, list[Finding]] = {}
    for finding in run.findings:
        files.setdefault(finding.path, []).append(finding)
    for path in sorted(files):
        yield paint.bold(escaped(path))
        found = sorted(files[path], key=lambda finding: finding.place.span)
        width = max(len(_at(finding)) for finding in found)
        for finding in found:
            name = paint.severity(finding.severity, f"{finding.severity.label}[{finding.rule}]")
            yield f"  {_at(finding):<{width}}  {name} {said(finding.message)}"
        yield ""
    yield total(run)
    yield from gate_lines(run.gate)


def _at(finding: Finding) -> str:
    at = finding.place.source.position(finding.place.span.start)
    return f"{at.line}:{at.column}"
