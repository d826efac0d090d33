"""`promptlint baseline`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import click

from promptlint.baseline import Entry, entry_of, read_baseline, written
from promptlint.cli.options import tell, user_errors, write
from promptlint.cli.progress import tracking
from promptlint.config import BASELINE
from promptlint.engine import Engine, Options
from promptlint.project.discover import relative
from promptlint.report.annotate import said
from promptlint.report.paint import escaped
from promptlint.report.paths import shown_path
from promptlint.report.summary import counted
from promptlint.storage import write_whole

_file_option = click.option(
    "--baseline", "given", type=click.Path(path_type=Path), help="The file, instead of the configured one."
)
_paths_argument = click.argument("paths", nargs=-1, type=click.Path(path_type=Path))


@dataclass(slots=True)
class _Target:
    """A baseline file: the project that it belongs to, its files that were checked, and what was found in them."""

    root: Path
    checked: set[str] = field(default_factory=set)
    found: list[Entry] = field(default_factory=list)

    def is_settled(self, entry: Entry) -> bool:
        """Whether this run says all there is to say of an entry's file: it was checked, or is gone."""
        return entry.path in self.checked or not (self.root / entry.path).exists()


@click.group()
def baseline() -> None:
    """Known findings: write them down once, and only new ones are reported."""


@baseline.command("write")
@_paths_argument
@_file_option
def write_command(paths: tuple[Path, ...], given: Path | None) -> None:
    """Write every finding at PATHS down [default: .]. What is known of other files stays."""
    with user_errors():
        engine = Engine(Options(without_baseline=True), tracking())
        for file, target in _targets(engine, paths, given).items():
            before = read_baseline(file).entries if file.exists() else ()
            entries = {*(entry for entry in before if not target.is_settled(entry)), *target.found}
            write_whole(file, written(entries))
            write(f"{shown_path(file)}: {counted(len(entries), 'finding')}\n")
            if given is None and engine.config(target.root).baseline is None:
                write(f'to use it, add to the configuration: baseline = "{BASELINE}"\n')


@baseline.command()
@_paths_argument
@_file_option
def prune(paths: tuple[Path, ...], given: Path | None) -> None:
    """Take out entries whose finding is no longer there, at PATHS [default: .]."""
    with user_errors():
        engine = Engine(Options(without_baseline=True), tracking())
        for file, target in _targets(engine, paths, given).items():
            before = read_baseline(file).entries
            present = {entry.fingerprint for entry in target.found}
            kept = [entry for entry in before if entry.fingerprint in present or not target.is_settled(entry)]
            if len(kept) < len(before):
                write_whole(file, written(kept))
            write(f"{shown_path(file)}: {len(before) - len(kept):,} taken out, {len(kept):,} left\n")


@baseline.command()
@_file_option
def show(given: Path | None) -> None:
    """List the known findings."""
    with user_errors():
        file = _file(Engine(Options()), Path.cwd() / "any", given)
        entries = sorted(read_baseline(file).entries, key=lambda entry: (entry.path, entry.rule, entry.message))
        for path, known in groupby(entries, key=lambda entry: entry.path):
            write(f"{escaped(path)}\n")
            for entry in known:
                write(f"  {entry.fingerprint}  {escaped(entry.rule)}  {said(entry.message)}\n")
        write(f"{counted(len(entries), 'finding')} in {shown_path(file)}\n")


def _targets(engine: Engine, paths: Sequence[Path], given: Path | None) -> dict[Path, _Target]:
    """What was found at these paths, by the baseline that it belongs to. Raises ClickException when files failed."""
    outcome = engine.check(paths or [Path()])
    for notice in outcome.notices:
        tell(notice)
    if outcome.broken:
        raise click.ClickException("\n".join([*outcome.broken, "the baseline was not written"]))
    if outcome.notices and not outcome.files:
        raise click.ClickException("nothing was read, and the baseline was not written")
    targets: dict[Path, _Target] = {}

    def target(path: Path) -> _Target:
        return targets.setdefault(_file(engine, path, given), _Target(engine.home(path)))

    for path in outcome.files or [Path.cwd() / "any"]:
        target(path).checked.add(relative(path, engine.home(path)))
    for finding in outcome.run.findings:
        path = engine.path(finding)
        target(path).found.append(entry_of(finding, relative(path, engine.home(path)), said(finding.message)))
    return targets


def _file(engine: Engine, path: Path, given: Path | None) -> Path:
    """The baseline for a file: the given one, the configured one, or one at the file's home."""
    return given or engine.config(path).baseline or engine.home(path) / BASELINE
