"""Findings with the source lines they are about, for people."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from promptlint.finding import Cost, Finding
from promptlint.layout.horizons import horizons
from promptlint.report.annotate import Mark, annotate, gutter, said
from promptlint.report.gate_view import gate_lines
from promptlint.report.paint import Paint
from promptlint.report.summary import closing, counter_title, fixable, interval
from promptlint.run import Run

_WRAP = 110


def full(run: Run, paint: Paint) -> Iterator[str]:
    """The lines of the report: each finding annotated, then the closing lines."""
    for finding in run.findings:
        yield from annotated(finding, paint)
        yield ""
    yield from closing(run)
    if fixes := fixable(run):
        yield fixes
    yield from gate_lines(run.gate)


def annotated(finding: Finding, paint: Paint) -> Iterator[str]:
    """The lines of one finding."""

    def style(text: str) -> str:
        return paint.severity(finding.severity, text)

    yield style(f"{finding.severity.label}[{finding.rule}]") + paint.bold(f": {said(finding.message)}")
    related = (Mark(related.place, related.message) for related in finding.related)
    marks = [Mark(finding.place, finding.label, primary=True), *related]
    yield from annotate(marks, style, paint)
    margin = " " * (gutter(marks) + 2)
    if finding.cost:
        yield from _remark("cost", _cost(finding.cost), margin, paint)
    if advice := said(finding.advice):
        yield from _remark("help", advice, margin, paint, wraps=True)
    yield from _remark("rule", f"promptlint rule {finding.rule}", margin, paint)


def _remark(title: str, text: str, margin: str, paint: Paint, *, wraps: bool = False) -> Iterator[str]:
    """`= title: text`; what wraps goes on below the text's beginning."""
    indent = len(margin) + len(f"= {title}: ")
    first, *more = wrap(text, _WRAP - indent, break_long_words=False, break_on_hyphens=False) if wraps else [text]
    yield f"{margin}{paint.frame('=')} {paint.bold(title + ':')} {first}"
    yield from (" " * indent + line for line in more)


def _cost(cost: Cost) -> str:
    titles = {known.name: known.title for known in horizons()}
    said = (titles.get(cost.horizon, cost.horizon), cost.provider, cost.order, counter_title(cost.counter))
    figures = f"{interval(cost.now)} of {cost.total:,} tokens reusable now, {interval(cost.best)} at best"
    return f"{figures} ({'; '.join(filter(None, said))})"
