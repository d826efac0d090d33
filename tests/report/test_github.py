from __future__ import annotations

from dataclasses import replace

import pytest

from promptlint.finding import Cost, Finding, Severity
from promptlint.report.github import github
from promptlint.run import Run
from promptlint.source import Place, Source, Span


def _lines(*findings: Finding) -> list[str]:
    return github(Run(findings, (), 1, None)).splitlines()


def _with(finding: Finding, severity: Severity, blocked: int) -> Finding:
    assert isinstance(finding.cost, Cost)
    return replace(finding, severity=severity, cost=replace(finding.cost, blocked=blocked), message=f"costs {blocked}")


def test_one_command_each(finding: Finding) -> None:
    assert _lines(replace(finding, advice="Move it.")) == [
        "::error file=prompts/support.j2,line=1,endLine=1,title=promptlint clock-in-prefix,col=16,endColumn=48::"
        "a clock that changes with every request stands above text that never changes%0AMove it."
    ]


def test_columns_only_on_one_line(finding: Finding) -> None:
    (line,) = _lines(replace(finding, place=Place(Source("a.j2", "one\ntwo\n"), Span(1, 6))))
    assert line.startswith("::error file=a.j2,line=1,endLine=2,title=promptlint clock-in-prefix::")


def test_what_would_end_a_command_is_escaped(finding: Finding) -> None:
    odd = replace(finding, message="100 %\n::error::x", advice="", place=Place(Source("a,b:c.j2", "x"), Span(0, 1)))
    (line,) = _lines(odd)
    assert line.startswith("::error file=a%2Cb%3Ac.j2,line=1,")
    assert line.endswith("::100 %25 ::error::x")


@pytest.mark.parametrize(("count", "shown", "hidden"), [(10, 10, 0), (11, 9, 2), (40, 9, 31)])
def test_at_most_ten_the_worst_first(finding: Finding, count: int, shown: int, hidden: int) -> None:
    notes = [_with(finding, Severity.NOTE, 5000 + number) for number in range(count - 2)]
    lines = _lines(*notes, _with(finding, Severity.WARNING, 10), _with(finding, Severity.ERROR, 1))
    assert len(lines) == 10
    assert lines[0].startswith("::error ")
    assert lines[1].startswith("::warning ")
    assert f"::costs {5000 + count - 3}%0A" in lines[2], "then the note that costs most"
    if hidden:
        assert lines[shown] == (
            f"::notice title=promptlint::{hidden} more findings of promptlint are not shown here; "
            "the report has them all"
        )
