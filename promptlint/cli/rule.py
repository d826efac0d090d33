"""`promptlint rule`."""

from __future__ import annotations

import click

from promptlint.cli.options import user_errors, write


@click.command()
@click.argument("name", required=False)
def rule(name: str | None) -> None:
    """Explain the rule NAME; without a name, list all rules."""
    from promptlint.rulebook import rule as named
    from promptlint.rulebook import rules

    with user_errors():
        if name is None:
            width = max(len(known.name) for known in rules())
            for known in rules():
                write(f"{known.name:<{width}}  {known.severity.label:<7}  {known.summary}\n")
            return
        known = named(name)
        write(f"# {known.name}\n\n{known.summary[:1].upper()}{known.summary[1:]}.\n\n")
        write(f"Severity: {known.severity.label}. Group: {known.group}. Since {known.since}.\n\n")
        write(f"{known.body}\n## Advice\n\n{known.advice.strip()}\n")
