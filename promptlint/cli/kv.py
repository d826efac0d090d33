"""`promptlint kv`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from promptlint.cli.options import paint_for, tell, user_errors, write
from promptlint.config import load_config
from promptlint.served import DTYPES, Serving

if TYPE_CHECKING:
    from promptlint.serving.signals import Readings
    from promptlint.serving.workload import Workload


@click.command()
@click.argument("model", required=False)
@click.option(
    "--config", type=click.Path(path_type=Path), metavar="PATH", help="The model's config.json, or its folder."
)
@click.option("--params", type=click.FloatRange(min=0, min_open=True), metavar="B", help="Parameters in 10^9.")
@click.option(
    "--active-params",
    type=click.FloatRange(min=0, min_open=True),
    metavar="B",
    help="Of these, the parameters that work on one token, in 10^9.",
)
@click.option("--tokens", type=click.IntRange(1, 1 << 30), default=8192, show_default=True, help="Tokens of a request.")
@click.option("--batch", type=click.IntRange(1, 1 << 20), default=1, show_default=True, help="Requests at a time.")
@click.option("--prefix", type=click.IntRange(1, 1 << 30), metavar="N", help="Tokens that all requests share.")
@click.option("--kv-dtype", type=click.Choice(DTYPES), help="Type of the cache's numbers. [default: fp16]")
@click.option("--weight-dtype", type=click.Choice(DTYPES), help="Type of the weights. [default: bf16]")
@click.option("--gpu", metavar="NAME", help="GPU: h100, h200, b200, mi300x, ...")
@click.option("--gpus", type=click.IntRange(1, 4096), metavar="N", help="How many, all tensor-parallel. [default: 1]")
@click.option("--metrics", metavar="FILE|URL", help="Read what vLLM or SGLang print; a URL on this machine only.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Draw it as SVG.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
def kv(
    model: str | None,
    config: Path | None,
    params: float | None,
    active_params: float | None,
    tokens: int,
    batch: int,
    prefix: int | None,
    kv_dtype: str | None,
    weight_dtype: str | None,
    gpu: str | None,
    gpus: int | None,
    metrics: str | None,
    plot: Path | None,
    output_format: str,
) -> None:
    """The KV equation: what a prompt, a lost prefix and serving optimisations cost in memory, traffic and time.

    MODEL is a name from the table; without one, `[serving]` of the configuration counts, and without that the names
    are listed.
    """
    if model and config:
        raise click.UsageError("MODEL and --config both name a model; give one of them")
    if metrics is not None and plot is not None:
        raise click.UsageError("--metrics reads signals, --plot draws a model; give one of them")
    if prefix is not None and prefix > tokens:
        raise click.UsageError(f"--prefix {prefix} is longer than a request of {tokens} tokens")
    stated: dict[str, Any] = {
        "params": params,
        "active_params": active_params,
        "kv_dtype": kv_dtype,
        "weight_dtype": weight_dtype,
        "gpu": gpu,
        "gpus": gpus,
    }
    with user_errors():
        serving = load_config(Path()).serving or Serving()
        if model or config:
            serving = replace(serving, model=model, config=config, params=None, active_params=None)
        serving = replace(serving, **{name: value for name, value in stated.items() if value is not None})
        if metrics is not None:
            _metrics(metrics, serving, output_format)
            return
        if serving.model is None and serving.config is None:
            _list()
            return
        from promptlint.serving.settings import workload

        asked = replace(workload(serving), tokens=tokens, batch=batch, prefix=prefix or 0)
        if plot is not None:
            _plot(plot, asked)
        elif output_format == "json":
            from promptlint.report.kv_json import kv_json

            write(kv_json(asked))
        else:
            from promptlint.report.kv_text import kv_text

            for line in kv_text(asked, paint_for(sys.stdout)):
                write(line + "\n")


def _list() -> None:
    from promptlint.serving.gpus import gpus
    from promptlint.serving.models import models

    for model in models():
        write(f"{model.name:<24}  {model.title:<26}  {model.attention}\n")
    write(f"\nGPUs: {', '.join(gpu.name for gpu in gpus())}\n")


def _metrics(place: str, serving: Serving, output_format: str) -> None:
    from promptlint.report.kv_metrics import metrics_json, metrics_text
    from promptlint.serving.scrape import read_dump, samples
    from promptlint.serving.signals import readings

    found = readings(samples(read_dump(place), place), place)
    running = _running(found, serving)
    if output_format == "json":
        write(metrics_json(found, running))
        return
    for line in metrics_text(found, running, paint_for(sys.stdout)):
        write(line + "\n")


def _running(found: Readings, serving: Serving) -> Workload | None:
    """What the engine has in flight, as a workload of the model that is named, or that it names itself."""
    from promptlint.data import UnknownNameError
    from promptlint.serving.models import model as named
    from promptlint.serving.settings import workload

    if serving.model is None and serving.config is None:
        try:
            serving = replace(serving, model=named(found.model).name)
        except UnknownNameError:
            return None
    if not found.in_flight or not found.running:
        return None
    requests = max(1, round(found.running))
    return replace(workload(serving), batch=requests, tokens=max(1, round(found.in_flight / requests)))


def _plot(path: Path, asked: Workload) -> None:
    from promptlint.serving.plot import plot
    from promptlint.storage import write_whole

    write_whole(path, plot(asked))
    tell(f"{path}: written")
