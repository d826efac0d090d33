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
    from promptlint.report.paint import escaped
    from promptlint.rulebook import rules_with

    with user_errors():
        rules = {known.name: known for known in rules_with(load_config(Path()).rule_dirs)}
        if name is None:
            width = max(len(escaped(each)) for each in rules)
            for known in rules.values():
                write(f"{escaped(known.name):<{width}}  {known.severity.label:<7}  {escaped(known.summary)}\n")
            return
        if name not in rules:
            raise unknown("rule", name, rules)
        known = rules[name]
        page = f"# {known.name}\n\n{known.summary[:1].upper()}{known.summary[1:]}.\n\n"
        page += f"Severity: {known.severity.label}. Group: {known.group}. Since {known.since}.\n\n{known.body}"
        if advice := known.advice.strip():
            page += f"\n## Advice\n\n{advice}\n"
        # A rule of the project's own is a file that anybody may have written.
        write("".join(f"{escaped(line)}\n" for line in page.split("\n")[:-1]))
