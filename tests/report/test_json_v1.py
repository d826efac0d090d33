from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from promptlint.events import Confidence
from promptlint.finding import Edit, Finding, Fix, Safety, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.report.concise import concise
from promptlint.report.full import full
from promptlint.report.json_v1 import json_v1
from promptlint.report.paint import Paint
from promptlint.run import Run
from promptlint.source import Place, Source, Span


def test_the_whole_document(finding: Finding, support: Source, appraise: Callable[..., Appraisal]) -> None:
    fix = Fix("remove it", Safety.UNSAFE, (Edit(finding.place, ""),))
    appraisal = appraise(support, {"user": (2, 1, 1846), "fleet": (2, 2, 1500)}, name="support", total=1858)
    text = json_v1(Run((replace(finding, fixes=(fix,)),), (appraisal,), 1, "user"))
    assert text.endswith("}\n")
    at = {"path": "prompts/support.j2", "line": 1, "column": 16, "end_line": 1, "end_column": 48}
    assert json.loads(text) == {
        "version": 1,
        "findings": [
            {
                "rule": "clock-in-prefix",
                "severity": "error",
                "confidence": "high",
                **at,
                "message": "a clock that changes with every request stands above text that never changes",
                "kind": "clock",
                "events": ["request"],
                "evidence": "call",
                "section": "system",
                "horizon": "conversation",
                "provider": "generic",
                "blocked_tokens": 1840,
                "step_tokens": [1844, 1844],
                "fingerprint": "0123456789abcdef",
                "related": [
                    {
                        "path": "prompts/support.j2",
                        "line": 2,
                        "column": 1,
                        "end_line": 2,
                        "end_column": 35,
                        "message": "1,840 stable tokens from here on are fresh on every request",
                    }
                ],
                "fixes": [{"title": "remove it", "safety": "unsafe", "edits": [{**at, "text": ""}]}],
            }
        ],
        "prompts": [
            {
                "path": "prompts/support.j2",
                "name": "support",
                "counter": "o200k",
                "layouts": [
                    {
                        "provider": "generic",
                        "order": ["tools", "system", "messages"],
                        "horizon": "user",
                        "now": [2, 2],
                        "now_at_least": [1, 1],
                        "best": [1846, 1846],
                        "total": 1858,
                    }
                ],
            }
        ],
        "summary": {
            "files": 1,
            "prompts": 1,
            "findings": 1,
            "errors": 1,
            "warnings": 0,
            "notes": 0,
            "suppressed": 0,
            "in_baseline": 0,
            "horizon": "user",
        },
    }


def test_a_finding_without_cost_has_nulls(finding: Finding) -> None:
    row = json.loads(json_v1(Run((replace(finding, cost=None),), (), 1, None)))["findings"][0]
    assert [row[key] for key in ("horizon", "provider", "blocked_tokens", "step_tokens")] == [None] * 4


def test_prompts_are_sorted(support: Source, appraise: Callable[..., Appraisal]) -> None:
    run = Run((), (appraise(support, name="b"), appraise(support, name="a")), 1, None)
    assert [prompt["name"] for prompt in json.loads(json_v1(run))["prompts"]] == ["a", "b"]


def test_secrets_are_masked_and_never_written_into_a_fix(finding: Finding) -> None:
    secret = "sk-abcdef0123456789"
    fix = Fix("move it", Safety.UNSAFE, (Edit(finding.place, f"key: {secret}"),))
    text = json_v1(Run((replace(finding, message=f"holds {secret}", fixes=(fix,)),), (), 1, None))
    assert secret not in text
    assert json.loads(text)["findings"][0]["fixes"] == []


def test_it_is_utf8_and_harmless_whatever_it_holds(finding: Finding) -> None:
    text = json_v1(Run((replace(finding, message="ü \ud800 \x1b \x9b \u202e 😀"),), (), 1, None))
    assert text.encode("utf-8")
    assert "ü" in text
    assert not {"\x1b", "\x9b", "\u202e"} & set(text)
    assert json.loads(text)["findings"][0]["message"] == "ü \ufffd \x1b \x9b \u202e 😀"


@given(st.text(), st.integers(0, 20), st.integers(0, 20), st.text())
def test_no_format_raises_on_odd_text(text: str, start: int, length: int, message: str) -> None:
    place = Place(Source("a.j2", text), Span(min(start, len(text)), min(start + length, len(text))))
    run = Run(
        (Finding("rule", Severity.NOTE, Confidence.LOW, message, place, label=message, advice=text),), (), 1, None
    )
    for report in ("\n".join(full(run, Paint(True))), "\n".join(concise(run, Paint(False))), json_v1(run)):
        assert report.encode("utf-8")
