"""`promptlint diff`."""

from __future__ import annotations

import sys

import click

from promptlint.cli.options import paint_for, user_errors, write
from promptlint.config import DIALECTS


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--provider", metavar="NAME", help="Who caches: anthropic, openai, vllm, ... [default: what the files say]"
)
@click.option(
    "--order",
    metavar="FIELDS",
    help="Order in which the request is rendered: tools,system,messages or another. [default: the provider's]",
)
@click.option(
    "--prompt",
    "prompts",
    multiple=True,
    metavar="NAME",
    help="Which prompt of a file with several (a line of a log by its number); twice, one for A and one for B.",
)
@click.option("--dialect", type=click.Choice(DIALECTS), help="Read every template as this dialect.")
@click.option("--isolated", is_flag=True, help="Read the given paths only; no configuration.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
def diff(
    a: str,
    b: str,
    provider: str | None,
    order: str | None,
    prompts: tuple[str, ...],
    dialect: str | None,
    isolated: bool,
    output_format: str,
) -> None:
    """Where B stops being what A was: the first difference, and how much of A's prompt B can read from the cache.

    A and B are two requests (JSON) or two templates: paths, or `REV:path` as git names a file at a revision
    (`HEAD~1:prompts/system.j2`, `:prompts/system.j2` for what is staged).

    Exit codes: 0 nothing of A is lost, 1 text that A sent is fresh in B, 2 usage or internal error.
    """
    from promptlint.checks.pairs import pair_findings
    from promptlint.versions import Asked, VersionError, compared, order_of

    with user_errors():
        try:
            asked = Asked(provider, order_of(order) if order is not None else None, dialect, isolated)
            if len(prompts) > 2:
                raise VersionError("--prompt is given more than twice; name one prompt, or one for A and one for B")
            comparison = compared(a, b, prompts, asked)
        except VersionError as error:
            raise click.ClickException(str(error)) from error
        findings = pair_findings(comparison)
        if output_format == "json":
            from promptlint.report.comparison_json import comparison_json

            write(comparison_json(comparison, findings))
        else:
            from promptlint.report.comparison_text import comparison_text

            for line in comparison_text(comparison, findings, paint_for(sys.stdout)):
                write(line + "\n")
    raise click.exceptions.Exit(1 if comparison.loses_prefix else 0)
