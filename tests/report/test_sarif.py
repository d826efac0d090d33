from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from promptlint.finding import Finding, Related, Severity
from promptlint.report.sarif import sarif
from promptlint.rulebook import rules
from promptlint.run import Run


def _run(*findings: Finding) -> dict[str, Any]:
    log = json.loads(sarif(Run(findings, (), 1, None, rules())))
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def test_what_github_asks_of_a_rule() -> None:
    """github.com, "SARIF support for code scanning": reportingDescriptor. Empty strings are refused."""
    run = _run()
    assert run["automationDetails"] == {"id": "promptlint/"}
    driver = run["tool"]["driver"]
    assert driver["name"] == "promptlint"
    assert [rule["id"] for rule in driver["rules"]] == [rule.name for rule in rules()]
    for rule in driver["rules"]:
        for text in (rule["shortDescription"], rule["fullDescription"]):
            assert 0 < len(text["text"]) <= 1024
        assert rule["help"]["text"]
        assert rule["help"]["markdown"].startswith("## What it does\n")
        assert "```finds" not in rule["help"]["markdown"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        assert rule["properties"]["precision"] in ("very-high", "high", "medium", "low")
        assert rule["properties"]["problem.severity"] in ("error", "warning", "recommendation")
        assert 0 < len(rule["properties"]["tags"]) <= 20


def test_what_github_asks_of_a_result(finding: Finding) -> None:
    run = _run(finding)
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "clock-in-prefix"
    assert result["level"] == "error"
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "prompts/support.j2"},
                "region": {"startLine": 1, "startColumn": 16, "endLine": 1, "endColumn": 48},
            }
        }
    ]
    assert result["partialFingerprints"] == {
        "primaryLocationLineHash": "0123456789abcdef:1",
        "promptlint/v1": "0123456789abcdef",
    }
    (related,) = result["relatedLocations"]
    assert related["id"] == 1
    assert related["physicalLocation"]["region"]["startLine"] == 2
    assert result["message"]["text"] == (
        "a clock that changes with every request stands above text that never changes: "
        "[1,840 stable tokens from here on are fresh on every request](1)"
    )


def test_brackets_make_no_links(finding: Finding) -> None:
    odd = replace(finding, message="`x[0](1)` and `y[1]`", related=(Related(finding.place, "from z[2]"),))
    (result,) = _run(odd)["results"]
    assert result["message"]["text"] == r"`x\[0](1)` and `y[1]`: [from z\[2\]](1)"


def test_levels_follow_the_finding_not_the_rule(finding: Finding) -> None:
    levels = [result["level"] for result in _run(*(replace(finding, severity=each) for each in Severity))["results"]]
    assert levels == ["note", "warning", "error"]


def test_a_rule_that_was_not_run_has_no_index(finding: Finding) -> None:
    log = json.loads(sarif(Run((finding,), (), 1, None)))
    assert "ruleIndex" not in log["runs"][0]["results"][0]
