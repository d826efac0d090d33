"""Settings of one project."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from promptlint.events import Event
from promptlint.finding import Severity
from promptlint.served import Serving
from promptlint.source import Place

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class ValueRule:
    """The events that change a value, none for a constant, and where the configuration says so."""

    events: frozenset[Event]
    place: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Traffic:
    """How requests come in; None where it is not stated. `interval` are the seconds between two that begin alike."""

    requests_per_day: int | None = None
    interval: int | None = None


@dataclass(frozen=True, slots=True)
class Suppress:
    """An entry of `[[suppress]]`: findings of a rule that are known and stay.

    `path` is a glob, `at` the JSON pointer of the string that the finding stands in, `text` a part of what it is about;
    None leaves the two open.
    """

    path: str
    rule: str
    at: str | None
    text: str | None
    reason: str
    place: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one project. Globs are relative to `root` and read as lines of a .gitignore file.

    `path` is the file they were read from, None without one. `root` is that file's folder, else the repository's.
    Sizes are tokens; `request` None means that what surrounds a template is not visible. `stated` says where each
    setting was stated, by its key, or "table.key".
    """

    path: Path | None
    root: Path
    provider: str | None = None
    model: str | None = None
    horizon: str | None = None
    persona: str | None = None
    ignore_below: int = 100
    dialect: str | None = None
    dialects: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    request: Mapping[str, int] | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, ValueRule] = field(default_factory=dict)
    traffic: Traffic = Traffic()
    serving: Serving | None = None
    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    per_file_ignores: Mapping[str, frozenset[str]] = field(default_factory=dict)
    suppress: tuple[Suppress, ...] = ()
    require_reason: bool = False
    baseline: Path | None = None
    rule_dirs: tuple[Path, ...] = ()
    stated: Mapping[str, Place] = field(default_factory=dict, compare=False)

    def dialect_of(self, path: Path) -> str | None:
        """The dialect stated for a file, None where nothing is. Of several globs that match, the last one counts."""
        glob = next(iter(reversed(list(self.matching(path, self.dialects)))), None)
        return self.dialect if glob is None else self.dialects[glob]

    def ignored_in(self, path: Path) -> frozenset[str]:
        """Rules and groups that say nothing about a file."""
        globs = self.matching(path, self.per_file_ignores)
        return frozenset(name for glob in globs for name in self.per_file_ignores[glob])

    def matching(self, path: Path, globs: Iterable[str]) -> Iterator[str]:
        """Those of the globs that match a file, in their order."""
        given = tuple(globs)
        below = self.below(path) if given else None
        if below is None:
            return
        yield from (glob for glob in given if _compiled(glob).match_file(below))

    def below(self, path: Path) -> str | None:
        """The path as globs see it: from `root` on, with forward slashes. None when it lies elsewhere.

        Links are followed in folders, not in the file's own name.
        """
        real = Path(os.path.realpath(path.parent), path.name)
        return real.relative_to(self.root).as_posix() if real.is_relative_to(self.root) else None


@cache
def _compiled(glob: str) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines([glob])
