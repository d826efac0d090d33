"""Findings as JUnit XML, in the dialect that Jenkins' schema junit-10.xsd describes and GitLab reads."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from promptlint.finding import Finding, Severity
from promptlint.report.annotate import said
from promptlint.report.paint import escaped
from promptlint.report.paths import repository_path
from promptlint.run import Run


def junit(run: Run) -> str:
    """A suite a file, a case a finding. Notes are cases that pass, and so is a file without findings."""
    files: dict[str, list[Finding]] = {appraisal.prompt.path: [] for appraisal in run.appraisals}
    for finding in run.findings:
        files.setdefault(finding.path, []).append(finding)
    suites = [_suite(path, sorted(found, key=lambda each: each.place.span)) for path, found in sorted(files.items())]
    cases = sum(max(1, len(found)) for found in files.values())
    failures = sum(map(_is_failure, run.findings))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="promptlint" tests="{cases}" failures="{failures}" errors="0">\n'
        f"{''.join(suites)}</testsuites>\n"
    )


def _suite(shown: str, findings: list[Finding]) -> str:
    path = quoteattr(escaped(repository_path(shown)))
    cases = [_case(finding, path) for finding in findings] or [f'    <testcase name="no findings" classname={path}/>\n']
    failures = sum(map(_is_failure, findings))
    head = f'  <testsuite name={path} tests="{len(cases)}" failures="{failures}" errors="0">\n'
    return f"{head}{''.join(cases)}  </testsuite>\n"


def _case(finding: Finding, path: str) -> str:
    at = finding.place.source.position(finding.place.span.start)
    message = said(finding.message)
    text = escape("\n".join((f"{at.line}:{at.column} {message}", *filter(None, [said(finding.advice)]))))
    kind = finding.severity.label
    body = (
        f'<failure type="{kind}" message={quoteattr(message)}>{text}</failure>'
        if _is_failure(finding)
        else f"<system-out>{kind}: {text}</system-out>"
    )
    name = quoteattr(f"{finding.rule} at {at.line}:{at.column}")
    return f"    <testcase name={name} classname={path}>{body}</testcase>\n"


def _is_failure(finding: Finding) -> bool:
    return finding.severity > Severity.NOTE
