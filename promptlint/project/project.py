"""The files of a project, read once each, and how one names another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from promptlint.program import SCRIPT_SUFFIXES, is_script
from promptlint.project.aliases import AliasReader
from promptlint.project.scope import File
from promptlint.readers.opening import Unreadable, open_source
from promptlint.source import Source
from promptlint.template import Problem
from promptlint.unit import Unit

_FOLDERS = ("", "templates", "prompts")
_PARTIAL_SUFFIXES = ("", ".prompt", ".hbs", ".handlebars", ".mustache", ".j2", ".jinja", ".jinja2")


class Project:
    """Reads files below `root`; `only` limits that to the given ones (`--isolated`).

    `read` turns an opened source into a unit; `shown` gives the path that users see.
    """

    def __init__(
        self,
        root: Path,
        read: Callable[[Source, Path], Unit],
        shown: Callable[[Path], str],
        only: frozenset[Path] | None = None,
    ) -> None:
        self.root = root
        self._read, self._shown, self._only = read, shown, only
        self._units: dict[Path, Unit | Unreadable] = {}
        self._paths: dict[Source, Path] = {}
        self._located: dict[tuple[Path, str, str], Path | None] = {}
        self._aliases = AliasReader(root, self._may_read)

    def unit(self, path: Path) -> Unit | Unreadable:
        """The file's unit, read at the first call."""
        known = self._units.get(path)
        if known is None:
            opened = open_source(path, self._shown(path))
            known = opened if isinstance(opened, Unreadable) else self._take(path, opened.source, opened.problems)
            self._units[path] = known
        return known

    def add(self, path: Path, source: Source) -> Unit:
        """Take a source that stands for a path (standard input does)."""
        self._located.clear()
        return self._take(path, source, ())

    def _take(self, path: Path, source: Source, problems: tuple[Problem, ...]) -> Unit:
        unit = self._read(source, path)
        if problems:
            unit = replace(unit, problems=(*problems, *unit.problems))
        self._units[path] = unit
        self._paths[source] = path
        return unit

    def read_from(self, source: Source) -> Path | None:
        """Where a source of this project was read from; None for any other."""
        return self._paths.get(source)

    def find(self, source: Source, name: str) -> File | None:
        """The file that `source` calls `name`: beside it, or in a folder above it, inside the project."""
        path = self.resolve(self._paths[source], name)
        unit = self.unit(path) if path is not None else None
        if not isinstance(unit, Unit) or not unit.prompts:
            return None
        return File(unit.source, unit.prompts[0].messages[0].template)

    def resolve(self, path: Path, name: str) -> Path | None:
        """Path of the file that the file at `path` calls `name`; None when the project has none such."""
        wanted = PurePosixPath(name)
        if not name or wanted.is_absolute() or "\0" in name:
            return None
        for folder in _upwards(path.parent, self.root):
            for below in _FOLDERS:
                for candidate in _spellings(folder / below / wanted):
                    if self._may_read(candidate):
                        return candidate.resolve()
        return None

    def path_of(self, source: Source, name: str) -> Path | None:
        """Path of the file that `source` calls `name`; without its folder where that leads nowhere."""
        path = self._paths.get(source)
        if path is None:
            return None
        return self.resolve(path, name) or self.resolve(path, PurePosixPath(name).name)

    def module(self, source: Source, name: str) -> Unit | None:
        """The unit of the module that a program imports by a name; None for one outside the project."""
        path = self._paths.get(source)
        found = None if path is None else self.locate(path, name)
        unit = None if found is None else self.unit(found)
        return unit if isinstance(unit, Unit) and unit.module is not None else None

    def locate(self, path: Path, name: str) -> Path | None:
        """The file of the module that the program at a path imports by a name; None for one outside the project."""
        key = path.parent, path.suffix, name
        if key not in self._located:
            found = (each.resolve() for each in self._candidates(path, name) if self._may_read(each))
            self._located[key] = next(found, None)
        return self._located[key]

    def _candidates(self, path: Path, name: str) -> Iterable[Path]:
        """Files that a module can stand in: beside its importer or by an alias in TypeScript, on the path in Python."""
        if not is_script(path.name):
            yield from _modules(path, self.root, name)
            return
        for target in (path.parent / name,) if name.startswith(".") else self._aliases.of(path, name):
            yield from _scripts(target)

    def _may_read(self, path: Path) -> bool:
        try:
            real = path.resolve()
            if self._only is not None:
                return real in self._only
            # Text from standard input stands for a file that need not exist.
            return (path.is_file() or real in self._units) and real.is_relative_to(self.root)
        except (OSError, ValueError):
            return False


def _upwards(folder: Path, root: Path) -> Iterable[Path]:
    yield folder
    if folder.is_relative_to(root):
        while folder != root:
            folder = folder.parent
            yield folder


def _modules(path: Path, root: Path, name: str) -> Iterable[Path]:
    """Files that a Python module can stand in, below the folders around its importer."""
    bare = name.lstrip(".")
    dots = len(name) - len(bare)
    words = [word for word in bare.split(".") if word]
    folders: Iterable[Path] = _upwards(path.parent, root)
    if dots:
        folder = path.parent
        for _ in range(dots - 1):
            folder = folder.parent
        folders = (folder,)
    for folder in folders:
        target = folder.joinpath(*words)
        if words:
            yield target.with_name(f"{target.name}.py")
        yield target / "__init__.py"


def _scripts(target: Path) -> Iterable[Path]:
    stem = target.with_suffix("") if is_script(target.name) else target
    yield target
    for suffix in sorted(SCRIPT_SUFFIXES):
        yield stem.with_name(stem.name + suffix)
        yield target / f"index{suffix}"


def _spellings(path: Path) -> Iterable[Path]:
    for suffix in _PARTIAL_SUFFIXES:
        yield path.with_name(path.name + suffix)
    yield path.with_name(f"_{path.name}.prompt")
