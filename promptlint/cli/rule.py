"""`promptlint rule`."""

from __future__ import annotations

from pathlib import Path

import click

from promptlint.cli.options import user_errors, write


@click.command()
@click.argument("name", required=False)
def rule(name: str | None) -> None:
    """Explain the rule NAME; without a name, list all rules, the project's own among them."""
    from promptlint.config import load_config
    from promptlint.data import unknown
    from promptlint.rulebook import rules_with

    with user_errors():
        rules = {known.name: known for known in rules_with(load_config(Path()).rule_dirs)}
        if name is None:
            width = max(map(len, rules))
            for known in rules.values():
                write(f"{known.name:<{width}}  {known.severity.label:<7}  {known.summary}\n")
            return
        if name not in rules:
            raise unknown("rule", name, rules)
        known = rules[name]
        write(f"# {known.name}\n\n{known.summary[:1].upper()}{known.summary[1:]}.\n\n")
        write(f"Severity: {known.severity.label}. Group: {known.group}. Since {known.since}.\n\n")
        write(f"{known.body}\n## Advice\n\n{known.advice.strip()}\n")
