"""Entries of records that are written down, however many names and lists stand around them."""

from __future__ import annotations

from collections.abc import Iterable

from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Element,
    Entry,
    Expression,
    Index,
    Kept,
    Literal,
    Name,
    Record,
    Repeat,
    Series,
    Slice,
    Slot,
    Spread,
)
from promptlint.source import Source

Values = list[tuple[Expression, Source]]
"""Values, each with the source that its spans point into."""

_DEEPEST = 40
SAME_ITEMS = frozenset(
    {"copy", "list", "reverse", "reversed", "slice", "sort", "sorted", "toReversed", "toSorted", "tuple"}
)
"""Functions and methods that give the items of a list, in another order at most."""


def entries_at(value: Expression, key: str | int, source: Source, deep: int = 0) -> Values | None:
    """Values of an entry of a record or of an item of a list, or of those of the items of a list of such; None where
    none can be seen.

    Several records give several values, and a record that does not show the entry gives none.
    """
    if deep > _DEEPEST:
        return None
    match value:
        case Bound(value=of, source=own):
            return entries_at(of, key, own, deep + 1)
        case Slot(of=of) | Kept(of=of):
            return entries_at(of, key, source, deep + 1)
        case Choice(options=options):
            return _all(entries_at(option, key, source, deep + 1) for option in options)
        case Record(entries=entries) if isinstance(key, str):
            named = (entry for entry in entries if isinstance(entry, Entry) and _is_key(entry.key, key))
            return [(entry.value, source) for entry in named]
        case Series(items=items) if isinstance(key, int) and 0 <= key < len(items):
            seen = not any(isinstance(item, Spread | Repeat) for item in items[: key + 1])
            return [(items[key], source)] if seen else None
        case Element(of=of):
            return _of_items(of, key, source, deep + 1)
        case Index(of=of, key=Literal(value=int() as number)):
            if (picked := entries_at(of, number, source, deep + 1)) is not None:
                return _all(entries_at(item, key, own, deep + 1) for item, own in picked)
            return _of_items(of, key, source, deep + 1) if isinstance(key, str) else None
    return None


def _of_items(value: Expression, key: str | int, source: Source, deep: int) -> Values | None:
    """Values of an entry in the records of a list."""
    if deep > _DEEPEST:
        return None
    match value:
        case Bound(value=of, source=own):
            return _of_items(of, key, own, deep + 1)
        case Slot(of=of) | Kept(of=of) | Spread(of=of) | Slice(of=of):
            return _of_items(of, key, source, deep + 1)
        case Call(function=Name(id=name), arguments=(of, *_)) | Call(function=Attribute(of=of, name=name)):
            return _of_items(of, key, source, deep + 1) if name in SAME_ITEMS else None
        case Repeat(body=body):
            return entries_at(body, key, source, deep + 1)
        case Choice(options=options):
            return _all(_of_items(option, key, source, deep + 1) for option in options)
        case Series(items=items) if items:
            parts = (
                _of_items(item, key, source, deep + 1)
                if isinstance(item, Spread)
                else entries_at(item, key, source, deep + 1)
                for item in items
            )
            return _all(parts)
    return None


def _all(parts: Iterable[Values | None]) -> Values | None:
    found: Values = []
    for part in parts:
        if part is None:
            return None
        found.extend(part)
    return found


def _is_key(key: Expression, name: str) -> bool:
    return isinstance(key, Literal) and key.value == name


def made_objects(value: Expression) -> list[Call]:
    """The calls of classes that a value can be an object of."""
    match value:
        case Bound(value=of) | Slot(of=of) | Kept(of=of):
            return made_objects(of)
        case Choice(options=options):
            return [call for option in options for call in made_objects(option)]
        case Call(function=Name(id=name) | Attribute(name=name)) if name.lstrip("_")[:1].isupper():
            return [value]
        case Call(function=Attribute(of=Name(id=owner), name=name)) if owner[:1].isupper() and name.startswith("from_"):
            return [value]
    return []
