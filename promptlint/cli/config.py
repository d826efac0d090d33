"""`promptlint config`."""

from __future__ import annotations

from pathlib import Path

import click

from promptlint.cli.options import user_errors, write
from promptlint.config import load_config
from promptlint.data import unknown
from promptlint.project.discover import relative
from promptlint.report.annotate import location
from promptlint.report.paint import escaped


@click.command()
@click.argument("key", required=False)
@click.option("--explain", metavar="FILE", type=click.Path(path_type=Path), help="What applies to FILE, and whence.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema, for editors.")
def config(key: str | None, explain: Path | None, schema: bool) -> None:
    """List all settings; with KEY, explain one."""
    with user_errors():
        if [bool(key), explain is not None, schema].count(True) > 1:
            raise click.UsageError("KEY, --explain and --schema exclude each other; give one of them")
        if schema:
            from promptlint.config.schema import FILE

            write(FILE.read_text(encoding="utf-8"))
        elif explain is not None:
            _explain(explain)
        elif key is not None:
            _setting(key)
        else:
            _settings()


def _settings() -> None:
    from promptlint.config.table import SETTINGS

    width = max(map(len, SETTINGS))
    for name, setting in SETTINGS.items():
        write(f"{name:<{width}}  {setting.summary}\n")


def _setting(key: str) -> None:
    from promptlint.config.table import SETTINGS

    if key not in SETTINGS:
        raise unknown("setting", key, SETTINGS)
    setting = SETTINGS[key]
    write(f"{key}: {setting.summary}.\n\nDefault: {setting.default or 'not set'}\n\nExample:\n\n{setting.example}\n")


def _explain(file: Path) -> None:
    from promptlint.config.explain import applied

    found = load_config(file)
    here = Path.cwd()
    shown = escaped(relative(found.path, here)) if found.path is not None else "no configuration file"
    write(f"{escaped(str(file))}: {shown}\n\n")
    rows = [(location(each.place) if each.place is not None else "default", each) for each in applied(found, file)]
    width = max(len(whence) for whence, _ in rows)
    for whence, each in rows:
        said = f"{each.key} = {each.value}" if each.value else f"{each.key} is not set"
        write(f"{whence:<{width}}  {escaped(said)}\n")
