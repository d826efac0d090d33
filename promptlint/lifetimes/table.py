"""The tables that say what values are: calls, names, filters, macros, commands, each with its kind and events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from promptlint.data import data_path, load_toml
from promptlint.events import Confidence, Event

KINDS = frozenset(
    {"clock", "id", "identity", "tenant", "session", "counter", "environment", "retrieval", "input", "choice"}
    | {"variant", "history", "tools", "config", "order"}
)
"""Every kind a cause can have; rules select on them."""

GRAMMARS = frozenset({"strftime", "tokens"})

_SETTINGS = frozenset(
    {
        "kind",
        "by",
        "events",
        "grammar",
        "arguments",
        "of_input",
        "anywhere",
        "one_word",
        "inherits",
        "few",
        "growing",
    }
)
_TEXTS = {"why", "source"}
_LISTS = frozenset(
    {"calls", "paths", "filters", "names", "low_names", "unless", "roots", "attributes", "macros", "commands"}
)


@dataclass(frozen=True, slots=True)
class Row:
    """What is true of every spelling in one `[[source]]` or `[[command]]`.

    `grammar` names the formats that an argument is written in; `arguments` how many a call has: with another
    number it is another thing; `of_input` that a call means this only when it is given what the user sent;
    `anywhere` that a name means this whatever object carries it; `one_word` that it does so only when no dot
    parts it; `inherits` that attributes of such a name are of the same kind. `unless` holds globs of names that
    the row's own globs do not mean.
    """

    kind: str
    events: frozenset[Event]
    grammar: str = ""
    arguments: int | None = None
    anywhere: bool = False
    inherits: bool = False
    few: bool = False
    growing: bool = False
    of_input: bool = False
    one_word: bool = False
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Named:
    """What a name says, and how far it can be believed."""

    row: Row
    confidence: Confidence


@dataclass(slots=True)
class Table:
    """Indexes over the rows. Calls and paths are keyed by their dotted parts."""

    calls: dict[tuple[str, ...], Row] = field(default_factory=dict)
    paths: dict[tuple[str, ...], Row] = field(default_factory=dict)
    commands: dict[tuple[str, ...], Row] = field(default_factory=dict)
    filters: dict[str, Row] = field(default_factory=dict)
    macros: dict[str, Row] = field(default_factory=dict)
    names: dict[str, Named] = field(default_factory=dict)
    globs: dict[str, Named] = field(default_factory=dict)
    roots: dict[str, Row] = field(default_factory=dict)
    attributes: dict[str, Row] = field(default_factory=dict)
    same: set[tuple[str, ...]] = field(default_factory=set)
    same_methods: set[str] = field(default_factory=set)
    same_filters: set[str] = field(default_factory=set)
    runners: set[tuple[str, ...]] = field(default_factory=set)
    readers: set[str] = field(default_factory=set)

    def add(self, document: Mapping[str, Any]) -> None:
        """Takes in a document's `[[source]]`, `[[command]]` and `[operations]`.

        Raises ValueError, saying what is wrong, for a row that cannot be read.
        """
        for entry in (*document.get("source", ()), *document.get("command", ())):
            self._add_row(entry)
        operations = document.get("operations", {})
        self.same.update(_dotted(operations.get("same", ())))
        self.same_methods.update(operations.get("methods", ()))
        self.same_filters.update(operations.get("filters", ()))
        self.runners.update(_dotted(operations.get("runners", ())))
        self.readers.update(operations.get("readers", ()))

    def _add_row(self, entry: Mapping[str, Any]) -> None:
        row = _row(entry)
        self.calls.update(dict.fromkeys(_dotted(entry.get("calls", ())), row))
        self.paths.update(dict.fromkeys(_dotted(entry.get("paths", ())), row))
        self.commands.update({tuple(command.split()): row for command in entry.get("commands", ())})
        self.filters.update(dict.fromkeys(entry.get("filters", ()), row))
        self.macros.update(dict.fromkeys(entry.get("macros", ()), row))
        self.roots.update(dict.fromkeys(entry.get("roots", ()), row))
        self.attributes.update(dict.fromkeys(entry.get("attributes", ()), row))
        for key, confidence in (("names", Confidence.MEDIUM), ("low_names", Confidence.LOW)):
            for name in entry.get(key, ()):
                (self.globs if "*" in name else self.names)[name] = Named(row, confidence)


def _dotted(spellings: Iterable[str]) -> Iterable[tuple[str, ...]]:
    return (tuple(spelling.split(".")) for spelling in spellings)


def _row(entry: Mapping[str, Any]) -> Row:
    why = f"the source row {entry.get('why', entry.get('kind', ''))!r}"
    if unknown := entry.keys() - _SETTINGS - _TEXTS - _LISTS:
        raise ValueError(f"{why} has the unknown key {min(unknown)!r}; remove it")
    if entry.get("kind") not in KINDS:
        raise ValueError(f"{why} has no known kind; use one of {', '.join(sorted(KINDS))}")
    if ("by" in entry) == ("events" in entry) or entry.get("by", "format") != "format":
        raise ValueError(f'{why} says not when it changes; give either events = [...] or by = "format"')
    if entry.get("grammar", "strftime") not in GRAMMARS:
        raise ValueError(f"{why} has no known grammar; use one of {', '.join(sorted(GRAMMARS))}")
    try:
        events = frozenset(Event(event) for event in entry.get("events", ("request",)))
    except ValueError:
        raise ValueError(f"{why} has an unknown event; use some of {', '.join(Event)}") from None
    settings = {key: entry[key] for key in _SETTINGS - {"kind", "by", "events"} if key in entry}
    return Row(entry["kind"], events, unless=tuple(entry.get("unless", ())), **settings)


@cache
def shipped() -> Table:
    """The tables that come with promptlint: every file in `rules/data/sources`. Shared; never add to it."""
    table = Table()
    for file in sorted(data_path("sources").glob("*.toml")):
        table.add(load_toml(f"sources/{file.name}"))
    return table


def with_documents(documents: Iterable[Mapping[str, Any]]) -> Table:
    """The shipped tables with further documents on top, such as those of a user's rule files."""
    table = Table()
    for file in sorted(data_path("sources").glob("*.toml")):
        table.add(load_toml(f"sources/{file.name}"))
    for document in documents:
        table.add(document)
    return table
