from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from promptlint.finding import Finding, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.report.markdown import markdown
from promptlint.run import Run
from promptlint.source import Source

HEAD = "| severity | where | what | stable tokens made fresh |\n|---|---|---|---:|\n"


def test_a_table_and_the_shares(finding: Finding, support: Source, appraise: Callable[..., Appraisal]) -> None:
    note = replace(finding, severity=Severity.NOTE, cost=None, message="a note")
    appraisal = appraise(support, {"user": (2, 2, 1846)}, total=1858)
    assert markdown(Run((note, finding), (appraisal,), 1, None)) == (
        "### promptlint\n\n"
        "2 findings (1 error, 1 note) in 1 of 1 prompt, 1 file\n\n"
        f"{HEAD}"
        "| error | `prompts/support.j2:1:16` | a clock that changes with every request stands above text that never"
        " changes (`clock-in-prefix`) | 1,840 |\n"
        "| note | `prompts/support.j2:1:16` | a note (`clock-in-prefix`) |  |\n\n"
        "- prompts/support.j2: cached-token share 0 % now, 99 % at best (user)\n"
    )


def test_nothing_found() -> None:
    assert markdown(Run((), (), 3, None)) == "### promptlint\n\nno findings in 0 prompts, 3 files\n"


def test_text_is_no_markup(finding: Finding) -> None:
    def row(message: str) -> str:
        return markdown(Run((replace(finding, message=message),), (), 1, None)).split("\n")[6]

    assert "| `a\\|b_c` and \\*d\\* &lt;img&gt; \\| e (" in row("`a|b_c` and *d* <img> | e")
    assert "| \\`open \\_x\\_ (" in row("`open _x_")


def test_a_comment_stays_postable(finding: Finding) -> None:
    text = markdown(Run((finding,) * 150, (), 1, None))
    assert text.count("| error |") == 100
    assert "\n50 more findings not shown.\n" in text
    assert len(text) < 65_536
