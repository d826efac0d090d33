"""The prompts of a project as they were at a revision of git."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from promptlint.config import Config, load_config
from promptlint.engine import Engine, Options, noted
from promptlint.gate import Share, share
from promptlint.project.discover import relative
from promptlint.project.revisions import RevisionError, repository, write_tree


@dataclass(frozen=True, slots=True)
class Past:
    """Shares of prompts at a revision; what is said about files of it, and those whose prompts are not known.

    Paths are those of the files today, lines name the revision as git does (`REV:path`).
    """

    shares: tuple[Share, ...]
    lines: tuple[str, ...]
    unknown: frozenset[str]


def past(revision: str, paths: Sequence[Path], options: Options, horizon: str) -> Past:
    """What could be reused of the prompts at these paths when they were what the revision holds.

    Both times are measured alike: with the configuration as it is now. Raises RevisionError, ConfigError, OSError.
    """
    root = repository(_folder(_real(paths[0])))
    if outside := next((path for path in paths if not _real(path).is_relative_to(root)), None):
        raise RevisionError(f"{outside}: not in the repository {root}; compare one repository at a time")
    with TemporaryDirectory(prefix="promptlint-") as temporary:
        old, here = _real(Path(temporary)), Path.cwd()
        write_tree(revision, root, old)
        # What a repository's own folder is called says nothing about its files.
        (old / ".git").mkdir()

        def load(folder: Path, *, isolated: bool = False) -> Config:
            if not folder.is_relative_to(old):
                return load_config(folder, isolated=isolated)
            config = load_config(root / folder.relative_to(old), isolated=isolated)
            inside = config.root.is_relative_to(root)
            return replace(config, root=old / config.root.relative_to(root) if inside else old)

        engine = Engine(replace(options, baseline=None, without_baseline=True), load=load)
        wanted = [old / _real(path).relative_to(root) for path in paths]
        found = engine.prompts([path for path in wanted if os.path.lexists(path)])
        failures, shares = dict(found.failures), []
        for path, appraisals in found.appraisals.items():
            with noted(failures, path, engine.unit(path).source):
                shares.extend([share(appraisal, horizon) for appraisal in appraisals])
        lines = (*found.notices, *(failure.line for failure in failures.values()))

        def today(path: str) -> str:
            return relative(root / (here / path).relative_to(old), here)

        return Past(
            tuple(replace(each, path=today(each.path)) for each in shares),
            tuple(line.replace(f"{relative(old, here)}/", f"{revision}:") for line in lines),
            frozenset(today(failure.source.path) for failure in failures.values()),
        )


def _folder(path: Path) -> Path:
    return next(above for above in (path, *path.parents) if above.is_dir())


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
