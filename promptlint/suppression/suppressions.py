"""All that suppresses findings in one run, and what of it is of no use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from promptlint.config import Config, Suppress
from promptlint.finding import Finding
from promptlint.project.workspace import Workspace
from promptlint.rulebook import Rule
from promptlint.selection import Selection
from promptlint.source import Place, Source
from promptlint.suppression.comments import Asked, Comment, Mistake, comments
from promptlint.suppression.entries import entries_for, hides
from promptlint.suppression.removing import entry_removal, removal
from promptlint.unit import Unit

UNUSED = "suppression.unused"
INVALID = "suppression.invalid"
"""What the rules about suppressions name as their check."""


class Suppressions:
    """Hides findings and remembers what did. `active` are the names of rules that would have said all they have to."""

    def __init__(self, files: Workspace, selection: Selection, active: Collection[str]) -> None:
        self._files, self._selection, self._active = files, selection, active
        self._asked: dict[Source, Asked] = {}
        self._entries: dict[Path, tuple[Suppress, ...]] = {}
        self._used: set[tuple[Place, str]] = set()
        self.hidden: set[tuple[str, Place]] = set()
        """Rule and place of every finding that was hidden."""

    def hides(self, finding: Finding) -> bool:
        """Whether a comment or an entry hides a finding."""
        by: list[Comment | Suppress] = [*self._of(finding.place.source).hiding(finding), *self._entries_on(finding)]
        self._used.update((each.place, finding.rule) for each in by)
        if by:
            self.hidden.add((finding.rule, finding.place))
        return bool(by)

    def useless(self, units: Iterable[Unit], covered: Collection[Path], rules: Iterable[Rule]) -> Iterator[Finding]:
        """Findings about suppressions in these files, and about entries for them.

        `covered` are folders that the run covers as a whole: of entries by glob nothing can be said in other runs.
        """
        by_check = {rule.check: rule for rule in rules}
        unused, invalid = by_check.get(UNUSED), by_check.get(INVALID)
        configs: dict[Path, Config] = {}
        for unit in units:
            config = self._files.config(self._files.path(unit.source))
            if config.path is not None:
                configs[config.path] = config
            for each in self._of(unit.source).every:
                if isinstance(each, Mistake):
                    if invalid is not None:
                        yield _finding(each.place, each.message, invalid)
                elif unused is not None and (names := self._unused(each.place, each.rules)):
                    found = _finding(each.place, _nothing(names, each), unused)
                    yield replace(found, fixes=removal(unit, each, names))
        if unused is not None:
            for config in configs.values():
                for entry in config.suppress:
                    if self._was_covered(entry, config, covered) and self._unused(entry.place, (entry.rule,)):
                        found = _finding(
                            entry.place, f"this entry suppresses nothing in {entry.path}; delete it", unused
                        )
                        yield replace(found, fixes=entry_removal(entry.place))

    def _entries_on(self, finding: Finding) -> list[Suppress]:
        path = self._files.path(finding.place.source)
        if path not in self._entries:
            self._entries[path] = entries_for(path, self._files.config(path))
        return [entry for entry in self._entries[path] if hides(entry, finding)]

    def _of(self, source: Source) -> Asked:
        if source not in self._asked:
            path = self._files.path(source)
            unit = self._files.unit(path)
            known = {rule.name for rule in self._selection.known(path)}
            reason = self._files.config(path).require_reason
            found = comments(unit, known, require_reason=reason) if isinstance(unit, Unit) else ()
            self._asked[source] = Asked(found)
        return self._asked[source]

    def _unused(self, place: Place, names: Iterable[str]) -> list[str]:
        return [name for name in names if name in self._active and (place, name) not in self._used]

    def _was_covered(self, entry: Suppress, config: Config, covered: Collection[Path]) -> bool:
        if any(config.root.is_relative_to(folder) for folder in covered):
            return True
        return not any(mark in entry.path for mark in "*?[!") and (config.root / entry.path.lstrip("/")) in covered


def _nothing(names: Sequence[str], comment: Comment) -> str:
    where = "in this file" if comment.whole else "here"
    what = "it" if len(names) == len(comment.rules) else "the name" if len(names) == 1 else "the names"
    return f"this comment suppresses no finding of {', '.join(names)} {where}; delete {what}"


def _finding(place: Place, message: str, rule: Rule) -> Finding:
    return rule.finding(
        place,
        message,
        label="here",
        kind="suppression",
    )
