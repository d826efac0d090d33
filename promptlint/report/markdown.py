"""Findings as Markdown, for a step's summary or a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from promptlint.finding import Finding
from promptlint.folding import worst_first
from promptlint.gate import Gate
from promptlint.report.annotate import location, said
from promptlint.report.gate_view import gate_lines, gate_table
from promptlint.report.summary import closing, counted
from promptlint.run import Run

_MOST = 100
"""A comment on GitHub holds 65,536 characters; a row takes about 300."""

_SPECIAL = str.maketrans({char: f"\\{char}" for char in "\\`*_{}[]|~#$"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"})


def markdown(run: Run) -> str:
    """A heading, a table with the worst findings first, and the closing lines of the full report as a list."""
    *shares, totals = closing(run)
    parts = ["### promptlint\n", f"{in_markdown(totals)}\n"]
    if run.findings:
        worst = worst_first(run.findings)
        rows = [
            "| severity | where | what | stable tokens made fresh |",
            "|---|---|---|---:|",
            *map(_row, worst[:_MOST]),
        ]
        parts.append("\n".join(rows) + "\n")
        if len(worst) > _MOST:
            parts.append(f"{counted(len(worst) - _MOST, 'more finding')} not shown.\n")
    if shares:
        parts.append("\n".join(f"- {in_markdown(share)}" for share in shares) + "\n")
    if run.gate:
        parts.extend(_gate(run.gate))
    return "\n".join(parts)


def _gate(gate: Gate) -> Iterator[str]:
    """The prompts that fail or have moved, the failing ones first, and the verdict."""
    *_, verdict = gate_lines(gate)
    rows = sorted(gate_table(gate), key=lambda row: "**" not in row[-1])
    if rows:
        before = in_markdown(gate.revision or "before")
        head = f"| prompt | cached-token share, {before} | now | |\n|---|---:|---:|---|"
        shown = (f"| {in_markdown(title)} | {old} | {now} | {said} |" for title, old, now, said in rows[:_MOST])
        yield "\n".join([head, *shown]) + "\n"
    if len(rows) > _MOST:
        yield f"{counted(len(rows) - _MOST, 'more prompt')} not shown.\n"
    yield f"{in_markdown(verdict)}\n"


def _row(finding: Finding) -> str:
    what = f"{in_markdown(said(finding.message))} (`{finding.rule}`)"
    where = in_markdown(f"`{location(finding.place)}`")
    return f"| {finding.severity.label} | {where} | {what} | {f'{finding.cost.blocked:,}' if finding.cost else ''} |"


def in_markdown(text: str) -> str:
    """The text with its `code` kept and nothing else that Markdown would read."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return text.translate(_SPECIAL)
    prose = (part.translate(_SPECIAL) for part in parts[0::2])
    # A bar ends a table's cell even in code.
    code = (f"`{part}`".replace("|", r"\|") if part else "" for part in parts[1::2])
    return "".join(part for pair in zip_longest(prose, code, fillvalue="") for part in pair)
