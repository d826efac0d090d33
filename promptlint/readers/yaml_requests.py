"""Which strings of a YAML document are sent together, in which order, and what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from promptlint.prompt import Section
from promptlint.readers.yaml_keys import Key, has_sign, key_of, reads_like_prose, table, words
from promptlint.readers.yaml_strings import DEEPEST, YamlMapping, YamlNode, YamlScalar, YamlSequence
from promptlint.readers.yaml_texts import (
    Fields,
    Text,
    dialect_of,
    fields_of,
    is_text,
    messages_of,
    model_of,
    says_something,
    string_of,
    texts_of,
)

_RANKS = {"system": 0, Section.TOOLS: 1, Section.EXAMPLES: 2, Section.HISTORY: 3, Section.RETRIEVED: 4}
_LAST = 5


@dataclass(frozen=True, slots=True)
class Request:
    name: str
    texts: tuple[Text, ...]
    model: str | None = None


@dataclass(frozen=True, slots=True)
class _Around:
    """What the mappings around a node say."""

    path: tuple[str, ...] = ()
    dialect: str | None = None
    model: str | None = None

    def below(self, name: str) -> _Around:
        return replace(self, path=(*self.path, name))


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """A field of a mapping that may be part of a request. `sure`: it is a prompt even when nothing else is."""

    name: str
    node: YamlNode
    key: Key
    texts: tuple[Text, ...]
    sure: bool
    whole: bool = False
    """A list of messages."""

    @property
    def slot(self) -> str:
        return "user" if self.whole else self.key.role or ""

    @property
    def slots(self) -> tuple[str, ...]:
        """The roles of which the request then has one."""
        return ("user", "system") if any(text.role == "system" for text in self.texts) and self.whole else (self.slot,)

    @property
    def rank(self) -> int:
        return _RANKS.get(self.key.section or self.slot, _LAST)


def requests(node: YamlNode, file: str, named: bool) -> list[Request]:
    """The requests of a document. `named`: the file's name says that it is a prompt."""
    return list(_Finder(file, named).look(node, _Around()))


class _Finder:
    def __init__(self, file: str, named: bool) -> None:
        self._file, self._named = file, named
        self._seen: set[int] = set()

    def look(self, node: YamlNode, around: _Around) -> Iterator[Request]:
        if isinstance(node, YamlScalar) or id(node) in self._seen or len(around.path) > DEEPEST:
            return
        self._seen.add(id(node))
        if isinstance(node, YamlMapping):
            yield from self._mapping(node, around)
            return
        messages = () if around.path else messages_of(node, around.dialect)
        if messages:
            yield _request(around, messages)
            return
        for name, item in _named_items(node):
            yield from self.look(item, around.below(name))

    def _mapping(self, node: YamlMapping, around: _Around) -> Iterator[Request]:
        fields = fields_of(node)
        around = replace(around, dialect=dialect_of(fields) or around.dialect, model=model_of(fields) or around.model)
        used: set[str] = set()
        for shape in table()["shape"]:
            if all(is_text(fields, phrase) for phrase in shape["needs"]):
                yield self._shaped(shape, fields, around)
                used.update(row["key"] for row in shape["writes"])
        rest = {phrase: field for phrase, field in fields.items() if phrase not in used}
        entries = [entry for phrase in rest if (entry := self._entry(phrase, rest, around)) is not None]
        for together in _together(entries):
            texts = tuple(text for entry in together for text in entry.texts)
            alone = len(together) == 1 and not together[0].whole
            self._seen.update(id(entry.node) for entry in together)
            yield _request(around.below(together[0].name) if alone else around, texts)
        for phrase, (key, value) in rest.items():
            if phrase not in table()["skip"]["keys"]:
                yield from self._collection(phrase, value, rest, around.below(key))
                yield from self.look(value, around.below(key))

    def _shaped(self, shape: Mapping[str, Any], fields: Fields, around: _Around) -> Request:
        rows = [row for row in shape["writes"] if is_text(fields, row["key"])]
        texts = [text for row in rows for text in texts_of(fields[row["key"]][1], around.dialect, Key(row.get("role")))]
        return _request(around.below(fields[rows[0]["key"]][0]) if len(rows) == 1 else around, texts)

    def _entry(self, phrase: str, fields: Fields, around: _Around) -> _Entry | None:
        name, value = fields[phrase]
        if phrase in table()["messages"]["lists"] and isinstance(value, YamlSequence):
            messages = messages_of(value, around.dialect)
            if messages:
                return _Entry(name, value, Key(), messages, sure=True, whole=True)
        key = key_of(phrase)
        if key is None:
            return None
        texts = tuple(texts_of(value, around.dialect, key))
        if not any(says_something(text) for text in texts):
            return None
        sure = key.section is None and self._is_prompt(texts, key.clear, around.path, fields.keys() - {phrase})
        return _Entry(name, value, key, texts, sure)

    def _is_prompt(self, texts: Sequence[Text], clear: bool, above: Iterable[str], beside: Iterable[str]) -> bool:
        joined = "\n".join(text.scalar.value for text in texts)
        if clear or self._named:
            return reads_like_prose(joined, clear=True)
        return reads_like_prose(joined, clear=False) and has_sign(self._file, above, beside, joined)

    def _collection(self, phrase: str, value: YamlNode, fields: Fields, around: _Around) -> Iterator[Request]:
        """Texts that stand in a list, or under names that mean nothing by themselves."""
        row = next((row for row in table()["collection"] if phrase in row["words"]), None)
        if row is None or id(value) in self._seen:
            return
        clear = "role" in row or not fields.keys().isdisjoint(row["beside"])
        for name, item in _members(value):
            if isinstance(item, YamlSequence):
                texts = messages_of(item, around.dialect)
                sure = bool(texts)
            elif isinstance(item, YamlMapping) and "raw" not in item.fields():
                continue
            else:
                texts = tuple(texts_of(item, around.dialect, Key(row.get("role"))))
                sure = self._is_prompt(texts, clear, around.path[:-1], fields.keys() - {phrase})
            if sure:
                self._seen.add(id(item))
                yield _request(around.below(name), texts)


def _together(entries: Sequence[_Entry]) -> Iterator[list[_Entry]]:
    """The entries of each request: one of each role, the sure ones first, with the parts that belong to it."""
    stems = dict.fromkeys(entry.key.stem for entry in entries if entry.sure)
    for stem in stems:
        group = [entry for entry in entries if entry.key.stem == stem and entry.key.section is None]
        group.sort(key=lambda entry: not entry.sure)
        said = {entry.slot for entry in group if entry.sure} - {""}
        taken: dict[str, _Entry] = {}
        for entry in group:
            # Beside system text, a prompt that says nothing else is what the user's message is made of.
            slots = entry.slots if entry.slot or "system" not in said else ("user",)
            if taken.keys().isdisjoint(slots) and (entry.sure or (said and entry.slot)):
                taken |= dict.fromkeys(slots, entry if slots == entry.slots else _of_user(entry))
            elif entry.sure:
                yield [entry]
        parts = [entry for entry in entries if entry.key.section is not None] if said and len(stems) == 1 else []
        yield sorted([*dict.fromkeys(taken.values()), *parts], key=lambda entry: entry.rank)


def _of_user(entry: _Entry) -> _Entry:
    return replace(entry, texts=tuple(replace(text, role=text.role or "user") for text in entry.texts))


def _request(around: _Around, texts: Iterable[Text]) -> Request:
    return Request(".".join(around.path), tuple(texts), around.model)


def _members(node: YamlNode) -> list[tuple[str, YamlNode]]:
    if isinstance(node, YamlSequence):
        return _named_items(node)
    if isinstance(node, YamlMapping):
        return [(key, value) for key, value in node.fields().items() if key_of(words(key)) is None]
    return []


def _named_items(node: YamlSequence) -> list[tuple[str, YamlNode]]:
    """A list's items by the names they say, or by number where names are missing or repeat."""
    names = [_name(item) for item in node.items]
    times = Counter(names)
    return [
        (name if name and times[name] == 1 else str(number), item)
        for number, (name, item) in enumerate(zip(names, node.items, strict=True))
    ]


def _name(node: YamlNode) -> str | None:
    if not isinstance(node, YamlMapping):
        return None
    return string_of(fields_of(node), table()["name"]["keys"])
