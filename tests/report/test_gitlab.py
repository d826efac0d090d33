from __future__ import annotations

import json
from dataclasses import replace

from promptlint.finding import Finding, Severity
from promptlint.report.gitlab import gitlab
from promptlint.run import Run


def test_an_element_a_finding(finding: Finding) -> None:
    assert json.loads(gitlab(Run((finding,), (), 1, None))) == [
        {
            "type": "issue",
            "check_name": "clock-in-prefix",
            "description": "a clock that changes with every request stands above text that never changes",
            "severity": "major",
            "fingerprint": "0123456789abcdef",
            "location": {
                "path": "prompts/support.j2",
                "positions": {"begin": {"line": 1, "column": 16}, "end": {"line": 1, "column": 48}},
            },
        }
    ]


def test_severities(finding: Finding) -> None:
    rows = json.loads(gitlab(Run(tuple(replace(finding, severity=each) for each in Severity), (), 1, None)))
    assert [row["severity"] for row in rows] == ["info", "minor", "major"]


def test_fingerprints_are_unique(finding: Finding) -> None:
    rows = json.loads(gitlab(Run((finding,) * 3, (), 1, None)))
    assert [row["fingerprint"] for row in rows] == ["0123456789abcdef", "0123456789abcdef-2", "0123456789abcdef-3"]
