"""An audit as Markdown, for a pull request or a page."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.audit.result import Result
from promptlint.report.audit_text import money, place, shares, shown
from promptlint.report.kv_prefix import lost_prefixes
from promptlint.report.markdown import in_markdown
from promptlint.report.summary import counted


def audit_markdown(result: Result) -> Iterator[str]:
    """The lines of the page."""
    yield f"## Cached-token share: {shares(result)}"
    yield ""
    omitted = result.omitted
    left = f"; {counted(omitted.records, 'record')} skipped" if omitted.records else ""
    yield f"{counted(result.requests, 'request')} in {counted(result.files, 'file')}{left}."
    if result.money is not None:
        yield ""
        yield f"{_said(money(result.money))}."
    if result.recomputed is not None:
        yield ""
        yield f"{_said(lost_prefixes(result.recomputed))}."
    if result.causes:
        yield ""
        yield "| lost tokens | requests | rule | what | example |"
        yield "|---:|---:|---|---|---|"
        for cause in result.causes:
            where = place(cause, result) if cause.rid else ""
            cells = (f"{cause.tokens:,}", f"{cause.requests:,}", cause.rule, _said(cause.message), in_markdown(where))
            yield f"| {' | '.join(cells)} |"
    if result.outcomes:
        yield ""
        yield "| share | change (replayed) |"
        yield "|---:|---|"
        for outcome in result.outcomes:
            yield f"| {100 * outcome.share:.1f} % | {_said(outcome.label)} |"


def _said(text: str) -> str:
    return in_markdown(shown(text))
