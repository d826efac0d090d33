from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lxml import etree

from promptlint.finding import Finding, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.report.junit import junit
from promptlint.run import Run
from promptlint.source import Source


def test_a_suite_a_file_and_a_case_a_finding(
    finding: Finding, support: Source, appraise: Callable[..., Appraisal]
) -> None:
    clean = appraise(Source("prompts/clean.j2", "You answer.\n"), segments=())
    note = replace(finding, severity=Severity.NOTE, rule="date-in-prefix")
    suites = etree.fromstring(junit(Run((finding, note), (appraise(support), clean), 2, None)).encode())
    assert dict(suites.attrib) == {"name": "promptlint", "tests": "3", "failures": "1", "errors": "0"}
    assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in suites] == [
        ("prompts/clean.j2", "1", "0"),
        ("prompts/support.j2", "2", "1"),
    ]
    failed, noted = suites[1]
    assert failed.get("name") == "clock-in-prefix at 1:16"
    assert failed[0].tag == "failure"
    assert failed[0].get("message") == finding.message
    assert failed[0].text == f"1:16 {finding.message}\n{finding.advice}"
    assert noted[0].tag == "system-out", "a note passes"
    assert [case.get("name") for case in suites[0]] == ["no findings"]


def test_what_xml_cannot_hold_is_escaped(finding: Finding) -> None:
    text = junit(Run((replace(finding, message='<&"> \x00 \x1b \ufffe', advice=""),), (), 1, None))
    failure = etree.fromstring(text.encode()).find(".//failure")
    assert failure is not None
    assert failure.get("message") == r'<&"> \x00 \x1b \ufffe'
