"""Options of `promptlint check` that do not go together."""

from __future__ import annotations

import click

from promptlint.cli.fix import Fixes
from promptlint.cli.gate import Limits
from promptlint.cli.outputs import Outputs


def refuse_conflicts(
    paths: tuple[str, ...],
    outputs: Outputs,
    limits: Limits,
    fixes: Fixes,
    add_ignore: bool,
    reason: str | None,
    stdin_filename: str | None,
) -> None:
    """Raises UsageError for options that need others, or that others leave nothing to do."""
    if reason is not None and not add_ignore:
        raise click.UsageError("--reason says why findings are suppressed; name --add-ignore as well")
    if "-" not in paths:
        if stdin_filename is not None:
            raise click.UsageError("--stdin-filename says what to call standard input; name `-` as well")
    elif fixes.wanted or add_ignore:
        raise click.UsageError("--fix, --diff and --add-ignore are about files, and standard input is none; name paths")
    if fixes.diff and add_ignore:
        raise click.UsageError("--diff writes nothing, and --add-ignore does; give one of them")
    if fixes.diff or add_ignore:
        option = "--diff" if fixes.diff else "--add-ignore"
        if outputs.are_files:
            raise click.UsageError(f"{option} makes no report, so there is none to write; leave -o and --report out")
        if limits.are_given:
            raise click.UsageError(f"{option} holds no shares to anything; leave --min-share and --compare out")
