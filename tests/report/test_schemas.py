"""The machine-readable reports against the published schemas of those who read them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from lxml import etree

from promptlint.events import Confidence
from promptlint.finding import Edit, Finding, Fix, Related, Safety, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.report.gitlab import gitlab
from promptlint.report.junit import junit
from promptlint.report.sarif import sarif
from promptlint.rulebook import rules
from promptlint.run import Run
from promptlint.source import Place, Source, Span

_SCHEMAS = Path(__file__).parent / "schemas"
_SARIF = Draft7Validator(json.loads((_SCHEMAS / "sarif-schema-2.1.0.json").read_bytes()))
_GITLAB = Draft7Validator({"type": "array", "items": json.loads((_SCHEMAS / "gitlab-code-quality.json").read_bytes())})
_JUNIT = etree.XMLSchema(etree.parse(_SCHEMAS / "junit-10.xsd"))


def valid(run: Run) -> tuple[dict[str, Any], list[dict[str, Any]], Any]:
    """The run as SARIF, GitLab's JSON and JUnit, each read back and valid."""
    log, rows, suites = json.loads(sarif(run)), json.loads(gitlab(run)), etree.fromstring(junit(run).encode())
    _SARIF.validate(log)
    _GITLAB.validate(rows)
    _JUNIT.assertValid(suites)
    return log, rows, suites


def test_the_schemas_are_the_published_ones() -> None:
    table = (_SCHEMAS / "SOURCES.md").read_text(encoding="utf-8")
    stated = dict(re.findall(r"(?m)^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", table))
    held = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in _SCHEMAS.iterdir()
        if path.suffix in (".json", ".xsd")
    }
    assert held == stated


def test_a_full_run_is_valid(finding: Finding, support: Source, appraise: Callable[..., Appraisal]) -> None:
    fix = Fix("remove it", Safety.UNSAFE, (Edit(finding.place, ""),))
    findings = [replace(finding, severity=severity, fixes=(fix,)) for severity in Severity]
    clean = appraise(Source("prompts/clean.j2", "You answer.\n"), segments=())
    log, rows, suites = valid(Run(tuple(findings), (appraise(support), clean), 2, None, rules()))
    assert len(log["runs"][0]["results"]) == len(rows) == 3
    assert suites.xpath("count(//testcase)") == 4


def test_a_clean_run_is_valid() -> None:
    log, rows, suites = valid(Run((), (), 0, None, rules()))
    assert log["runs"][0]["results"] == rows == suites.xpath("//testcase") == []


@given(
    st.text(),
    st.integers(0, 20),
    st.integers(0, 20),
    st.text(),
    st.text(st.characters(exclude_characters="\0/"), min_size=1, max_size=20),
)
def test_odd_text_is_valid(text: str, start: int, length: int, message: str, path: str) -> None:
    place = Place(Source(path, text), Span(min(start, len(text)), min(start + length, len(text))))
    finding = Finding(
        "clock-in-prefix",
        Severity.ERROR,
        Confidence.LOW,
        message,
        place,
        related=(Related(place, message),),
        advice=text,
        fixes=(Fix(message, Safety.UNSAFE, (Edit(place, message),)),),
    )
    valid(Run((finding, replace(finding, severity=Severity.NOTE)), (), 1, None, rules()))


@pytest.mark.parametrize("format", [sarif, gitlab, junit])
def test_secrets_are_masked(format: Callable[[Run], str], finding: Finding) -> None:
    secret = "sk-abcdef0123456789"
    fix = Fix("move it", Safety.UNSAFE, (Edit(finding.place, secret),))
    leaking = replace(
        finding, message=f"holds {secret}", advice=secret, related=(Related(finding.place, secret),), fixes=(fix,)
    )
    assert secret not in format(Run((leaking,), (), 1, None, rules()))
