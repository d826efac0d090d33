"""`promptlint show`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from promptlint.cli.options import paint_for, reading_options, user_errors, write
from promptlint.engine import Engine, Options


@click.command()
@click.argument("file")
@reading_options
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
def show(
    file: str, provider: str | None, horizon: str | None, dialect: str | None, isolated: bool, output_format: str
) -> None:
    """The prompt in FILE as the cache reads it: segments, where reuse ends, shares by horizon.

    --provider takes several names, comma separated.
    """
    from promptlint.providers.registry import provider as named

    with user_errors():
        names = [name.strip() for name in (provider or "").split(",") if name.strip()]
        asked = [named(name) for name in names]
        first = names[0] if names else None
        engine = Engine(Options(provider=first, horizon=horizon, dialect=dialect, isolated=isolated))
        appraisals = engine.appraisals(Path(file))
        for appraisal in appraisals:
            providers = asked or [appraisal.provider]
            if output_format == "json":
                from promptlint.report.prompt_view import view_json

                write(view_json(appraisal, providers, horizon))
            else:
                from promptlint.report.prompt_view import view

                for line in view(appraisal, providers, paint_for(sys.stdout), horizon):
                    write(line + "\n")
