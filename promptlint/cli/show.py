"""`promptlint show`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from promptlint.cli.options import paint_for, reading_options, user_errors, write
from promptlint.engine import Engine, Options

if TYPE_CHECKING:
    from promptlint.layout.appraisal import Appraisal

_ALL = "all"
_HORIZON = "user"
"""The horizon of a comparison that nobody chose one for."""


@click.command()
@click.argument("file")
@reading_options
@click.option("--model", metavar="NAMES", help="The model; for --provider all one or more, comma separated.")
@click.option(
    "--prices",
    type=click.Choice(("auto", "table")),
    default="auto",
    show_default=True,
    help="auto asks genai-prices first where it is installed, table only what ships with promptlint.",
)
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
def show(
    file: str,
    provider: str | None,
    horizon: str | None,
    dialect: str | None,
    isolated: bool,
    model: str | None,
    prices: str,
    output_format: str,
) -> None:
    """The prompt in FILE as the cache reads it: segments, where reuse ends, shares by horizon.

    --provider takes several names, comma separated. `--provider all` compares all that are known: shares now and at
    best, lost tokens, and lost dollars where --model, the request or the configuration names a model.
    """
    from promptlint.providers.registry import provider as named

    with user_errors():
        names, models = _listed(provider), _listed(model)
        everyone = names == [_ALL]
        asked = [] if everyone else [named(name) for name in names]
        options = Options(
            provider=None if everyone or not names else names[0],
            model=models[0] if models else None,
            horizon=horizon,
            dialect=dialect,
            isolated=isolated,
        )
        engine = Engine(options)
        for appraisal in engine.appraisals(Path(file)):
            if everyone:
                _compare(engine, appraisal, Path(file), models, horizon, prices == "table", output_format)
                continue
            providers = asked or [appraisal.provider]
            if output_format == "json":
                from promptlint.report.prompt_view import view_json

                write(view_json(appraisal, providers, horizon))
            else:
                from promptlint.report.prompt_view import view

                for line in view(appraisal, providers, paint_for(sys.stdout), horizon):
                    write(line + "\n")


def _compare(
    engine: Engine,
    appraisal: Appraisal,
    path: Path,
    models: list[str],
    horizon: str | None,
    shipped_only: bool,
    output_format: str,
) -> None:
    from promptlint.cli.clock import today
    from promptlint.providers.prices import Price, price
    from promptlint.providers.registry import providers
    from promptlint.providers.row import Provider
    from promptlint.report.comparison import compared, comparison, comparison_json

    config, day = engine.config(path), today()

    def price_of(provider: Provider, model: str) -> Price | None:
        return price(provider, model, day, shipped_only=shipped_only)

    horizon = horizon or config.horizon or _HORIZON
    traffic = config.traffic.requests_per_day
    known = models or ([appraisal.model] if appraisal.model else [])
    rows = compared(appraisal, providers(), known, horizon, price_of)
    if output_format == "json":
        write(comparison_json(appraisal, rows, horizon, traffic))
        return
    for line in comparison(appraisal, rows, horizon, traffic, paint_for(sys.stdout)):
        write(line + "\n")


def _listed(given: str | None) -> list[str]:
    return [name.strip() for name in (given or "").split(",") if name.strip()]
