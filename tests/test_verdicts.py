"""The table of verdicts, and the script that holds findings against it."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from promptlint.rulebook import rules

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verdicts", ROOT / "benchmarks" / "verdicts.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["verdicts"] = module
    spec.loader.exec_module(module)
    return module


def test_the_table_is_whole(script: ModuleType) -> None:
    rows = script.verdicts()
    keys = [(row.package, row.path, row.line, row.rule) for row in rows]
    assert len(keys) == len(set(keys))
    assert {row.verdict for row in rows} <= {"true", "false", "missed"}
    assert {row.rule for row in rows} <= {rule.name for rule in rules()}
    assert all(row.listed for row in rows if row.verdict == "missed")
    assert all(row.reason and row.registry in ("pypi", "npm") for row in rows)


def test_findings_are_held_against_the_rows(script: ModuleType) -> None:
    row = script.Verdict("box", "1.0", "pypi", "a.py", 3, "clock-in-prefix", "error", "true", True, "a clock")
    rows = [
        row,
        replace(row, line=9, listed=False, verdict="false"),
        replace(row, line=20, verdict="missed"),
        replace(row, line=30),
    ]
    found = script.Found("a.py", 3, "clock-in-prefix", "error")
    findings = [
        replace(found, line=2, places=frozenset({("a.py", 3)})),
        replace(found, line=9),
        replace(found, line=40),
        replace(found, line=50, severity="note"),
    ]
    tally = script.Tally()
    script.compare(rows, findings, tally)
    assert (tally.precision, tally.recall) == (0.5, 1 / 3)
    assert tally.notes == ["gone    box a.py:30 clock-in-prefix", "new     box a.py:40 clock-in-prefix error"]


def test_a_list_of_places_that_is_cut_off_may_hold_any(script: ModuleType) -> None:
    finding = {
        "path": "a.py",
        "line": 3,
        "rule": "clock-in-prefix",
        "severity": "error",
        "related": [{"path": "a.py", "line": 8, "message": "and here, and in 2 more places"}],
    }
    row = script.Verdict("box", "1.0", "pypi", "a.py", 70, "clock-in-prefix", "error", "true", True, "a clock")
    assert script._found(finding).is_about(row)
    assert not script._found({**finding, "related": []}).is_about(row)
