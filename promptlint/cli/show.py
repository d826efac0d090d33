"""`promptlint show`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from promptlint.cli.options import COLORS, paint_for, prices_option, reading_options, user_errors, write
from promptlint.engine import Engine, Options

if TYPE_CHECKING:
    from promptlint.report.money import PriceOf

_ALL = "all"
_HORIZON = "user"
"""The horizon of a comparison that nobody chose one for."""


@click.command()
@click.argument("file")
@reading_options
@prices_option
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--color", type=click.Choice(COLORS), default="auto", show_default=True)
def show(
    file: str,
    provider: str | None,
    model: str | None,
    horizon: str | None,
    dialect: str | None,
    model_config: str | None,
    isolated: bool,
    prices: str,
    output_format: str,
    color: str,
) -> None:
    """The prompt in FILE as the cache reads it: segments, where reuse ends, shares by horizon.

    --provider takes several names, comma separated. `--provider all` compares all that are known: shares now and at
    best, lost tokens, and lost dollars where --model (then several, too), the request or the configuration names a
    model.
    """
    from promptlint.providers.registry import provider as named

    with user_errors():
        names, models = _listed(provider), _listed(model)
        everyone = names == [_ALL]
        if len(models) > 1 and not everyone:
            raise click.UsageError("several models are compared with --provider all only; name one, or add that")
        asked = [] if everyone else [named(name) for name in names]
        options = Options(
            provider=None if everyone or not names else names[0],
            model=models[0] if models else None,
            horizon=horizon,
            dialect=dialect,
            isolated=isolated,
            model_config=model_config,
        )
        engine = Engine(options)
        price_of = _prices(shipped_only=prices == "table")
        config = engine.config(Path(file))
        traffic = config.traffic.requests_per_day
        served = engine.workload(Path(file))
        appraisals = engine.appraisals(Path(file))
        if not appraisals:
            raise click.ClickException(f"{file}: no prompt that promptlint can read; name another file")
        for appraisal in appraisals:
            if everyone:
                from promptlint.providers.registry import providers as known
                from promptlint.report.comparison import compared, comparison, comparison_json

                over = horizon or config.horizon or _HORIZON
                of = models or ([appraisal.model] if appraisal.model else [])
                rows = compared(appraisal, known(), of, over, price_of)
                if output_format == "json":
                    write(comparison_json(appraisal, rows, over, traffic))
                else:
                    _write(comparison(appraisal, rows, over, traffic, paint_for(sys.stdout, color)))
                continue
            from promptlint.report.prompt_view import view, view_json

            providers = asked or [appraisal.provider]
            if output_format == "json":
                write(view_json(appraisal, providers, horizon, price_of, served))
            else:
                _write(view(appraisal, providers, paint_for(sys.stdout, color), horizon, price_of, traffic, served))


def _prices(shipped_only: bool) -> PriceOf:
    """Prices as of today."""
    from promptlint.cli.clock import today
    from promptlint.providers.prices import price

    day = today()
    return lambda provider, model: price(provider, model, day, shipped_only=shipped_only)


def _write(lines: Iterable[str]) -> None:
    for line in lines:
        write(line + "\n")


def _listed(given: str | None) -> list[str]:
    return [name.strip() for name in (given or "").split(",") if name.strip()]
