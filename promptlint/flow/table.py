"""The table of prompt sinks, `rules/data/sinks.toml`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from promptlint.data import load_toml
from promptlint.flow.stepping import Steps

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_PREPOSITIONS = frozenset({"for", "of", "from", "with", "by", "in", "to"})


@dataclass(frozen=True, slots=True)
class Client:
    """A function that sends a request; `provider` is empty where the function serves many."""

    provider: str


@dataclass(frozen=True, slots=True)
class Sinks:
    fields: dict[str, str]
    parameters: dict[str, str]
    clients: dict[tuple[str, ...], Client]
    agents: frozenset[tuple[str, ...]]
    messages: dict[tuple[str, ...], str]
    templates: dict[tuple[str, ...], str]
    template_arguments: tuple[str, ...]
    template_values: tuple[str, ...]
    template_formats: tuple[str, ...]
    doubled: frozenset[str]
    media: frozenset[str]
    words: frozenset[str]
    system: frozenset[str]
    user: frozenset[str]
    never: frozenset[str]
    stored: frozenset[str]
    least_words: int
    least_prose: int
    to_provider: re.Pattern[str]
    from_provider: re.Pattern[str]
    steps: Steps

    def client(self, path: Sequence[str]) -> Client | None:
        """The client function at the end of a dotted path; None when it is none."""
        return next((found for suffix in _suffixes(path) if (found := self.clients.get(suffix)) is not None), None)

    def is_agent(self, path: Sequence[str]) -> bool:
        return any(suffix in self.agents for suffix in _suffixes(path))

    def role(self, path: Sequence[str]) -> str | None:
        """The role of the message that a constructor makes; None when it makes none."""
        return next((found for suffix in _suffixes(path) if (found := self.messages.get(suffix)) is not None), None)

    def template(self, path: Sequence[str]) -> str | None:
        """The dialect of the template that a constructor makes, "list" for one of messages; None for any other."""
        return next((found for suffix in _suffixes(path) if (found := self.templates.get(suffix)) is not None), None)

    def says_role(self, name: str) -> bool:
        """Whether a name that makes a prompt also says whose text it is."""
        return bool((self.system | self.user) & {word.lower() for word in _WORD.findall(name)})

    def translates(self, name: str) -> bool:
        """Whether a function of this name writes the conversation in the form of a provider's requests."""
        return self.to_provider.search(name) is not None and self.from_provider.search(name) is None

    def role_of_name(self, name: str) -> str | None:
        """The role of a text that a function or constant of this name makes; None when it makes no prompt."""
        words = [word.lower() for word in _WORD.findall(name)]
        if not (self.words | self.system) & set(words) or self.never & {words[-1], _head(words)}:
            return None
        if not self.words & set(words) and words[-1] not in ("message", "text", "blocks", "content", *self.system):
            return None
        return "user" if self.user & set(words) and not self.system & set(words) else "system"


def _head(words: Sequence[str]) -> str:
    """The word that says what a thing is: `prompt_cache_key_for_run` is a key."""
    ends = (at for at, word in enumerate(words) if at and word in _PREPOSITIONS)
    return words[next(ends, len(words)) - 1]


def _suffixes(path: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(path[start:]) for start in range(len(path))]


def _paths(names: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(name.split(".")) for name in names]


@cache
def sinks() -> Sinks:
    """The table that comes with promptlint."""
    table = load_toml("sinks.toml")
    templates = dict.fromkeys(_paths(table["templates"]["lists"]), "list")
    for dialect in ("strformat", "jinja"):
        templates.update(dict.fromkeys(_paths(table["templates"][dialect]), dialect))
    return Sinks(
        fields={name: kind for kind, names in table["fields"].items() for name in names},
        parameters=dict(table["parameters"]),
        clients={path: Client(row.get("provider", "")) for row in table["client"] for path in _paths(row["calls"])},
        agents=frozenset(_paths(table["agents"]["calls"])),
        messages={path: row["role"] for row in table["message"] for path in _paths(row["calls"])},
        templates=templates,
        template_arguments=tuple(table["templates"]["arguments"]),
        template_values=tuple(table["templates"]["values"]),
        template_formats=tuple(table["templates"]["formats"]),
        doubled=frozenset(table["templates"]["doubled"]),
        media=frozenset(table["media"]["types"]),
        words=frozenset(table["names"]["words"]),
        system=frozenset(table["names"]["system"]),
        user=frozenset(table["names"]["user"]),
        never=frozenset(table["names"]["never"]),
        stored=frozenset(table["stored"]["keys"]),
        least_words=table["names"]["least_words"],
        least_prose=table["names"]["least_prose"],
        to_provider=re.compile(table["translators"]["names"]),
        from_provider=re.compile(table["translators"]["never"]),
        steps=Steps(
            re.compile(table["calls"]["names"]),
            frozenset(table["calls"]["keywords"]),
            frozenset(table["calls"]["plain"]),
            frozenset(table["calls"]["retries"]),
        ),
    )
