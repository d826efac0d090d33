"""Which rules speak about which files, and how loud."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from promptlint.config import Config
from promptlint.data import unknown
from promptlint.finding import Finding, Persona
from promptlint.lifetimes.table import Table, with_documents
from promptlint.project.workspace import Workspace
from promptlint.rulebook import Rule, RuleError, rules, rules_with


class Selection:
    """Rules by what the command line and each file's configuration say.

    `select` and `persona` overrule the configuration's, `ignore` adds to it.

    Raises UnknownNameError for a name that neither a rule nor a group of the working folder's project has.
    """

    def __init__(
        self, files: Workspace, select: frozenset[str], ignore: frozenset[str], persona: Persona | None
    ) -> None:
        self._files, self._select, self._ignore, self._persona = files, select, ignore, persona
        self._rules: dict[Path, tuple[Rule, ...]] = {}
        self._known: dict[tuple[Path, ...], tuple[Rule, ...]] = {(): rules()}
        self._silent: dict[Path, frozenset[str]] = {}
        self._tables: dict[tuple[Path, ...], Table | None] = {(): None}
        names = {"all", *(name for rule in self.known(Path()) for name in (rule.name, rule.group))}
        for name in sorted((select | ignore) - names):
            raise unknown("rule", name, names)

    def known(self, path: Path) -> tuple[Rule, ...]:
        """The shipped rules and those of the project at `path`. Raises RuleError."""
        folders = self._files.config(path).rule_dirs
        if folders not in self._known:
            self._known[folders] = rules_with(folders)
        return self._known[folders]

    def table(self, path: Path) -> Table | None:
        """What values are in the project at `path`, when its own rules say more than the shipped tables.

        Raises RuleError for a row that cannot be read.
        """
        folders = self._files.config(path).rule_dirs
        if folders not in self._tables:
            own = [rule for rule in self.known(path) if rule.sources]
            for rule in own:
                try:
                    with_documents([{"source": rule.sources}])
                except ValueError as error:
                    raise RuleError(f"the rule {rule.name!r}: {error}") from error
            self._tables[folders] = with_documents([{"source": rule.sources} for rule in own]) if own else None
        return self._tables[folders]

    def rules(self, path: Path) -> tuple[Rule, ...]:
        """The rules that are run on a file."""
        folder = path.parent
        if folder not in self._rules:
            config = self._files.config(path)
            self._rules[folder] = tuple(rule for rule in self.known(path) if self._wants(rule, config))
        return self._rules[folder]

    def all_rules(self, paths: Iterable[Path]) -> tuple[Rule, ...]:
        """The rules that are run on any of these files; on none, those of the working folder."""
        every = {rule.name: rule for path in paths for rule in self.rules(path)}
        return tuple(every[name] for name in sorted(every)) or self.rules(Path.cwd() / "any")

    def admits(self, finding: Finding) -> bool:
        """Whether the configuration of the finding's own file lets its rule speak there."""
        path = self._files.path(finding.place.source)
        if path not in self._silent:
            ignored = self._files.config(path).ignored_in(path)
            inside = (rule.name for rule in self.known(path) if rule.group in ignored) if ignored else ()
            self._silent[path] = ignored.union(inside)
        return not self._silent[path] & {"all", finding.rule}

    def graded(self, finding: Finding) -> Finding:
        """The finding with the severity that the configuration of its file gives the rule."""
        stated = self._files.config(self._files.path(finding.place.source)).severity.get(finding.rule)
        return finding if stated is None else replace(finding, severity=stated)

    def _wants(self, rule: Rule, config: Config) -> bool:
        names = {"all", rule.name, rule.group}
        select, ignore = self._select or config.select, self._ignore | config.ignore
        stated = Persona[(config.persona or "regular").upper()]
        persona = self._persona if self._persona is not None else stated
        return (not select or bool(names & select)) and not names & ignore and rule.persona <= persona
