"""All programs of a run: each is followed once, and a request that another one is made of is part of that one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from promptlint.expression import Bound, Choice, Expression
from promptlint.flow.callers import Callers
from promptlint.flow.files import Filling
from promptlint.flow.names import Program
from promptlint.flow.request import Request
from promptlint.flow.search import Found, requests
from promptlint.flow.table import sinks
from promptlint.flow.uses import Key
from promptlint.source import Source
from promptlint.unit import Unit

Module = Callable[[Source, str], Unit | None]
"""The unit of the module that the program in a source imports by a name."""


class Flow:
    """Programs with the requests that they build."""

    def __init__(self) -> None:
        self._programs: dict[Source, Program] = {}
        self._found: dict[Source, list[Found]] = {}
        self._imports: dict[tuple[Source, str], Program | None] = {}
        self._callers: dict[Module, Callers] = {}
        self._uses: set[Key] = set()
        self._fillings: list[Filling] = []

    def add(self, unit: Unit, module: Module) -> None:
        """Take in a program, whose functions can call those of others."""
        self._callers_of(unit, module)

    def search(self, unit: Unit, module: Module, names: frozenset[str] | None = None) -> None:
        """Follow a program, or only what stands behind some names of its top level.

        Its requests can be part of another's.
        """
        self._search(unit, module, names)

    def given(self, path: Path, resolve: Callable[[Source, str], Path | None]) -> dict[str, Expression]:
        """What programs fill into the file at a path; the values of several call sites are alternatives."""
        found: dict[str, list[Bound]] = {}
        for filling in self._fillings_of(path, resolve):
            for name, value in filling.values.items():
                found.setdefault(name, []).append(value)
        return {name: _either(values) for name, values in found.items()}

    def dialect_of(self, path: Path, resolve: Callable[[Source, str], Path | None]) -> str | None:
        """The dialect of the holes that programs fill in in the file at a path; None when they fill in none."""
        return next((filling.dialect for filling in self._fillings_of(path, resolve)), None)

    def _fillings_of(self, path: Path, resolve: Callable[[Source, str], Path | None]) -> Iterator[Filling]:
        for filling in self._fillings:
            if filling.file.endswith(path.name) and resolve(filling.program, filling.file) == path:
                yield filling

    def requests(self, unit: Unit, module: Module) -> list[Request]:
        """The requests that a program builds, without those that others are made of."""
        found = self._search(unit, module)
        return [each.request for each in found if each.key not in self._uses]

    def _search(self, unit: Unit, module: Module, names: frozenset[str] | None = None) -> list[Found]:
        known = self._found.get(unit.source)
        if known is None:
            program = self._program(unit)
            assert program is not None
            callers = self._callers_of(unit, module)
            self._found[unit.source] = []
            known, fillings = requests(program, sinks(), callers, names)
            self._fillings.extend(fillings)
            self._found[unit.source] = known
            for found in known:
                self._uses.update(found.uses - {found.key})
        return known

    def _callers_of(self, unit: Unit, module: Module) -> Callers:
        """The callers in the project that the unit belongs to, with the unit's own among them."""
        if module not in self._callers:

            def imported(importer: Program, name: str) -> Program | None:
                key = (importer.source, name)
                if key not in self._imports:
                    other = module(importer.source, name)
                    self._imports[key] = None if other is None else self._program(other)
                return self._imports[key]

            self._callers[module] = Callers(imported, sinks().steps)
        program = self._program(unit)
        if program is not None:
            self._callers[module].add(program)
        return self._callers[module]

    def _program(self, unit: Unit) -> Program | None:
        if unit.source not in self._programs and unit.module is not None:
            self._programs[unit.source] = Program(unit.source, unit.module)
        return self._programs.get(unit.source)


def _either(values: Sequence[Bound]) -> Expression:
    options = tuple({(id(value.source), value.span): value for value in values}.values())
    return options[0] if len(options) == 1 else Choice(None, options, options[0].span)
