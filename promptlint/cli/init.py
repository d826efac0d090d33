"""`promptlint init`."""

from __future__ import annotations

from pathlib import Path

import click

from promptlint.cli.options import tell, user_errors, write
from promptlint.cli.progress import tracking

_FILE = "promptlint.toml"


@click.command()
def init() -> None:
    """Write a promptlint.toml for the prompts that are found in this folder."""
    from promptlint.config import load_config
    from promptlint.engine import Engine, Options
    from promptlint.report.first_config import first_config
    from promptlint.report.paint import escaped
    from promptlint.report.summary import counted
    from promptlint.storage import write_whole

    with user_errors():
        here = Path.cwd()
        known = load_config(here).path
        if known is not None and known.parent == here:
            raise click.ClickException(f"{escaped(known.name)} configures promptlint already; edit it")
        outcome = Engine(Options(), tracking()).check([Path()])
        for line in (*outcome.notices, *outcome.broken):
            tell(line)
        write_whole(Path(_FILE), first_config(outcome.run))
        found = counted(len(outcome.run.findings), "finding")
        write(f"{_FILE}: {counted(len(outcome.run.appraisals), 'prompt')} in {counted(outcome.run.files, 'file')}\n")
        if outcome.run.findings:
            write(f"{found}: see them with `promptlint check`, or write them down with `promptlint baseline write`\n")
