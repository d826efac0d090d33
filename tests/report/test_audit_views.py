"""Audits for people, on a terminal and in Markdown: what a log says is shown, and does nothing."""

from __future__ import annotations

from collections.abc import Mapping

from promptlint.audit.causes import Cause
from promptlint.audit.result import Omitted, Place, Result, Share
from promptlint.finding import Severity
from promptlint.report.audit_markdown import audit_markdown
from promptlint.report.audit_text import audit_text
from promptlint.report.paint import Paint

HOSTILE = "logs/\x1b[31m<b>*a*|b.jsonl"


def result_of(places: Mapping[int, Place], message: str = "a clock differs") -> Result:
    cause = Cause(
        rule="clock-in-prefix",
        severity=Severity.ERROR,
        provider="openai",
        model="gpt-5-mini",
        kind="clock",
        path="messages[0].content",
        message=message,
        requests=2,
        tokens=100,
        rid=1,
        earlier=2,
        place="messages[0].content",
        before="It is 10:00.",
        after="It is 10:01.",
    )
    share = Share(0, 200)
    omitted = Omitted(0, {}, (), 0, 0, 0)
    return Result(1, 2, 60.0, None, share, None, None, (), (cause,), (), omitted, places)


def test_paths_of_logs_do_nothing_on_a_terminal() -> None:
    shown = list(audit_text(result_of({1: Place(HOSTILE, 1), 2: Place(HOSTILE, 2)}), Paint(False)))
    assert not any("\x1b" in line for line in shown)
    assert "   | It is 10:00.  (logs/\\x1b[31m<b>*a*|b.jsonl:2)" in shown


def test_without_an_earlier_place_none_is_shown() -> None:
    shown = list(audit_text(result_of({1: Place("a.jsonl", 1)}), Paint(False)))
    assert "   | It is 10:00." in shown


def test_markdown_reads_nothing_of_a_log_as_markup() -> None:
    page = "\n".join(audit_markdown(result_of({1: Place(HOSTILE, 1)}, "a [clock](x) in `a|b` & <i>c</i> differs")))
    assert r"a \[clock\](x) in `a\|b` &amp; &lt;i&gt;c&lt;/i&gt; differs" in page
    assert r"logs/\\x1b\[31m&lt;b&gt;\*a\*\|b.jsonl:1" in page
