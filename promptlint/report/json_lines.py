"""Findings for programs, one JSON object a line: what version 1 of the JSON report holds under `findings`."""

from __future__ import annotations

from promptlint.report.json_v1 import finding_json, line
from promptlint.run import Run


def json_lines(run: Run) -> str:
    """A line for each finding; nothing for a clean run."""
    return "".join(line(finding_json(finding)) for finding in run.findings)
