"""An audit for people: the share first, then what loses tokens, what would win them back, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from promptlint.audit.causes import Cause
from promptlint.audit.result import Money, Result, Share
from promptlint.report.kv_prefix import lost_prefixes
from promptlint.report.mask import mask
from promptlint.report.paint import Paint, escaped
from promptlint.report.summary import counted
from promptlint.rulebook import rule

_WRAP = 110
_MOST = 12
"""Causes that are shown in full; the others are counted."""

_NAMED = 8


def audit_text(result: Result, paint: Paint) -> Iterator[str]:
    """The lines of the report."""
    yield paint.bold(f"cached-token share: {shares(result)}")
    yield f"{_scope(result)}"
    if result.money is not None:
        yield money(result.money)
    if result.recomputed is not None:
        yield lost_prefixes(result.recomputed)
    yield from _models(result)
    for cause in result.causes[:_MOST]:
        yield ""
        yield from _cause(cause, result, paint)
    if len(result.causes) > _MOST:
        rest = result.causes[_MOST:]
        yield ""
        yield f"{counted(len(rest), 'more cause')} with {sum(cause.tokens for cause in rest):,} tokens"
    if not result.causes:
        yield ""
        yield "nothing breaks a prefix again and again"
    yield from _outcomes(result, paint)
    yield from _omitted(result, paint)


def audit_concise(result: Result, paint: Paint) -> Iterator[str]:
    """`path:line: severity[rule] message` for each cause, then the share."""
    for cause in result.causes:
        name = paint.severity(cause.severity, f"{cause.severity.label}[{cause.rule}]")
        where = f"{place(cause, result)}: " if cause.rid else ""
        yield f"{paint.bold(where)}{name} {shown(cause.message)}"
    yield f"cached-token share: {shares(result)}"


def shares(result: Result) -> str:
    """The service level indicator in words: measured, simulated, reachable."""
    parts = []
    if result.measured is not None:
        parts.append(f"{_percent(result.measured)} measured")
    if result.simulated is not None:
        parts.append(f"{_percent(result.simulated)} simulated")
        if result.reachable is not None and result.reachable.value > result.simulated.value:
            parts.append(f"{_percent(result.reachable)} reachable")
    return ", ".join(parts) or "unknown: no token counts and no prompts"


def money(amount: Money) -> str:
    """What the input cost, and what it would have."""
    text = f"input cost {_dollars(amount.paid)}"
    if amount.reachable is not None:
        text += f", {_dollars(amount.reachable)} at the reachable share"
    return f"{text} ({amount.source})"


def place(cause: Cause, result: Result) -> str:
    """Where the cause's example stands."""
    found = result.places.get(cause.rid)
    return escaped(str(found)) if found is not None else "?"


def shown(text: str) -> str:
    """Text of a record as a terminal may have it."""
    return escaped(mask(text))


def _scope(result: Result) -> str:
    tokens = (result.measured or result.simulated or Share(0, 0)).tokens
    span = f" over {_duration(result.seconds)}" if result.seconds > 0 else ""
    return f"{counted(result.requests, 'request')} in {counted(result.files, 'file')}, {tokens:,} input tokens{span}"


def _models(result: Result) -> Iterator[str]:
    rows = [("model", "provider", "requests", "measured", "simulated", "counted with")]
    for each in result.models:
        rows.append(
            (
                escaped(each.model) or "-",
                each.provider,
                f"{each.requests:,}",
                _percent(each.measured),
                _percent(each.simulated),
                each.counter,
            )
        )
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    yield ""
    for row in rows:
        cells = [
            cell.rjust(width) if 2 <= at <= 4 else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
    assumed = {each.provider: each.assumed for each in result.models if each.assumed and each.simulated is not None}
    for name, figures in assumed.items():
        yield f"assumed for {name}: {', '.join(figures)}"
    if result.compared is not None:
        yield from _compared(*result.compared)


def _compared(measured: Share, simulated: Share) -> Iterator[str]:
    difference, same = simulated.value - measured.value, "on the same requests"
    if abs(difference) < 0.02:
        yield f"the simulation agrees with the reports: {_percent(simulated)} and {_percent(measured)} {same}"
    elif difference > 0:
        yield (
            f"simulated is {100 * difference:.0f} points above what is reported {same}: entries died earlier, or "
            "requests reached machines without them"
        )
    else:
        yield (
            f"reported is {-100 * difference:.0f} points above what is simulated {same}: entries lived longer than "
            "assumed, or requests outside of this log wrote them"
        )


def _cause(cause: Cause, result: Result, paint: Paint) -> Iterator[str]:
    heading = paint.severity(cause.severity, f"{cause.severity.label}[{cause.rule}]")
    yield heading + paint.bold(f": {shown(cause.message)}")
    if cause.rid:
        where = place(cause, result)
        inside = f", `{escaped(cause.place)}` from character {cause.offset + 1} on" if cause.place else ""
        yield f"  {paint.frame('-->')} {where}{inside}"
    if cause.before or cause.after:
        earlier = result.places.get(cause.earlier)
        where = f"  {paint.dim(f'({escaped(str(earlier))})')}" if earlier is not None else ""
        yield f"   {paint.frame('|')} {shown(cause.before)}{where}"
        yield f"   {paint.frame('|')} {shown(cause.after)}"
    total = sum(
        each.simulated.tokens
        for each in result.models
        if each.simulated and (each.provider, each.model) == (cause.provider, cause.model)
    )
    part = f" ({100 * cause.tokens / total:.0f} % of the model's input)" if total else ""
    worth = f", {_dollars(cause.dollars)}" if cause.dollars and cause.dollars[1] >= 0.0001 else ""
    yield _remark("lost", f"{cause.tokens:,} tokens in {counted(cause.requests, 'request')}{part}{worth}", paint)
    if origin := result.origins.get(cause.rid):
        yield _remark("template", escaped(origin), paint)
    advice = " ".join(rule(cause.rule).advice.split())
    for at, line in enumerate(wrap(advice, _WRAP - 11, break_on_hyphens=False)):
        yield " " * 11 + line if at else _remark("help", line, paint)
    yield _remark("rule", f"promptlint rule {cause.rule}", paint)


def _remark(title: str, text: str, paint: Paint) -> str:
    return f"   {paint.frame('=')} {paint.bold(f'{title}:')} {text}"


def _outcomes(result: Result, paint: Paint) -> Iterator[str]:
    if not result.outcomes or result.simulated is None:
        return
    yield ""
    yield paint.bold("what if (replayed):")
    for outcome in result.outcomes:
        gained = outcome.cached - result.simulated.cached
        yield f"  {100 * outcome.share:5.1f} %  {gained:+,} tokens  {shown(outcome.label)}"


def _omitted(result: Result, paint: Paint) -> Iterator[str]:
    omitted = result.omitted
    lines = []
    if omitted.records:
        reasons = "; ".join(f"{count:,} {reason}" for reason, count in omitted.reasons.items())
        lines.append(f"{counted(omitted.records, 'record')} skipped: {shown(reasons)}")
        lines += [f"  {escaped(f'{each.path}:{each.line}')}: {shown(each.reason)}" for each in omitted.named[:_NAMED]]
        if omitted.records > min(len(omitted.named), _NAMED):
            lines.append(f"  and {omitted.records - min(len(omitted.named), _NAMED):,} more")
    if omitted.repeated:
        lines.append(f"{counted(omitted.repeated, 'record')} left out: the id was there before")
    if omitted.untimed:
        lines.append(f"{counted(omitted.untimed, 'request')} without a time: taken to follow the one above")
    if omitted.backwards:
        lines.append(
            f"{counted(omitted.backwards, 'request')} more than 5 minutes before the one above: sorted by time"
        )
    if lines:
        yield ""
        yield from (paint.dim(line) for line in lines)


def _percent(share: Share | None) -> str:
    return "-" if share is None else f"{100 * share.value:.1f} %"


def _dollars(amount: tuple[float, float]) -> str:
    low, high = (f"${each:,.2f}" if amount[1] >= 1 else f"${each:.4f}" for each in amount)
    return low if low == high else f"{low} to {high}"


def _duration(seconds: float) -> str:
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return counted(round(seconds / size), name)
    return counted(round(seconds), "second")
