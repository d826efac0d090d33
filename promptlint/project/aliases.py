"""Path aliases of TypeScript projects: what `tsconfig.json` or `jsconfig.json` says that a module's name means.

https://www.typescriptlang.org/tsconfig/#paths, #baseUrl and #extends say how they are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_NAMES = ("tsconfig.json", "jsconfig.json")
_MOST_FILES = 8
"""Configurations that extend each other, or that one refers to."""

_CONVENTION = {"@/*": ("src/*", "*")}
"""What scripts mean where nothing is configured, as in a published package: the alias that `create-next-app` sets.

https://nextjs.org/docs/app/api-reference/cli/create-next-app
"""

_NOTHING: Mapping[str, Any] = {}
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')


@dataclass(frozen=True, slots=True)
class _Aliases:
    """Patterns with what each stands for, below a folder; the folder that other names are looked for in."""

    paths: Mapping[str, tuple[str, ...]] | None = None
    below: Path | None = None
    base: Path | None = None

    def over(self, other: _Aliases) -> _Aliases:
        """With what another configuration says where this one says nothing."""
        paths, below = (other.paths, other.below) if self.paths is None else (self.paths, self.below)
        return _Aliases(paths, below, self.base or other.base)

    def of(self, name: str) -> Iterator[Path]:
        """Where a module of that name can stand, without its suffix."""
        found = _best(name, self.paths or ())
        folder = self.base or self.below
        if found is not None and self.paths is not None and folder is not None:
            pattern, middle = found
            yield from (folder / target.replace("*", middle, 1) for target in self.paths[pattern])
        if self.base is not None:
            yield self.base / name


@dataclass(slots=True)
class AliasReader:
    """Reads the configurations of a project, once each. `may_read` says which files are the project's."""

    root: Path
    may_read: Callable[[Path], bool]
    _known: dict[Path, _Aliases] = field(default_factory=dict)

    def of(self, importer: Path, name: str) -> Iterator[Path]:
        """Where the module can stand that a script calls by a name, without its suffix; the likeliest first."""
        yield from self._of_folder(importer.parent).of(name)

    def _of_folder(self, folder: Path) -> _Aliases:
        if folder not in self._known:
            own = next((path for name in _NAMES if self.may_read(path := folder / name)), None)
            if own is not None:
                self._known[folder] = self._read(own, [])
            elif folder != self.root and folder.is_relative_to(self.root):
                self._known[folder] = self._of_folder(folder.parent)
            else:
                self._known[folder] = _Aliases(_CONVENTION, folder)
        return self._known[folder]

    def _read(self, path: Path, seen: list[Path]) -> _Aliases:
        if path in seen or len(seen) >= _MOST_FILES or not self.may_read(path):
            return _Aliases()
        seen.append(path)
        table = _load(path)
        options = _table(table.get("compilerOptions"))
        base, paths = options.get("baseUrl"), options.get("paths")
        found = _Aliases(
            None if paths is None else dict(_patterns(_table(paths))),
            path.parent,
            path.parent / base if isinstance(base, str) and _is_path(base) else None,
        )
        extended = table.get("extends")
        # Of several the last one counts most.
        for name in reversed(_texts(extended if isinstance(extended, list) else [extended])):
            found = found.over(self._read(_spelled(path.parent / name), seen))
        if found.paths is None and found.base is None:
            references = table.get("references")
            names = [_table(each).get("path") for each in references] if isinstance(references, list) else []
            for name in _texts(names):
                found = found.over(self._read(_spelled(path.parent / name), seen))
        return found


def _best(name: str, patterns: Iterable[str]) -> tuple[str, str] | None:
    """The pattern that a name matches, the one with the longest beginning, and what its star stands for."""
    best: tuple[str, str] | None = None
    longest = -1
    for pattern in patterns:
        before, star, after = pattern.partition("*")
        if not star and pattern == name:
            return pattern, ""
        fits = len(name) >= len(before) + len(after) and name.startswith(before) and name.endswith(after)
        if star and fits and len(before) > longest:
            best, longest = (pattern, name[len(before) : len(name) - len(after)]), len(before)
    return best


def _load(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        return _table(json.loads(_LAST_COMMA.sub(_kept, _COMMENT.sub(_kept, text))))
    except (OSError, ValueError, RecursionError):
        return _NOTHING


def _kept(found: re.Match[str]) -> str:
    return found[1] or ""


def _patterns(paths: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for pattern, targets in paths.items():
        if isinstance(targets, list):
            yield pattern, tuple(_texts(targets))


def _texts(values: Iterable[object]) -> list[str]:
    return [value for value in values if _is_path(value) and isinstance(value, str)]


def _is_path(value: object) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _NOTHING


def _spelled(path: Path) -> Path:
    """A configuration that is named without its suffix, or by its folder."""
    if path.is_dir():
        return path / _NAMES[0]
    return path if path.suffix == ".json" else path.with_name(f"{path.name}.json")
