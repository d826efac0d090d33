"""`promptlint check`."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import click

from promptlint.cli.conflicts import refuse_conflicts
from promptlint.cli.fix import Fixes, fix_options
from promptlint.cli.gate import Limits, gate_options
from promptlint.cli.options import reading_options, tell, user_errors, write
from promptlint.cli.outputs import Outputs, output_options
from promptlint.cli.progress import tracking
from promptlint.engine import Engine, Options, Outcome
from promptlint.finding import Persona, Severity
from promptlint.folding import worst
from promptlint.report.formats import TEXT_FORMATS
from promptlint.report.gate_view import gate_lines

_FAIL_ON = ("error", "warning", "note", "never")


@click.command()
@click.argument("paths", nargs=-1)
@reading_options
@output_options
@gate_options
@fix_options
@click.option("--select", multiple=True, metavar="RULES", help="Run only these rules or groups (comma separated).")
@click.option("--ignore", multiple=True, metavar="RULES", help="Leave these rules or groups out.")
@click.option("--ignore-below", type=click.IntRange(min=0), metavar="N", help="Losses below N tokens are not said.")
@click.option(
    "--persona",
    type=click.Choice([persona.name.lower() for persona in Persona]),
    help="Who reads: auditor adds who shares a cache, and what may leak. [default: regular]",
)
@click.option("--baseline", type=click.Path(path_type=Path), help="Known findings, instead of the configured file.")
@click.option("--fail-on", type=click.Choice(_FAIL_ON), default="warning", show_default=True)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even when there are findings.")
@click.option(
    "--add-ignore", is_flag=True, help="Suppress what is found, in comments or in the configuration; print no report."
)
@click.option("--reason", metavar="TEXT", help="Why, with --add-ignore.")
@click.option("--only-prompts", is_flag=True, help="Of named files check those that a walk would find (commit hooks).")
@click.option("--stdin-filename", metavar="PATH", help="What to call standard input (`-`).")
def check(
    paths: tuple[str, ...],
    provider: str | None,
    model: str | None,
    horizon: str | None,
    dialect: str | None,
    model_config: str | None,
    isolated: bool,
    outputs: Outputs,
    limits: Limits,
    fixes: Fixes,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    ignore_below: int | None,
    persona: str | None,
    baseline: Path | None,
    fail_on: str,
    exit_zero: bool,
    add_ignore: bool,
    reason: str | None,
    only_prompts: bool,
    stdin_filename: str | None,
) -> None:
    """Find values that make the rest of a prompt fresh. PATHS are files, folders or `-` [default: .].

    Exit codes: 0 clean, 1 findings of severity warning or worse (--fail-on) or a failed gate, 2 usage or internal
    error.
    """
    refuse_conflicts(paths, outputs, limits, fixes, add_ignore, reason, stdin_filename)
    with user_errors():
        options = Options(
            provider=provider,
            model=model,
            horizon=horizon,
            dialect=dialect,
            ignore_below=ignore_below,
            select=_names(select),
            ignore=_names(ignore),
            persona=Persona[persona.upper()] if persona else None,
            isolated=isolated,
            baseline=baseline,
            only_prompts=only_prompts,
            model_config=model_config,
        )
        stdin = _standard_input(stdin_filename) if "-" in paths else None
        named = [Path(path) for path in paths if path != "-"]
        if not paths:
            named = [Path()]
        engine = Engine(options, tracking())
        outcome = engine.check(named, stdin)
        told = _tell(outcome)
        if fixes.diff:
            changes = list(fixes.shown(engine, outcome, options))
            write("".join(changes))
            raise click.exceptions.Exit(_code(outcome, bool(changes), exit_zero))
        if fixes.write:
            changed = False
            for line in fixes.written(engine, outcome, options):
                tell(line)
                changed = True
            if changed:
                engine = Engine(options, tracking())
                outcome = engine.check(named)
                _tell(outcome, told)
        if add_ignore:
            from promptlint.cli.add_ignore import add_ignores

            for line in add_ignores(engine, outcome, reason or ""):
                write(f"{line}\n")
            raise click.exceptions.Exit(_code(outcome, False, exit_zero))
        gate = limits.gate(outcome, named, options, horizon or engine.config(Path()).horizon)
        outputs.put(replace(outcome.run, gate=gate))
        if gate is not None and (gate.fails or gate.unknown) and outputs.format not in TEXT_FORMATS:
            for line in gate_lines(gate):
                tell(line)
    level = worst(outcome.run.findings)
    found = fail_on != "never" and level is not None and level >= Severity[fail_on.upper()]
    failed = found or (gate is not None and gate.fails)
    raise click.exceptions.Exit(_code(outcome, failed, exit_zero, is_judged=gate is None or not gate.unknown))


def _tell(outcome: Outcome, told: Collection[str] = ()) -> tuple[str, ...]:
    """Say what could not be read and what broke promptlint, but for what was told before. Gives all of it."""
    lines = (*outcome.notices, *outcome.broken)
    for line in lines:
        if line not in told:
            tell(line)
    return lines


def _code(outcome: Outcome, failed: bool, exit_zero: bool, is_judged: bool = True) -> int:
    unread = bool(outcome.notices) and not outcome.run.files
    if outcome.broken or not is_judged or (unread and not failed):
        return 2
    return 1 if failed and not exit_zero else 0


def _names(given: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name.strip() for part in given for name in part.split(",") if name.strip())


def _standard_input(filename: str | None) -> tuple[Path, str]:
    text = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    return Path(filename or "<stdin>"), text
