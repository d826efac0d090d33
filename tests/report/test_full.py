from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from promptlint.events import Confidence
from promptlint.finding import Finding, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.report.full import full
from promptlint.report.paint import Paint
from promptlint.run import Run
from promptlint.source import Place, Source, Span


def test_a_finding_with_everything(
    finding: Finding, support: Source, appraise: Callable[..., Appraisal], capsys: pytest.CaptureFixture[str]
) -> None:
    figures = {"conversation": (2, 2, 1846), "user": (2, 2, 1846), "fleet": (80, 20, 1500), "tomorrow": (0, 0, 0)}
    appraisal = appraise(support, figures, figures, total=1858)
    assert (
        "\n".join(full(Run((finding,), (appraisal,), 1, None), Paint(False)))
        == """\
error[clock-in-prefix]: a clock that changes with every request stands above text that never changes
  --> prompts/support.j2:1:16
   |
 1 | The clock says {{ now().strftime("%H:%M:%S") }}.
   |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ changes with every request
 2 | You are the voice of a smart home.
   | ---------------------------------- 1,840 stable tokens from here on are fresh on every request
   |
   = cost: 2 of 1,858 tokens reusable now, 1,846 at best (next call of the same conversation; generic; counted with \
o200k_base)
   = help: Coarsen it to the date, or put it after the last stable section. In the newest user turn it helps
           only if that text is stored and replayed unchanged in later turns.
   = rule: promptlint rule clock-in-prefix

prompts/support.j2: cached-token share 0 % now, 99 % at best (same conversation, user); 4 % now (at least 1 %), \
81 % at best (fleet)
1 finding (1 error) in 1 of 1 prompt, 1 file"""
    )
    assert capsys.readouterr().out == ""


def test_intervals_and_estimates(finding: Finding) -> None:
    assert finding.cost
    cost = replace(finding.cost, now=(0, 1024), best=(1000, 2000), counter="estimated from o200k_base x1.2 [1, 1.4]")
    lines = list(full(Run((replace(finding, cost=cost),), (), 1, None), Paint(False)))
    assert (
        "   = cost: 0 to 1,024 of 1,858 tokens reusable now, 1,000 to 2,000 at best "
        "(next call of the same conversation; generic; estimated from o200k_base x1.2 [1, 1.4])" in lines
    )


def test_a_finding_with_nothing_but_a_message() -> None:
    source = Source("odd\x1b.j2", "{{ a \n")
    bare = Finding(
        "syntax-error", Severity.WARNING, Confidence.HIGH, "a hole\nis not closed", Place(source, Span(0, 6))
    )
    assert (
        "\n".join(full(Run((bare,), (), 1, None), Paint(False)))
        == """\
warning[syntax-error]: a hole is not closed
  --> odd\\x1b.j2:1:1
   |
 1 | {{ a
   | ^^^^
   |
   = rule: promptlint rule syntax-error

1 finding (1 warning) in 0 of 0 prompts, 1 file"""
    )


def test_colours_change_nothing_else(finding: Finding) -> None:
    run = Run((finding,), (), 1, None)
    painted = "\n".join(full(run, Paint(True)))
    assert painted.startswith("\x1b[1;31merror[clock-in-prefix]\x1b[0m\x1b[1m: a clock")
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[34m", "\x1b[1;31m"):
        painted = painted.replace(code, "")
    assert painted == "\n".join(full(run, Paint(False)))


def test_no_findings() -> None:
    assert list(full(Run((), (), 3, None), Paint(True))) == ["no findings in 0 prompts, 3 files"]
