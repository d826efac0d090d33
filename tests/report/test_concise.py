from __future__ import annotations

from dataclasses import replace

from promptlint.finding import Finding, Severity
from promptlint.report.concise import concise
from promptlint.report.paint import Paint
from promptlint.run import Run


def test_one_line_each(finding: Finding) -> None:
    other = replace(finding, severity=Severity.NOTE, message="with sk-abcdef0123456789")
    assert list(concise(Run((finding, other), (), 1, None), Paint(False))) == [
        "prompts/support.j2:1:16: error[clock-in-prefix] "
        "a clock that changes with every request stands above text that never changes",
        "prompts/support.j2:1:16: note[clock-in-prefix] with sk-a***************",
        "2 findings in 1 file",
    ]


def test_numbers_have_their_plural(finding: Finding) -> None:
    assert list(concise(Run((), (), 1200, None), Paint(False))) == ["no findings in 1,200 files"]
    assert list(concise(Run((finding,), (), 2, None), Paint(True)))[1] == "1 finding in 2 files"
