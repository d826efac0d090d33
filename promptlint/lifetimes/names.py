"""What a name alone says about its value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from promptlint.events import Confidence
from promptlint.lifetimes.table import Named, Row, Table

_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CLASS = re.compile(r"_?(?:[A-Z]+[a-z0-9]+){2,20}")
_BETWEEN_WORDS = re.compile(r"[\W_]+")

CARRIERS = frozenset(
    {
        "ctx",
        "context",
        "inputs",
        "input",
        "vars",
        "variables",
        "data",
        "args",
        "params",
        "parameters",
        "kwargs",
        "state",
    }
    | {"values", "req", "request", "body", "payload", "props", "json", "form", "flow", "sys", "locals"}
)
"""Objects that say nothing about what they carry: `ctx.user_name` is `user_name`."""

OWNERS = frozenset({"self", "this", "cls"})
"""Objects whose attributes are their own: `self.name` and `this.date` are an item's, not a user's or today's."""

_SETTINGS = frozenset({"options", "opts"})
"""Objects that hold what somebody chose: `memory.options.search` says how memory is used, not what is in it."""

_OWN = frozenset({"clock", "identity", "tenant", "input", "retrieval"})
_PERSONAL = frozenset({"identity", "tenant", "session"})
_VERBS = ("get_", "fetch_", "load_", "make_", "create_", "generate_", "new_", "compute_", "read_", "retrieve_")


def snake(name: str) -> str:
    """A name in snake case: `chatId`, `CHAT_ID`, `chat-id` and `$chatId` all give "chat_id"."""
    return _BETWEEN_WORDS.sub("_", _WORD_STARTS.sub("_", name)).strip("_").lower()


def names_class(name: str) -> bool:
    """`ChatMessage`: several words, each with a capital, as programs call classes."""
    return _CLASS.fullmatch(name) is not None


def named(path: Sequence[str], table: Table) -> Named | None:
    """What a name or a dotted chain of names, outermost first, says; None when that is nothing."""
    words = [snake(step) for step in path]
    for start in range(len(words) - 1):
        found = table.names.get("_".join(words[start:]))
        if found is not None and not found.row.one_word:
            return found
    owned = False
    while len(words) > 1 and (words[0] in CARRIERS or words[0] in OWNERS):
        owned = owned or words[0] in OWNERS
        words = words[1:]
    if len(words) == 1:
        return _owned(words[0], table) if owned else _single(words[0], table)
    found = table.names.get(words[-1])
    if found is not None and found.row.anywhere:
        return found
    return _inherited(words, table) or _setting(words[-1], table)


def called(path: Sequence[str], table: Table) -> Named | None:
    """What the name of a function that is not in the tables says: `get_user_name` gives what `user_name` says."""
    word = snake(path[-1]) if path else ""
    verb = next((verb for verb in _VERBS if word.startswith(verb)), "")
    found = table.names.get(word[len(verb) :]) if verb or "_" in word else None
    return found if found is not None and found.confidence > Confidence.LOW else None


def few_valued(attribute: str, table: Table) -> Row | None:
    """The row of an attribute of a person that has few possible values, such as `plan` or `is_admin`."""
    word = snake(attribute)
    if (row := table.attributes.get(word)) is not None:
        return row
    matching = (row for glob, row in table.attributes.items() if "*" in glob and _matches(glob, word))
    return next(matching, None)


def is_personal(kind: str) -> bool:
    """Whether a value of this kind belongs to a person, an organisation or a conversation."""
    return kind in _PERSONAL


def _single(word: str, table: Table) -> Named | None:
    if (found := table.names.get(word)) is not None:
        return found
    fitting = [
        glob
        for glob, said in table.globs.items()
        if _matches(glob, word) and not any(_matches(other, word) for other in said.row.unless)
    ]
    return table.globs[max(fitting, key=len)] if fitting else None


def _owned(word: str, table: Table) -> Named | None:
    found = _single(word, table)
    if found is None or found.row.anywhere or "_" in word:
        return found
    return None if found.row.kind in _OWN or found.confidence is Confidence.LOW else found


def _inherited(words: Sequence[str], table: Table) -> Named | None:
    """An attribute is of its owner's kind; the nearest owner that is known decides."""
    for root in reversed(words[:-1]):
        if root in _SETTINGS:
            return None
        row = table.roots.get(root)
        if row is None and (found := _single(root, table)) is not None and found.confidence > Confidence.LOW:
            row = found.row if found.row.inherits else None
        if row is not None and any(_matches(glob, f"{root}_{words[-1]}") for glob in row.unless):
            return None
        if row is not None:
            few = few_valued(words[-1], table) if is_personal(row.kind) else None
            return Named(few or row, Confidence.MEDIUM)
    return None


def _setting(word: str, table: Table) -> Named | None:
    """Limits and formats are settings, whoever holds them: `budget.max_steps`."""
    found = _single(word, table)
    return found if found is not None and found.row.kind == "config" and word not in table.names else None


def _matches(glob: str, word: str) -> bool:
    bare = glob.strip("*")
    return len(word) > len(bare) and (word.startswith(bare) if glob.endswith("*") else word.endswith(bare))
