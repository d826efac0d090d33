"""Options that several commands share, and errors as users see them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, TypeVar

import click

from promptlint.baseline import BaselineError
from promptlint.config import DIALECTS, HORIZONS, ConfigError
from promptlint.data import UnknownNameError
from promptlint.report.paint import Paint, escaped
from promptlint.rulebook import RuleError

COLORS = ("auto", "always", "never")

_Command = TypeVar("_Command", bound=Callable[..., Any])


def reading_options(command: _Command) -> _Command:
    """The options that decide how prompts are read."""
    for option in reversed(
        (
            click.option(
                "--provider", metavar="NAME", help="Who caches: anthropic, openai, vllm, ... [default: generic]"
            ),
            click.option(
                "--model", metavar="NAME", help="The model: decides prices, minimum and how tokens are counted."
            ),
            click.option("--horizon", type=click.Choice(HORIZONS), help="Compare with this request only."),
            click.option("--dialect", type=click.Choice(DIALECTS), help="Read every template as this dialect."),
            click.option(
                "--model-config", metavar="PATH|NAME", help="The model that is served: its config.json, or its name."
            ),
            click.option("--isolated", is_flag=True, help="Read the given paths only; no configuration."),
        )
    ):
        command = option(command)
    return command


prices_option = click.option(
    "--prices",
    type=click.Choice(("auto", "table")),
    default="auto",
    show_default=True,
    help="auto asks genai-prices first where it is installed, table only what ships with promptlint.",
)


@contextmanager
def user_errors() -> Iterator[None]:
    """Errors of what the user gave end in one line and exit code 2, never in a traceback."""
    try:
        yield
    except (BaselineError, ConfigError, RuleError, UnknownNameError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(_reason(error)) from error


def _reason(error: OSError) -> str:
    """What an error says that was raised for the user; one of the system's own names a file, or has none to name."""
    if error.strerror is None:
        return str(error)
    said = error.strerror.lower()
    if error.filename is None:
        return f"the working folder, the input or the output cannot be used ({said}); check them"
    return f"{error.filename}: it cannot be used ({said}); check the path and its permissions"


def paint_for(stream: TextIO, color: str = "auto") -> Paint:
    """Colour as `--color` says; `auto` asks NO_COLOR, then FORCE_COLOR and CLICOLOR_FORCE, then the stream.

    An empty variable counts as unset (no-color.org), and so does a 0 in those that force.
    """
    if color != "auto":
        return Paint(color == "always")
    if os.environ.get("NO_COLOR"):
        return Paint(False)
    forced = any(os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE"))
    return Paint(forced or (stream.isatty() and os.environ.get("TERM") != "dumb"))


def write(text: str) -> None:
    """Write to standard output as UTF-8, whatever the locale says.

    Once nobody reads it the rest is dropped: the exit code is still that of the whole run.
    """
    data = text.encode("utf-8", "replace")
    with _while_read(sys.stdout):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def tell(line: str) -> None:
    """Say a line on standard error, harmless to a terminal."""
    with _while_read(sys.stderr):
        click.echo(escaped(line), err=True)


@contextmanager
def _while_read(stream: TextIO) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        # What is still buffered has nowhere to go, and what follows neither.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
