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
    Slot,
    Spread,
)
from promptlint.source import Source

Values = list[tuple[Expression, Source]]
"""Values, each with the source that its spans point into."""

_DEEPEST = 40


def entries_named(value: Expression, name: str, source: Source, deep: int = 0) -> Values | None:
    """Values of an entry of a record, or of an item of a list of records; None where no record can be seen.

    Several records give several values, and a record that does not show the entry gives none.
    """
    if deep > _DEEPEST:
        return None
    match value:
        case Bound(value=of, source=own):
            return entries_named(of, name, own, deep + 1)
        case Slot(of=of) | Kept(of=of):
            return entries_named(of, name, source, deep + 1)
        case Choice(options=options):
            return _all(entries_named(option, name, source, deep + 1) for option in options)
        case Record(entries=entries):
            named = (entry for entry in entries if isinstance(entry, Entry) and _is_key(entry.key, name))
            return [(entry.value, source) for entry in named]
        case Element(of=of) | Index(of=of, key=Literal(value=int())):
            return _of_items(of, name, source, deep + 1)
    return None


def _of_items(value: Expression, name: str, source: Source, deep: int) -> Values | None:
    """Values of an entry in the records of a list."""
    if deep > _DEEPEST:
        return None
    match value:
        case Bound(value=of, source=own):
            return _of_items(of, name, own, deep + 1)
        case Slot(of=of) | Kept(of=of) | Spread(of=of):
            return _of_items(of, name, source, deep + 1)
        case Repeat(body=body):
            return entries_named(body, name, source, deep + 1)
        case Choice(options=options):
            return _all(_of_items(option, name, source, deep + 1) for option in options)
        case Series(items=items) if items:
            parts = (
                _of_items(item, name, source, deep + 1)
                if isinstance(item, Spread)
                else entries_named(item, name, source, deep + 1)
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
