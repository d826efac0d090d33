"""`promptlint audit`."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from promptlint.cli.options import paint_for, prices_option, tell, user_errors, write

if TYPE_CHECKING:
    from promptlint.serving.workload import Workload

_FORMATS = ("text", "concise", "json", "markdown")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_PARTS = ("duckdb", "msgspec", "numpy", "pyarrow", "zstandard")


class _Duration(click.ParamType[float]):
    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", str(value))
        if found is None:
            self.fail(f"{value} is no time; write seconds, or 5m, 1h, 2d", param, ctx)
        return float(found[1]) * _UNITS[found[2]]


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option("--provider", metavar="NAME", help="Who serves all requests; by default each record's model tells.")
@click.option("--format", "log_format", metavar="NAME", help="Format of the logs; by default each file's records tell.")
@click.option(
    "--map", "mapped", multiple=True, metavar="FIELD=PATH", help="Where a field stands: ts=request.created_at."
)
@click.option(
    "--ttl", type=_Duration(), default=0.0, help="How long entries live: 300, 5m, 1h [default: the provider's]."
)
@click.option("--write-delay", type=_Duration(), default=0.0, help="Entries can be read so long after their request.")
@click.option("--capacity", type=click.IntRange(min=0), default=0, metavar="TOKENS", help="Of an engine's cache.")
@click.option("--what-if/--no-what-if", default=True, help="Replay what the causes ask for.")
@click.option(
    "--ignore-below",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    metavar="N",
    help="Losses below N tokens in a request are not said.",
)
@prices_option
@click.option(
    "--model-config",
    metavar="PATH|NAME",
    help="The model that is served: its config.json, or its name [default: [serving] of the configuration].",
)
@click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Name the line of a template in DIR that wrote what differs.",
)
@click.option(
    "--export",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write hashes in place of text to a Parquet file, which audit reads again.",
)
@click.option("--output-format", type=click.Choice(_FORMATS), default="text", show_default=True)
@click.option(
    "--fail-under", type=click.FloatRange(0, 1), metavar="SHARE", help="Exit with 1 below this share, 0 to 1."
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes that read [default: all cores].")
@click.option(
    "--spill",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where what does not fit in memory is kept [default: the folder for temporary files].",
)
def audit(
    logs: tuple[str, ...],
    provider: str | None,
    log_format: str | None,
    mapped: tuple[str, ...],
    ttl: float,
    write_delay: float,
    capacity: int,
    what_if: bool,
    ignore_below: int,
    prices: str,
    model_config: str | None,
    templates: Path | None,
    export: Path | None,
    output_format: str,
    fail_under: float | None,
    jobs: int | None,
    spill: Path | None,
) -> None:
    """Replay recorded requests through the provider's cache: share, causes, what would win.

    LOGS are files, folders, globs (of this machine, s3:// or gs://) or `-`: JSON lines, JSON or Parquet, plain, gzip
    or zstd.
    Exit codes: 0, 1 below --fail-under, 2 usage or internal error.
    """
    _need_parts()
    from promptlint.audit.rules import Wanted
    from promptlint.audit.run import Options
    from promptlint.audit.run import audit as run
    from promptlint.logs.formats.recognise import format_named
    from promptlint.logs.mapping import FieldMap
    from promptlint.logs.reading import Reading
    from promptlint.providers.registry import provider as named
    from promptlint.report.mask import mask

    with user_errors(), _data_errors():
        reading = Reading(
            named(provider).name if provider else "",
            format_named(log_format).name if log_format else "",
            FieldMap.of(mapped),
        )
        options = Options(
            reading=reading,
            wanted=Wanted(ttl, write_delay, capacity),
            processes=jobs or 0,
            what_if=what_if,
            least=ignore_below,
            shipped_prices=prices == "table",
            export=export,
            templates=templates,
            folder=spill,
            mask=mask,
            served=_served(model_config),
        )
        progress = _Progress()
        try:
            result = run(logs, options, progress)
        finally:
            progress.end()
        match output_format:
            case "json":
                from promptlint.report.audit_json import audit_json

                write(audit_json(result))
            case "markdown":
                from promptlint.report.audit_markdown import audit_markdown

                write("".join(f"{line}\n" for line in audit_markdown(result)))
            case _:
                from promptlint.report.audit_text import audit_concise, audit_text

                lines = audit_text if output_format == "text" else audit_concise
                write("".join(f"{line}\n" for line in lines(result, paint_for(sys.stdout))))
    if fail_under is not None:
        if result.share is None:
            raise click.ClickException("--fail-under: the logs hold neither token counts nor prompts")
        if result.share.value < fail_under:
            tell(f"cached-token share {result.share.value:.3f} is below {fail_under:g}")
            sys.exit(1)


def _served(named_model: str | None) -> Workload | None:
    from promptlint.config import load_config
    from promptlint.serving.settings import named, workload

    serving = load_config(Path()).serving
    if named_model is not None:
        serving = named(named_model, serving)
    return None if serving is None else workload(serving)


def _need_parts() -> None:
    from importlib.util import find_spec

    missing = [name for name in _PARTS if find_spec(name) is None]
    if missing:
        raise click.ClickException(f"audit needs {', '.join(missing)}; install promptlint with its extra `audit`")


@contextmanager
def _data_errors() -> Iterator[None]:
    """Errors of the data engine and of killed processes, as users see them."""
    from concurrent.futures.process import BrokenProcessPool

    import duckdb

    from promptlint.logs.record import LogError

    try:
        yield
    except LogError as error:
        raise click.ClickException(str(error)) from error
    except BrokenProcessPool as error:
        said = "a reading process was killed, perhaps for want of memory; nothing was written; try --jobs 1"
        raise click.ClickException(said) from error
    except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
        said = str(error).splitlines()[0]
        raise click.ClickException(f"{said}; give a folder with more room with --spill") from error


class _Progress:
    """Bytes read, their rate and the time that is left, on a terminal's standard error."""

    def __init__(self) -> None:
        self._begun, self._shown = time.monotonic(), sys.stderr.isatty()
        self._latest = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._shown or not total or now - self._latest < 0.2:
            return
        self._latest = now
        rate = done / max(now - self._begun, 1e-6)
        left = (total - done) / rate if rate else 0
        text = f"{done >> 20:,} of {total >> 20:,} MB, {rate / 2**20:.1f} MB/s, {left:.0f} s left"
        click.echo(f"\r{text:<60}", nl=False, err=True)

    def end(self) -> None:
        if self._latest:
            click.echo("\r" + " " * 60 + "\r", nl=False, err=True)
