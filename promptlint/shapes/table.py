"""The table of shapes: `rules/data/shapes.toml`, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from promptlint.data import load_toml
from promptlint.events import Confidence, Event

if TYPE_CHECKING:
    import regex


@dataclass(frozen=True, slots=True)
class Row:
    """One shape. `pattern` is only tried near one of the keywords or forms."""

    name: str
    kind: str
    events: frozenset[Event]
    confidence: Confidence
    word: str
    pattern: str
    keywords: tuple[bytes, ...] = ()
    forms: tuple[bytes, ...] = ()
    enumerates: bool = False


@dataclass(frozen=True, slots=True)
class Quiet:
    """Patterns of surroundings and values that make a shape say nothing; see the comments in the table."""

    reach: int
    example: str
    counted: str
    own: str
    link: str
    paragraph: str
    after: str
    values: str


@cache
def rows() -> tuple[Row, ...]:
    """The shapes that come with promptlint, stronger ones first."""
    document = load_toml("shapes.toml")
    return tuple(_row(entry, document["parts"], document["keywords"]) for entry in document["shape"])


@cache
def quiet() -> Quiet:
    table = load_toml("shapes.toml")["quiet"]
    return Quiet(**{**table, "values": f"(?i)(?:{'|'.join(table['values'])})"})


@cache
def compiled(pattern: str) -> regex.Pattern[str]:
    """The compiled pattern; `\\d` and `\\w` are ASCII."""
    import regex

    return regex.compile(pattern, regex.ASCII)


def expanded(pattern: str, parts: Mapping[str, str]) -> str:
    """The pattern with each `%name%` replaced by that part, which may hold parts that stand before it."""
    for name, part in reversed(list(parts.items())):
        pattern = pattern.replace(f"%{name}%", part)
    return pattern


def _row(entry: Mapping[str, Any], parts: Mapping[str, str], lists: Mapping[str, Any]) -> Row:
    keywords = entry.get("keywords", [])
    keywords = lists[keywords] if isinstance(keywords, str) else keywords
    return Row(
        name=entry["name"],
        kind=entry["kind"],
        events=frozenset(Event(event) for event in entry["events"]),
        confidence=Confidence[entry["confidence"].upper()],
        word=entry["word"],
        pattern=expanded(entry["pattern"], parts),
        keywords=tuple(keyword.encode("ascii") for keyword in keywords),
        forms=tuple(form.encode("ascii") for form in entry.get("forms", ())),
        enumerates=entry.get("enumerates", False),
    )
