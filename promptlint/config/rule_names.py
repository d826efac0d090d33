"""Names of rules and groups in settings: known ones only, the user's own included."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from promptlint.config.config import Suppress
from promptlint.config.values import glob
from promptlint.data import unknown
from promptlint.finding import Severity
from promptlint.toml_keys import Entry, kind_of

if TYPE_CHECKING:
    from promptlint.rulebook import Rule

SUPPRESS_KEYS = ("path", "rule", "at", "text", "reason")


class RuleNames:
    """Reads settings that name rules; `folders` hold rules of the user's own."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self._folders = folders

    @cached_property
    def _rules(self) -> tuple[Rule, ...]:
        from promptlint.rulebook import rules_with

        return rules_with(self._folders)

    def listed(self, entry: Entry) -> frozenset[str]:
        """An array of rules, groups or "all"."""
        known = {"all", *(name for rule in self._rules for name in (rule.name, rule.group))}
        return frozenset(_known(item, known) for item in _items(entry))

    def by_glob(self, entry: Entry) -> dict[str, frozenset[str]]:
        """For each glob an array of rules, groups or "all"."""
        return {glob(item, written): self.listed(item) for written, item in entry.entries()}

    def severities(self, entry: Entry) -> dict[str, Severity]:
        """For each rule a severity."""
        known = {rule.name for rule in self._rules}
        return {_known(item, known, name): _severity(item) for name, item in entry.entries()}

    def suppressions(self, entry: Entry) -> tuple[Suppress, ...]:
        """Entries that name a file, a rule, and what of it."""
        known = {rule.name for rule in self._rules}
        return tuple(_suppress(item, known) for item in entry.items())


def _items(entry: Entry) -> list[Entry]:
    if not isinstance(entry.value, list):
        raise entry.error(f"{entry.name!r} is {kind_of(entry.value)}; write an array of rule names")
    return list(entry.items())


def _known(entry: Entry, known: Collection[str], given: object = None) -> str:
    name = entry.value if given is None else given
    if not isinstance(name, str):
        raise entry.error(f"a rule is named by {kind_of(name)}; write its name as a string")
    if name not in known:
        raise entry.error(str(unknown("rule", name, known)))
    return name


def _severity(entry: Entry) -> Severity:
    names: Mapping[str, Severity] = {each.label: each for each in Severity}
    if entry.value not in names:
        raise entry.error(
            f"{entry.name!r} has no severity; write one of {', '.join(repr(name) for name in reversed(list(names)))}"
        )
    return names[entry.value]


def _suppress(entry: Entry, known: Collection[str]) -> Suppress:
    if not isinstance(entry.value, dict):
        raise entry.error(f"an entry of 'suppress' is {kind_of(entry.value)}; make it a table")
    given: dict[str, str] = {}
    for key, item in entry.entries(SUPPRESS_KEYS, "key of [[suppress]]"):
        if not isinstance(item.value, str):
            raise item.error(f"{key!r} is {kind_of(item.value)}; write a string")
        given[key] = item.value
    for key in ("path", "rule"):
        if key not in given:
            raise entry.error(f"this entry has no {key!r}; say which {'file' if key == 'path' else 'rule'} it is about")
    rule = _known(entry, known, given["rule"])
    at = given.get("at")
    if at and not at.startswith("/"):
        raise entry.error(f"{at!r} is no JSON pointer; it begins with a slash, such as '/messages/0/content'")
    return Suppress(glob(entry, given["path"]), rule, at, given.get("text"), given.get("reason", ""), entry.place)
