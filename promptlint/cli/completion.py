"""`promptlint completion`."""

from __future__ import annotations

import click

from promptlint.cli.options import write

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(shell: str) -> None:
    """Print the script that completes promptlint's commands and options in SHELL."""
    from click.shell_completion import get_completion_class

    from promptlint.cli import cli

    script = get_completion_class(shell)
    assert script is not None, "click knows these shells"
    write(script(cli, {}, "promptlint", "_PROMPTLINT_COMPLETE").source() + "\n")
