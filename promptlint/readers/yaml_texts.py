"""The strings under a key of a YAML document: one, a list, messages, parts of messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from promptlint.prompt import Section
from promptlint.readers.yaml_keys import Key, table, words
from promptlint.readers.yaml_strings import YamlMapping, YamlNode, YamlScalar, YamlSequence

Fields = Mapping[str, tuple[str, YamlNode]]
"""A mapping's keys in words, with the keys as they are written and the values."""


@dataclass(frozen=True, slots=True)
class Text:
    """A string of a request; `dialect` is what the file says, None when it says nothing.

    A medium has the word that says so, and in `media` the strings that say which one.
    """

    scalar: YamlScalar
    role: str | None = None
    section: Section | None = None
    dialect: str | None = None
    media: tuple[YamlScalar, ...] | None = None


def fields_of(node: YamlMapping) -> Fields:
    """The fields of a mapping by their keys in words."""
    return {words(key): (key, value) for key, value in node.fields().items()}


def texts_of(node: YamlNode, dialect: str | None, key: Key) -> tuple[Text, ...]:
    """The strings under a key: one, a list of them, or one inside a mapping; of examples all that there are."""
    if key.section is Section.EXAMPLES:
        return tuple(_everything(node, dialect))
    if isinstance(node, YamlScalar):
        return (Text(node, key.role, key.section, dialect),) if node.value.strip() else ()
    if isinstance(node, YamlSequence):
        scalars = [item for item in node.items if isinstance(item, YamlScalar) and item.value.strip()]
        return tuple(Text(item, key.role, key.section, dialect) for item in scalars if len(scalars) == len(node.items))
    fields = fields_of(node)
    inner = next((fields[phrase][1] for phrase in table()["inner"]["text"] if is_text(fields, phrase)), None)
    if not isinstance(inner, YamlScalar) or key.section is not None:
        return ()
    return (Text(inner, key.role, None, dialect_of(fields) or dialect),)


def _everything(node: YamlNode, dialect: str | None) -> Iterator[Text]:
    """All strings below a node, in order and each node once; those of messages keep their role."""
    seen: set[int] = set()
    stack: list[YamlNode | Text] = [node]
    while stack:
        found = stack.pop()
        if isinstance(found, Text):
            yield replace(found, section=Section.EXAMPLES)
        elif isinstance(found, YamlScalar):
            stack.extend([Text(found, None, None, dialect)] if found.value.strip() else [])
        elif id(found) not in seen:
            seen.add(id(found))
            messages = messages_of(found, dialect) if isinstance(found, YamlSequence) else ()
            below = found.items if isinstance(found, YamlSequence) else [value for _, value in found.pairs]
            stack.extend(reversed(messages or below))


def messages_of(node: YamlSequence, dialect: str | None) -> tuple[Text, ...]:
    """The texts of a list of messages; none when it is not one, or says nothing."""
    texts: list[Text] = []
    for item in node.items:
        if not isinstance(item, YamlMapping):
            return ()
        texts.extend(_message(item, dialect))
    return tuple(texts) if any(says_something(text) for text in texts) else ()


def _message(node: YamlMapping, dialect: str | None) -> Iterator[Text]:
    rows, roles = table()["messages"], table()["messages"]["roles"]
    fields = fields_of(node)
    spoken = next((fields[phrase][1] for phrase in rows["role"] if phrase in fields), None)
    if spoken is None:
        (phrase, (_, value)), *others = fields.items() if fields else [("", ("", node))]
        if phrase in roles and not others:
            yield from _content(value, phrase, dialect)
    elif isinstance(spoken, YamlScalar) and spoken.value.lower() in roles:
        phrase = _text_by_format(fields) or next((phrase for phrase in rows["content"] if phrase in fields), "")
        if phrase:
            yield from _content(fields[phrase][1], spoken.value.lower(), dialect_of(fields) or dialect)


def _content(node: YamlNode, role: str, dialect: str | None) -> Iterator[Text]:
    """A message's string, or those of its parts."""
    if isinstance(node, YamlScalar):
        if node.value.strip():
            yield Text(node, role, None, dialect)
    elif isinstance(node, YamlSequence):
        for part in node.items:
            held = part.fields().get("text") if isinstance(part, YamlMapping) else part
            if isinstance(held, YamlScalar) and held.value.strip():
                yield Text(held, role, None, dialect)
            elif isinstance(part, YamlMapping) and (word := _medium(part)) is not None:
                yield Text(word, role, None, dialect, tuple(_strings(part)))


def _medium(part: YamlMapping) -> YamlScalar | None:
    """The word that says that a part is a medium: its type's, or the key that holds it."""
    media = table()["messages"]["media"]
    kind = part.fields().get("type")
    said = [kind] if kind is not None else [key for key, _ in part.pairs]
    return next((word for word in said if isinstance(word, YamlScalar) and words(word.value) in media), None)


def _strings(part: YamlMapping) -> Iterator[YamlScalar]:
    """The strings below a node, each node once."""
    seen: set[int] = set()
    left: list[YamlNode] = [part]
    while left:
        node = left.pop()
        if isinstance(node, YamlScalar):
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            below = node.items if isinstance(node, YamlSequence) else [value for _, value in node.pairs]
            left.extend(reversed(below))


def says_something(text: Text) -> bool:
    """Whether a string is more than a name, a number or a path."""
    value = text.scalar.value
    return text.media is None and ("{" in value or len(value.split()) > 1 or not value.isascii())


def is_text(fields: Fields, phrase: str) -> bool:
    """Whether there is a string under the key that is not blank."""
    return phrase in fields and isinstance(scalar := fields[phrase][1], YamlScalar) and bool(scalar.value.strip())


def string_of(fields: Fields, phrases: Iterable[str]) -> str | None:
    """The string under the first of the keys that has one."""
    for phrase in phrases:
        found = fields[phrase][1] if phrase in fields else None
        if isinstance(found, YamlScalar) and found.value.strip():
            return found.value.strip()
    return None


def dialect_of(fields: Fields) -> str | None:
    """The dialect that a mapping says its texts have."""
    said = string_of(fields, table()["format"]["keys"])
    dialect: str | None = table()["format"]["dialects"].get(said.lower()) if said else None
    return dialect


def _text_by_format(fields: Fields) -> str | None:
    """The key that holds a message's text because of its format."""
    said = string_of(fields, table()["format"]["keys"])
    phrase: str | None = table()["format"]["text"].get(said.lower()) if said else None
    return phrase if phrase and is_text(fields, phrase) else None


def model_of(fields: Fields) -> str | None:
    """The model's name, as `model: name` or inside a mapping."""
    for phrase in table()["model"]["keys"]:
        found = fields[phrase][1] if phrase in fields else None
        if isinstance(found, YamlMapping):
            inner = fields_of(found)
            said = string_of(inner, table()["name"]["keys"])
        else:
            said = string_of(fields, [phrase])
        if said and " " not in said:
            return said
    return None
