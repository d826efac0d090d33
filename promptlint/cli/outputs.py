"""Where reports go: the terminal, a file, and further files beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from promptlint.cli.options import COLORS, paint_for, write
from promptlint.data import unknown
from promptlint.report.formats import FORMATS, rendered
from promptlint.report.paint import Paint
from promptlint.run import Run
from promptlint.storage import write_whole

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Outputs:
    """What a run prints or writes: one report, and a further one for each of `reports` (format, path)."""

    format: str
    file: Path | None
    reports: tuple[tuple[str, Path], ...]
    color: str

    @property
    def are_files(self) -> bool:
        """Whether a report is to be written to a file."""
        return self.file is not None or bool(self.reports)

    def put(self, run: Run) -> None:
        """Write every report, the one on standard output last. Raises OSError for a file that cannot be written."""
        for name, path in self.reports:
            write_whole(path, rendered(name, run, Paint(False)))
        if self.file is None:
            write(rendered(self.format, run, paint_for(sys.stdout, self.color)))
        else:
            write_whole(self.file, rendered(self.format, run, Paint(self.color == "always")))


def _reports(_ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]) -> tuple[tuple[str, Path], ...]:
    """What each FORMAT=PATH asks for."""
    asked = []
    for each in given:
        name, sign, path = each.partition("=")
        if not sign or not path:
            raise click.BadParameter(f"{each!r} names no file; write FORMAT=PATH, such as sarif=promptlint.sarif")
        if name not in FORMATS:
            raise click.BadParameter(f"{unknown('format', name, FORMATS)}; formats are {', '.join(FORMATS)}")
        asked.append((name, Path(path)))
    return tuple(asked)


def output_options(command: _Command) -> _Command:
    """The options that decide where reports go; the command gets them as one argument, `outputs`."""

    @click.option("--output-format", type=click.Choice(FORMATS), default="full", show_default=True)
    @click.option("-o", "--output-file", metavar="PATH", help="Write the report there instead of printing it.")
    @click.option(
        "--report",
        "reports",
        metavar="FORMAT=PATH",
        callback=_reports,
        multiple=True,
        help="Write a further report, such as sarif=promptlint.sarif; may be given several times.",
    )
    @click.option("--color", type=click.Choice(COLORS), default="auto", show_default=True)
    @wraps(command)
    def with_outputs(
        *args: Any, output_format: str, output_file: str | None, reports: Any, color: str, **rest: Any
    ) -> Any:
        file = Path(output_file) if output_file is not None and output_file != "-" else None
        return command(*args, outputs=Outputs(output_format, file, tuple(reports), color), **rest)

    return with_outputs  # type: ignore[return-value]
