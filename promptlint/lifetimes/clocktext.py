"""The text that a clock writes, character by character, so that cutting and splitting it can be followed."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.events import Event
from promptlint.lifetimes.clocks import most_frequent, strftime_event, strftime_parts

_WIDTHS = {
    **dict.fromkeys("mdHMSIyjUVWgCkle", 2),
    "Y": 4,
    "G": 4,
    "j": 3,
    "f": 6,
    "z": 5,
    "a": 3,
    "b": 3,
    "h": 3,
    "p": 2,
    "u": 1,
    "w": 1,
}
_COMPOSED = {"F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M", "D": "%m/%d/%y", "c": "%a %b %e %H:%M:%S %Y"}

ISO = "%Y-%m-%dT%H:%M:%S.%f"
"""What `isoformat()` and `toISOString()` write; `str()` writes a space for the T."""

SPACED = "%Y-%m-%d %H:%M:%S.%f"
SHORT = "%a %b %d %Y %H:%M:%S GMT%z"
"""What JavaScript's `toString()` writes; https://tc39.es/ecma262/#sec-todatestring."""

HTTP = "%a, %d %b %Y %H:%M:%S GMT"
"""What `toUTCString()` writes."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One character, literal or part of a directive. `wide` stands for a directive of unknown width."""

    event: Event | None = None
    character: str = ""
    wide: bool = False


Text = tuple[Cell, ...]


def written(fmt: str) -> Text:
    """The cells that a strftime format writes."""
    cells: list[Cell] = []
    for letter, literal in strftime_parts(fmt):
        if not letter:
            cells.extend(Cell(None, character) for character in literal)
        elif letter in _COMPOSED:
            cells.extend(written(_COMPOSED[letter]))
        elif letter in _WIDTHS:
            cells.extend([Cell(strftime_event(letter))] * _WIDTHS[letter])
        else:
            cells.append(Cell(strftime_event(letter), "", wide=True))
    return tuple(cells)


def event_of(text: Text) -> Event | None:
    """How often the text changes; None when nothing in it reads the clock."""
    return most_frequent(cell.event for cell in text)


def cut(text: Text, start: int | None, stop: int | None) -> Text:
    """`text[start:stop]`, or all of the text where a directive of unknown width hides where the bounds fall."""
    from_front = [bound for bound in (start, stop) if bound is not None and bound >= 0]
    from_back = [-bound for bound in (start, stop) if bound is not None and bound < 0]
    front, back = max(from_front, default=0), max(from_back, default=0)
    if any(cell.wide for cell in text[:front]) or (back and any(cell.wide for cell in text[-back:])):
        return text
    return text[start:stop]


def split(text: Text, separator: str | None) -> list[Text]:
    """The fields between separators of one character, None for blanks; one field when it is longer."""
    if separator is not None and len(separator) != 1:
        return [text]
    fields: list[list[Cell]] = [[]]
    for cell in text:
        if cell.character and (cell.character == separator or (separator is None and cell.character.isspace())):
            fields.append([])
        else:
            fields[-1].append(cell)
    return [tuple(field) for field in fields]


def replaced(text: Text, old: str, new: str) -> Text:
    """The text with one literal character replaced; unchanged for longer ones."""
    if len(old) != 1:
        return text
    cells: list[Cell] = []
    for cell in text:
        if cell.character == old:
            cells.extend(Cell(None, character) for character in new)
        else:
            cells.append(cell)
    return tuple(cells)
