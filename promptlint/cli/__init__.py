"""The command line. Nothing else in promptlint prints."""

from __future__ import annotations

import sys

import click

from promptlint import __version__

COMMANDS = {
    "check": "promptlint.cli.check",
    "show": "promptlint.cli.show",
    "diff": "promptlint.cli.diff",
    "rule": "promptlint.cli.rule",
    "baseline": "promptlint.cli.baseline",
    "config": "promptlint.cli.config",
    "providers": "promptlint.cli.providers",
    "kv": "promptlint.cli.kv",
    "audit": "promptlint.cli.audit",
    "init": "promptlint.cli.init",
    "completion": "promptlint.cli.completion",
}
"""Commands with the module that has a function of the same name; a command is imported when it is run."""


class Commands(click.Group):
    """Commands that load when they run; a first argument that is no command is a path to check."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from importlib import import_module

        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and _is_path(args[0]):
            args = ["check", *args]
        return super().resolve_command(ctx, args)


def _is_path(argument: str) -> bool:
    from pathlib import Path

    return argument == "-" or any(mark in argument for mark in "./\\*") or Path(argument).exists()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="promptlint")
def cli() -> None:
    """Reads prompts the way a prefix cache reads them: finds what makes cached tokens fresh, and what that costs.

    `promptlint PATHS` is short for `promptlint check PATHS`.
    """


def main() -> None:
    """Entry point. Exit codes: 0 clean, 1 findings, 2 usage or internal error."""
    output = sys.stdout
    try:
        sys.exit(cli(standalone_mode=False) or 0)
    except click.ClickException as error:
        from io import StringIO

        said = StringIO()
        error.show(said)
        _tell(said.getvalue())
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except SystemExit as ended:
        # When nobody reads a page of help to its end click puts another stream in place of the output and says 1,
        # which stands for findings.
        sys.exit(ended.code if sys.stdout is output else 0)
    except Exception:
        from traceback import format_exc

        _tell(f"{format_exc()}this is an error of promptlint; please report it")
        sys.exit(2)


def _tell(text: str) -> None:
    """Say it line by line: names of files are in it, and what a terminal would obey in them."""
    from promptlint.cli.options import tell

    for line in text.splitlines():
        tell(line)
