"""Which other programs can call some programs or fill in some templates, and what of them does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from promptlint.project.imports import ALL, WHOLE, Import, imports
from promptlint.project.mentions import defined, mentions, used, users
from promptlint.unit import Unit

_MOST_HOPS = 3
"""Programs that import programs, those that only hand names on among them."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A program, and the names of its top level to look at: those that use what was asked for, and what these use."""

    unit: Unit
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Reach:
    """Of one project: `unit` parses a program, `locate` gives the file of the module that a program names."""

    unit: Callable[[Path], Unit | None]
    locate: Callable[[Path, str], Path | None]
    most: int = 300
    """Programs that are looked at, the nearest first."""

    def around(self, asked: Mapping[Path, Unit], others: Iterable[tuple[Path, bytes]]) -> dict[Path, Reached]:
        """The programs among the others that use anything of those asked for; past a bound the rest is unknown.

        The others come with what is in them, which is not kept.
        """
        known = {path: defined(unit.module) for path, unit in asked.items() if unit.module is not None}
        files = {path.name.encode() for path, unit in asked.items() if unit.module is None}
        templates = frozenset(name.decode() for name in files)
        fills: set[Path] = set()
        taken: dict[Path, tuple[Import, ...]] = {}
        for path, data in others:
            taken[path] = tuple(imports(path, data))
            if any(name in data for name in files):
                fills.add(path)
        meanings: dict[Path, Mapping[str, Set[str]]] = {}
        found: dict[Path, Reached] = {}
        for _ in range(_MOST_HOPS):
            before = dict(known)
            for path, names in self._users(taken, before):
                if (not names and path not in fills) or (path not in found and len(found) >= self.most):
                    continue
                unit = self.unit(path)
                if unit is None or unit.module is None:
                    del taken[path]
                    continue
                own = meanings[path] = meanings.get(path) or mentions(unit.module)
                using = set(own) if ALL in names else users(own, names | templates)
                known[path] = frozenset(using | names)
                found[path] = Reached(unit, frozenset(used(own, using)))
            if known == before:
                break
        return found

    def _users(
        self, taken: Mapping[Path, Sequence[Import]], known: Mapping[Path, frozenset[str]]
    ) -> list[tuple[Path, frozenset[str]]]:
        """Each program with what it calls the names that it imports of the known ones."""
        stems = {path.parent.name if path.stem in ("__init__", "index") else path.stem for path in known}
        wanted = stems.union(*known.values())
        return [(path, frozenset(self._handed(path, each, known, stems, wanted))) for path, each in taken.items()]

    def _handed(
        self,
        path: Path,
        taken: Sequence[Import],
        known: Mapping[Path, frozenset[str]],
        stems: Set[str],
        wanted: Set[str],
    ) -> Iterator[str]:
        for each in taken:
            if each.last not in stems and not any(name in wanted for name, _ in each.names):
                continue
            target = self.locate(path, each.module)
            exposed = known.get(target) if target is not None else None
            for name, alias in each.names:
                if exposed is not None and (name == WHOLE or name in exposed):
                    yield alias
                elif exposed is not None and name == ALL:
                    yield from exposed
                elif name in stems and path.suffix == ".py":
                    joint = "" if each.module.endswith(".") else "."
                    if self.locate(path, f"{each.module}{joint}{name}") in known:
                        yield alias
