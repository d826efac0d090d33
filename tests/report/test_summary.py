from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from promptlint.finding import Finding, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.report.summary import closing, prompts_with_findings, share
from promptlint.run import Run
from promptlint.source import Place, Source, Span

Appraise = Callable[..., Appraisal]


def test_a_clean_run_asks_for_no_layouts(support: Source, appraise: Appraise) -> None:
    def asked(_provider: object, _horizon: object) -> NoReturn:
        raise AssertionError("a layout was asked for")

    appraisal = replace(appraise(support), layouts=asked)
    assert closing(Run((), (appraisal,) * 14, 12, None)) == ["no findings in 14 prompts, 12 files"]


def test_totals_name_every_severity_found(finding: Finding, support: Source, appraise: Appraise) -> None:
    other = Source("other.j2", support.text)
    findings = (finding, replace(finding, severity=Severity.WARNING), replace(finding, severity=Severity.NOTE))
    run = Run(findings, (appraise(support), appraise(other)), 12, None)
    assert closing(run) == ["3 findings (1 error, 1 warning, 1 note) in 1 of 2 prompts, 12 files"]


def test_orders_that_differ_are_both_said(finding: Finding, support: Source, appraise: Appraise) -> None:
    tools_first = {"user": (23, 23, 96), "fleet": (23, 4, 96)}
    system_first = {"user": (0, 0, 96), "fleet": (0, 0, 80)}
    appraisal = appraise(support, tools_first, system_first)
    assert closing(Run((finding,), (appraisal,), 1, None))[0] == (
        "prompts/support.j2: cached-token share tools first 23 %, system first 0 % now, 96 % at best (user); "
        "tools first 23 % (at least 4 %), system first 0 % now, tools first 96 %, system first 80 % at best (fleet)"
    )


def test_a_horizon_that_was_asked_for_is_the_only_one(finding: Finding, support: Source, appraise: Appraise) -> None:
    appraisal = appraise(support, {"user": (10, 10, 96), "fleet": (4, 4, 96)})
    assert closing(Run((finding,), (appraisal,), 1, "fleet"))[0].endswith("share 4 % now, 96 % at best (fleet)")


def test_a_prompt_that_loses_nothing_has_no_line(finding: Finding, support: Source, appraise: Appraise) -> None:
    appraisal = appraise(support, {"user": (96, 40, 96)})
    assert len(closing(Run((finding,), (appraisal,), 1, None))) == 1


def test_shares_within_bounds() -> None:
    assert share((0, 12), 100) == "0 to 12 %"
    assert share((5, 5), 0) == "0 %"


def test_prompts_of_one_file_are_told_apart(finding: Finding, support: Source, appraise: Appraise) -> None:
    whole = appraise(support, {"user": (0, 0, 96)}, name="first")
    elsewhere = appraise(support, {"user": (0, 0, 96)}, name="second", segments=whole.prompt.segments[2:])
    run = Run((finding,), (whole, elsewhere), 1, None)
    assert prompts_with_findings(run) == [whole]
    assert closing(run)[0].startswith("prompts/support.j2 (first): ")


def test_a_finding_outside_of_all_text_counts_for_the_only_prompt(
    finding: Finding, support: Source, appraise: Appraise
) -> None:
    alone = appraise(support, segments=())
    outside = replace(finding, place=Place(support, Span(0, 1)))
    assert prompts_with_findings(Run((outside,), (alone,), 1, None)) == [alone]
    assert prompts_with_findings(Run((outside,), (alone, alone), 1, None)) == []
