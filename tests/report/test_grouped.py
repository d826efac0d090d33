from __future__ import annotations

from dataclasses import replace

from promptlint.finding import Finding, Severity
from promptlint.report.grouped import grouped
from promptlint.report.paint import Paint
from promptlint.run import Run
from promptlint.source import Place, Source, Span


def test_files_and_their_findings_in_the_order_of_the_text(finding: Finding) -> None:
    first = Place(finding.place.source, Span(0, 3))
    later = replace(finding, severity=Severity.NOTE, message="with sk-abcdef0123456789")
    other = replace(finding, place=Place(Source("a.j2", "x"), Span(0, 1)), message="elsewhere")
    run = Run((later, other, replace(finding, place=first, message="first")), (), 2, None)
    assert list(grouped(run, Paint(False))) == [
        "a.j2",
        "  1:1  error[clock-in-prefix] elsewhere",
        "",
        "prompts/support.j2",
        "  1:1   error[clock-in-prefix] first",
        "  1:16  note[clock-in-prefix] with sk-a***************",
        "",
        "3 findings in 2 files",
    ]
