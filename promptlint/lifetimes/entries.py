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


def entries_at(value: Expression, key: str | int, source: Source) -> Values | None:
    """Values of an entry of a record or of an item of a list, or of those of the items of a list of such; None where
    none can be seen.

    Several records give several values, and a record that does not show the entry gives none.
    """
    return _Search(key).at(value, source)


class _Search:
    """Looks for one key. What several names share is looked at once, and gives its values once."""

    def __init__(self, key: str | int) -> None:
        self._key = key
        self._known: dict[tuple[int, int, bool], Values | None] = {}

    def at(self, value: Expression, source: Source, deep: int = 0) -> Values | None:
        """The values in a record or list."""
        return self._once(value, source, deep, items=False)

    def _of_items(self, value: Expression, source: Source, deep: int) -> Values | None:
        """The values in the records of a list."""
        return self._once(value, source, deep, items=True)

    def _once(self, value: Expression, source: Source, deep: int, *, items: bool) -> Values | None:
        if deep > _DEEPEST:
            return None
        place = id(value), id(source), items
        if place not in self._known:
            look = self._look_in_items if items else self._look
            self._known[place] = look(value, source, deep + 1)
        return self._known[place]

    def _look(self, value: Expression, source: Source, deep: int) -> Values | None:
        key = self._key
        match value:
            case Bound(value=of, source=own):
                return self.at(of, own, deep)
            case Slot(of=of) | Kept(of=of):
                return self.at(of, source, deep)
            case Choice(options=options):
                return _all(self.at(option, source, deep) for option in options)
            case Record(entries=entries) if isinstance(key, str):
                named = (entry for entry in entries if isinstance(entry, Entry) and _is_key(entry.key, key))
                return [(entry.value, source) for entry in named]
            case Series(items=items) if isinstance(key, int) and 0 <= key < len(items):
                seen = not any(isinstance(item, Spread | Repeat) for item in items[: key + 1])
                return [(items[key], source)] if seen else None
            case Element(of=of):
                return self._of_items(of, source, deep)
            case Index(of=of, key=Literal(value=int() as number)):
                if (picked := _Search(number).at(of, source, deep)) is not None:
                    return _all(self.at(item, own, deep) for item, own in picked)
                return self._of_items(of, source, deep) if isinstance(key, str) else None
        return None

    def _look_in_items(self, value: Expression, source: Source, deep: int) -> Values | None:
        match value:
            case Bound(value=of, source=own):
                return self._of_items(of, own, deep)
            case Slot(of=of) | Kept(of=of) | Spread(of=of) | Slice(of=of):
                return self._of_items(of, source, deep)
            case Call(function=Name(id=name), arguments=(of, *_)) | Call(function=Attribute(of=of, name=name)):
                return self._of_items(of, source, deep) if name in SAME_ITEMS else None
            case Repeat(body=body):
                return self.at(body, source, deep)
            case Choice(options=options):
                return _all(self._of_items(option, source, deep) for option in options)
            case Series(items=items) if items:
                parts = (
                    self._of_items(item, source, deep) if isinstance(item, Spread) else self.at(item, source, deep)
                    for item in items
                )
                return _all(parts)
        return None


def _all(parts: Iterable[Values | None]) -> Values | None:
    found: dict[tuple[int, int], tuple[Expression, Source]] = {}
    for part in parts:
        if part is None:
            return None
        found.update(((id(value), id(source)), (value, source)) for value, source in part)
    return list(found.values())


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
