"""`promptlint check --add-ignore`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click

from promptlint.engine import Engine, Outcome
from promptlint.finding import Finding
from promptlint.project.discover import relative
from promptlint.report.paths import shown_path
from promptlint.storage import holds, write_whole
from promptlint.suppression.adding import FORBIDDEN, with_comments
from promptlint.suppression.appending import with_entries

_NEW_FILE = "promptlint.toml"
_ABOUT_FILES = "files"


def add_ignores(engine: Engine, outcome: Outcome, reason: str) -> Iterator[str]:
    """Suppress every finding of a run: a comment where the format has one, else an entry in the configuration.

    Gives a line for each file that was written. What is wrong with a file itself is left. Raises OSError, ConfigError.
    """
    if bad := next((mark for mark in FORBIDDEN if mark in reason), None):
        raise click.UsageError(f"the reason must not hold {bad!r}, which would end a comment; say it in other words")
    groups = {rule.name: rule.group for rule in outcome.run.rules}
    files: dict[Path, dict[tuple[object, ...], Finding]] = {}
    for part in outcome.parts:
        if groups.get(part.rule) != _ABOUT_FILES:
            files.setdefault(engine.path(part), {}).setdefault((part.rule, part.place), part)
    written: list[tuple[Path, str, str]] = []
    entries: dict[Path, list[tuple[str, Finding]]] = {}
    for path, found in files.items():
        left = list(found.values())
        unit = engine.unit(path)
        if holds(path, unit.source.text):
            text, left = with_comments(unit, left, reason, partial(engine.reread, path))
            if text != unit.source.text:
                written.append((path, text, f"{len(found) - len(left):,} suppressed in comments"))
        config = engine.config(path)
        file = config.path or engine.home(path) / _NEW_FILE
        entries.setdefault(file, []).extend((relative(path, file.parent), finding) for finding in left)
    for file, wanted in entries.items():
        if wanted:
            text = with_entries(file.read_bytes() if file.exists() else b"", file, wanted, reason)
            written.append((file, text, f"{len(wanted):,} suppressed in [[suppress]]"))
    # All or nothing: a file that cannot be used is met before the first one is written.
    for file, text, said in written:
        write_whole(file, text)
        yield f"{shown_path(file)}: {said}"
