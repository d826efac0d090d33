"""What a run reads: the files that were asked for, their configurations, and the projects they belong to."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from promptlint.config import Config, find_root, load_config
from promptlint.lifetimes.classify import Declared
from promptlint.project.discover import DATA_SUFFIXES, is_met, looks_like_markup, relative, walk
from promptlint.project.programs import PROGRAM_SUFFIXES, hints_at_prompts, is_written
from promptlint.project.project import Project
from promptlint.project.reach import Reach, Reached
from promptlint.readers.opening import LARGEST, Unreadable
from promptlint.source import Source
from promptlint.track import Track, untracked
from promptlint.unit import Unit

_INCLUDES = re.compile(rb"\{%[-+]?\s*(?:include|extends|import|from)\b|\{\{~?#?\s*>")

Read = Callable[[Source, str | None], Unit]
"""Turns a source into a unit, in the dialect that is stated or the one that the text speaks for."""


class Load(Protocol):
    """Finds the configuration of a folder. Raises ConfigError."""

    def __call__(self, start: Path, /, *, isolated: bool) -> Config: ...


class Workspace:
    """Files are read once, whatever number of prompts they belong to. `dialect` overrules the configuration's."""

    def __init__(
        self, read: Read, *, isolated: bool = False, dialect: str | None = None, load: Load = load_config
    ) -> None:
        self._read, self._isolated, self._dialect, self._load = read, isolated, dialect, load
        self._configs: dict[Path, Config] = {}
        self._projects: dict[Path, Project] = {}
        self._given: frozenset[Path] | None = None
        self._asked: Sequence[Path] = ()
        self._met: dict[Path, tuple[Path, ...]] = {}

    def units(
        self, paths: Sequence[Path], track: Track = untracked, *, only_met: bool = False
    ) -> tuple[dict[Path, Unit], list[str]]:
        """Units of the prompt files at these paths, and a line about each that should have been read and was not.

        A named file is a prompt whatever it is called, unless `only_met` holds it to what a walk would meet.
        """
        self._asked = sorted(_real(path) for path in paths if path.is_dir())
        if only_met:
            paths = [path for path in paths if path.is_dir() or is_met(path, self.config(path))]
        named = set() if only_met else {_real(path) for path in paths}
        files: dict[Path, None] = {}
        notices = []
        for path in paths:
            if not os.path.exists(path):  # noqa: PTH110 - a folder that may not be entered raises nothing here
                missing = "this link leads nowhere" if path.is_symlink() else "there is no such file or folder"
                notices.append(f"{path}: {missing}; check the path")
            for file in walk([path], self.config(path)):
                real = _real(file)
                if real in named or not _is_program(real) or hints_at_prompts(_data(real)):
                    files.setdefault(real)
        self._given = frozenset(files) if self._isolated else None
        units: dict[Path, Unit] = {}
        for path in track(files, "reading"):
            unit = self.project(path).unit(path)
            if isinstance(unit, Unreadable):
                if path in named or not _is_data(path):
                    notices.append(f"{unit.path}: {unit.message}")
            elif path in named or not self._is_other(path, unit):
                units[path] = unit
        return units, notices

    def unit(self, path: Path) -> Unit | Unreadable:
        """The unit of one file."""
        return self.project(_real(path)).unit(_real(path))

    def reread(self, path: Path, source: Source) -> Unit:
        """A text as the file at a path is read; the workspace does not keep it."""
        return self._unit(source, path)

    def take(self, path: Path, text: str) -> tuple[Path, Unit]:
        """Text that stands for a file (standard input does), with the path that it goes by."""
        real = _real(path)
        return real, self.project(real).add(real, Source(path.as_posix(), text))

    def template(self, path: Path, unit: Unit, dialect: str | None) -> Unit:
        """A file that looks like a request as it was sent, read as a template in a dialect."""
        return self._read(unit.source, self._dialect or self.config(path).dialect_of(path) or dialect)

    def config(self, path: Path) -> Config:
        """The configuration of a file or folder. Raises ConfigError."""
        real = _real(path)
        folder = real if real.is_dir() else real.parent
        if folder not in self._configs:
            config = self._load(folder, isolated=self._isolated)
            if config.path is None and not (config.root / ".git").exists():
                # Neither a configuration nor a repository says where the project begins: what was asked for does.
                asked = (each for each in self._asked if folder.is_relative_to(each))
                config = replace(config, root=next(asked, config.root))
            self._configs[folder] = config
        return self._configs[folder]

    def project(self, path: Path) -> Project:
        root = self.config(path).root
        if root not in self._projects:
            self._projects[root] = Project(root, self._unit, lambda file: relative(file, Path.cwd()), self._given)
        return self._projects[root]

    def path(self, source: Source) -> Path:
        """Where a source was read from; a configuration's, which belongs to no project, is found by how it is shown."""
        for project in self._projects.values():
            if (path := project.read_from(source)) is not None:
                return path
        return _real(Path(source.path))

    def home(self, path: Path) -> Path:
        """The folder that a file's name runs from: its repository, else its configuration's, else the working folder.

        So names stay the same in whatever folder promptlint is started, and when a configuration is added.
        """
        root, here = find_root(path), _real(Path.cwd())
        if (root / ".git").exists():
            return root
        config = self.config(path)
        if config.path is not None:
            return config.root
        return here if path.is_relative_to(here) else root

    def name(self, source: Source) -> str:
        """A source's path from its home on."""
        path = self.path(source)
        return relative(path, self.home(path))

    def declared(self, path: Path) -> dict[str, Declared]:
        """What the configuration says of values, by name, with the place where it says so."""
        return {name: Declared(rule.events, rule.place) for name, rule in self.config(path).values.items()}

    def roots(self, units: Mapping[Path, Unit]) -> dict[Path, Unit]:
        """The files that are prompts: those that no other includes, and the includers of the ones given.

        Of files that include each other in a circle, which nothing else includes, each stands for itself.
        """
        known = dict(units) if self._isolated else {**units, **self._includers(units)}
        included = {path: set(self._included(path, unit)) - {path} for path, unit in known.items()}
        targets = {target for targets in included.values() for target in targets}
        roots = known.keys() - targets
        reached: set[Path] = set()
        queue = list(roots)
        while queue:
            path = queue.pop()
            if path not in reached:
                reached.add(path)
                queue.extend(included.get(path, ()))
        return {path: unit for path, unit in known.items() if path in roots or path not in reached}

    def path_of(self, source: Source, name: str) -> Path | None:
        """Path of the file that a source of any of the projects calls `name`."""
        found = (project.path_of(source, name) for project in self._projects.values())
        return next((path for path in found if path is not None), None)

    def related(self, units: Mapping[Path, Unit]) -> dict[Path, Reached]:
        """Other programs of the projects that can call these or fill them in, and programs that can call those."""
        if self._isolated:
            return {}
        found: dict[Path, Reached] = {}
        by_root: dict[Path, dict[Path, Unit]] = {}
        for path, unit in units.items():
            by_root.setdefault(self.config(path).root, {})[path] = unit
        for root, own in by_root.items():
            others = (path for path in self._around(root) if path not in units and _is_program(path))
            written = ((path, data) for path in others if is_written(data := _data(path)))
            found.update(Reach(self._program, self.project(root).locate).around(own, written))
        return found

    def _program(self, path: Path) -> Unit | None:
        unit = self.project(path).unit(path)
        return unit if isinstance(unit, Unit) else None

    def _around(self, root: Path) -> Sequence[Path]:
        """Files of a project that prompts and programs can stand in, looked for once.

        Where no repository, configuration or folder asked for bounds the project, it is no more than one folder: it
        may be somebody's home.
        """
        if root not in self._met:
            config = self.config(root)
            bounded = config.path is not None or root in self._asked or (root / ".git").exists()
            files = walk([root], config) if bounded else (path for path in _files(root) if is_met(path, config))
            self._met[root] = tuple(map(_real, files))
        return self._met[root]

    def _unit(self, source: Source, path: Path) -> Unit:
        return self._read(source, self._dialect or self.config(path).dialect_of(path))

    def _is_other(self, path: Path, unit: Unit) -> bool:
        """Whether a file that a walk met turns out to be no prompt."""
        if unit.module is not None:
            return False
        if _is_data(path) and not unit.prompts:
            # A broken request says so itself; what the bytes are says nothing about other data.
            return not unit.problems or not self._unit(unit.source, path).problems
        return looks_like_markup(unit.source.text)

    def _included(self, path: Path, unit: Unit) -> Iterator[Path]:
        project = self.project(path)
        for name in unit.wanted:
            if (found := project.resolve(path, name)) is not None:
                yield found

    def _includers(self, units: Mapping[Path, Unit]) -> dict[Path, Unit]:
        """Other files of the projects that include one of these, directly or through others.

        A file is parsed only when it includes something and a file that is looked for is named in it.
        """
        targets = set(units)
        found: dict[Path, Unit] = {}
        others = dict(self._others(units))
        grown = True
        while grown and others:
            grown = False
            names = {path.name.split(".")[0].lstrip("_").encode() for path in targets}
            for path in [path for path, data in others.items() if any(name in data for name in names)]:
                unit = self.project(path).unit(path)
                if isinstance(unit, Unit) and targets & set(self._included(path, unit)):
                    found[path] = unit
                    targets.add(path)
                    del others[path]
                    grown = True
        return found

    def _others(self, units: Mapping[Path, Unit]) -> Iterator[tuple[Path, bytes]]:
        """Prompt files of the same projects that include anything at all, with what stands in them."""
        for root in list(self._projects):
            for path in self._around(root):
                data = _data(path) if path not in units and not _is_program(path) else b""
                if _INCLUDES.search(data):
                    yield path, data


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _is_program(path: Path) -> bool:
    return path.suffix.lower() in PROGRAM_SUFFIXES


def _is_data(path: Path) -> bool:
    return path.suffix.lower() in DATA_SUFFIXES


def _data(path: Path) -> bytes:
    """A file's bytes; none when it cannot be read or is too large to be a prompt."""
    try:
        return path.read_bytes() if path.stat().st_size <= LARGEST else b""
    except OSError:
        return b""


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
