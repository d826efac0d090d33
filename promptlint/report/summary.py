"""What a run found, and the closing lines that say it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from promptlint.finding import Safety, Severity
from promptlint.report.paint import escaped
from promptlint.run import Run
from promptlint.source import Place

if TYPE_CHECKING:
    from promptlint.layout.appraisal import Appraisal, Layout

_ALONE = {"conversation": "same conversation"}
"""Horizons whose name does not say by itself that two requests are compared."""


def closing(run: Run) -> list[str]:
    """The shares of each prompt with findings, then the totals. A clean run asks for no layout."""
    seen = f"{counted(len(run.appraisals), 'prompt')}, {counted(run.files, 'file')}"
    if not run.findings:
        return [f"no findings in {seen}{unsaid(run)}"]
    touched = prompts_with_findings(run)
    shared = Counter(appraisal.prompt.path for appraisal in run.appraisals)
    lines = []
    for appraisal in touched:
        prompt = appraisal.prompt
        title = f"{prompt.path} ({prompt.name})" if shared[prompt.path] > 1 and prompt.name else prompt.path
        layouts = appraisal.layouts(None, run.horizon)
        if shares := _shares(layouts):
            lines.append(f"{escaped(title)}: cached-token share {shares}")
        if served := run.workloads.get(prompt.path):
            from promptlint.report.kv_prefix import lost_prefix

            if lost := lost_prefix(layouts, served, counter_title(appraisal.counter.label)):
                lines.append(f"{escaped(title)}: {lost}")
    levels = Counter(finding.severity for finding in run.findings)
    parts = (counted(levels[level], level.label) for level in sorted(Severity, reverse=True) if levels[level])
    total = f"{counted(len(run.findings), 'finding')} ({', '.join(parts)})"
    return [*lines, f"{total} in {len(touched):,} of {seen}{unsaid(run)}"]


def prompts_with_findings(run: Run) -> list[Appraisal]:
    """The prompts whose text holds a finding; one that stands in no prompt's text counts for its file's only prompt."""
    spans: dict[str, list[tuple[int, int, int]]] = {}
    prompts: dict[str, list[int]] = {}
    for index, appraisal in enumerate(run.appraisals):
        prompts.setdefault(appraisal.prompt.path, []).append(index)
        for place in _places(appraisal):
            spans.setdefault(place.source.path, []).append((place.span.start, place.span.end, index))
    touched: set[int] = set()
    for finding in run.findings:
        span = finding.place.span
        found = {
            index
            for start, end, index in spans.get(finding.path, ())
            if start == span.start or (start < span.end and span.start < end)
        }
        of_file = prompts.get(finding.path, [])
        touched |= found or set(of_file if len(of_file) == 1 else ())
    return [run.appraisals[index] for index in sorted(touched)]


def unsaid(run: Run) -> str:
    """How many findings are not shown, and why: " (2 suppressed, 5 in the baseline)"; nothing when there are none."""
    counts = ((run.suppressed, "suppressed"), (run.known, "in the baseline"))
    parts = [f"{number:,} {where}" for number, where in counts if number]
    return f" ({', '.join(parts)})" if parts else ""


def fixable(run: Run) -> str:
    """How many findings have a fix, and which option writes it; nothing when none has one."""
    safe = sum(any(fix.safety is Safety.SAFE for fix in finding.fixes) for finding in run.findings)
    unsafe = sum(bool(finding.fixes) for finding in run.findings) - safe
    parts = [f"{safe:,} fixable with --fix"] if safe else []
    if unsafe:
        parts.append(f"{unsafe:,} {'more' if safe else 'fixable'} with --fix --unsafe-fixes")
    return f"[*] {', '.join(parts)}" if parts else ""


def counted(number: int, noun: str) -> str:
    """The number with its noun: "1 file", "1,200 files"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def interval(figures: tuple[int, int]) -> str:
    """Tokens with thousands separators, "a to b" when they are known within bounds only."""
    low, high = figures
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def share(figures: tuple[int, int], total: int) -> str:
    """Tokens as a share of the total in whole per cent, "a to b %" when they are known within bounds only."""
    low, high = (round(100 * figure / total) if total else 0 for figure in figures)
    return f"{low} %" if low == high else f"{low} to {high} %"


def counter_title(label: str) -> str:
    """How tokens were counted, from a counter's label: "counted with o200k_base"."""
    return label if label.startswith("estimated") else f"counted with {label}"


def order_title(order: Sequence[str]) -> str:
    """A render order as reports call it: "tools first"."""
    return f"{order[0]} first" if order else ""


def _shares(layouts: Sequence[Layout]) -> str:
    """The shares by horizon. Horizons with equal figures are one, those at which nothing is lost are left out."""
    by_horizon: dict[str, list[Layout]] = {}
    for layout in layouts:
        by_horizon.setdefault(layout.horizon.name, []).append(layout)
    groups: dict[str, list[str]] = {}
    for name, orders in by_horizon.items():
        if any(share(layout.now, layout.total) != share(layout.best, layout.total) for layout in orders):
            groups.setdefault(_now_and_best(orders), []).append(_ALONE.get(name, name))
    if len(groups) == 1 and len(by_horizon) == len(next(iter(groups.values()))) > 1:
        return next(iter(groups))  # the same whatever comes next
    return "; ".join(f"{figures} ({', '.join(names)})" for figures, names in groups.items())


def _now_and_best(orders: Sequence[Layout]) -> str:
    now = [share(layout.now, layout.total) for layout in orders]
    known = [share(layout.now_at_least, layout.total) for layout in orders]
    best = [share(layout.best, layout.total) for layout in orders]
    titles = [order_title(layout.order) for layout in orders]
    if len(set(now)) == len(set(known)) == 1:
        words = f"{now[0]} now" + (f" (at least {known[0]})" if known != now else "")
    else:
        least = [f" (at least {low})" if low != high else "" for low, high in zip(known, now, strict=True)]
        words = ", ".join(f"{title} {each}{low}" for title, each, low in zip(titles, now, least, strict=True)) + " now"
    if len(set(best)) == 1:
        return f"{words}, {best[0]} at best"
    return f"{words}, " + ", ".join(f"{title} {each}" for title, each in zip(titles, best, strict=True)) + " at best"


def _places(appraisal: Appraisal) -> Iterator[Place]:
    """Where the prompt's text, its conditions and loops, its breakpoints and parameters stand."""
    prompt = appraisal.prompt
    for segment in prompt.segments:
        if segment.place:
            yield segment.place
        yield from (guard.place for guard in segment.guards)
    yield from (marker.place for marker in prompt.markers)
    yield from (parameter.place for parameter in prompt.parameters)
