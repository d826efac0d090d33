"""`promptlint providers`."""

from __future__ import annotations

import sys

import click

from promptlint.cli.clock import today
from promptlint.cli.options import paint_for, user_errors, write


@click.command()
@click.argument("name", required=False)
@click.option("--isolation", is_flag=True, help="Who shares entries, salts, and published attacks.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
def providers(name: str | None, isolation: bool, output_format: str) -> None:
    """What is known about who caches: match rule, minimum, TTL, scope, prices, with sources and age.

    Without NAME, one line for each. Facts older than 90 days ask to be checked.
    """
    from promptlint.providers.registry import provider
    from promptlint.providers.registry import providers as known

    with user_errors():
        asked = (provider(name),) if name is not None else known()
    day, paint = today(), paint_for(sys.stdout)
    if output_format == "json":
        from promptlint.report.providers_json import isolation_json, providers_json

        write((isolation_json if isolation else providers_json)(asked, day))
        return
    if isolation:
        from promptlint.report.isolation_view import isolation_table

        lines = isolation_table(asked, day, paint)
    else:
        from promptlint.report.providers_view import provider_page, providers_table

        lines = provider_page(asked[0], day, paint) if name is not None else providers_table(asked, day, paint)
    for line in lines:
        write(line + "\n")
