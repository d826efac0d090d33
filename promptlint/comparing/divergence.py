"""Where two sequences of pieces part, field by field, and what kind of thing differs there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from promptlint.comparing.history import plain
from promptlint.comparing.serialised import Piece, compact
from promptlint.prompt import Field
from promptlint.shapes.differences import common_prefix


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first difference of one field.

    `index` counts the field's pieces, `offset` the characters of that piece that both texts share. `structure` says
    what differs when that is more than a value: "added", "removed" (a whole piece), "reorder" (the same pieces in
    another order), "key-order", "shape" (the same text in another JSON shape), "condition" (of a template's stretch);
    "" otherwise. `appended` says that the
    field of the first text is a prefix of the second's, `shortened` the other way round.
    """

    field: Field
    index: int
    offset: int
    structure: str
    appended: bool = False
    shortened: bool = False


def divergences(a: Sequence[Piece], b: Sequence[Piece], order: Sequence[str]) -> tuple[Divergence, ...]:
    """The first difference of each field that differs, in render order."""
    found = []
    for name in order:
        field = Field(name)
        one, other = of_field(a, field), of_field(b, field)
        if (divergence := _divergence(field, one, other)) is not None:
            found.append(divergence)
    return tuple(found)


def of_field(pieces: Sequence[Piece], field: Field) -> list[Piece]:
    """The pieces of one field, in order."""
    return [piece for piece in pieces if piece.field is field]


def is_append_only(a: Sequence[Piece], found: Sequence[Divergence], order: Sequence[str]) -> bool:
    """Whether the first text, with these differences from the second, is a prefix of it."""
    return not found or (found[0].appended and _ends_with(a, found[0].field, order))


def is_shortened(b: Sequence[Piece], found: Sequence[Divergence], order: Sequence[str]) -> bool:
    """Whether the second text is a prefix of the first, and shorter."""
    return bool(found) and found[0].shortened and _ends_with(b, found[0].field, order)


def characters(pieces: Sequence[Piece]) -> int:
    """Length of the whole text."""
    return sum(len(piece.text) for piece in pieces)


def shared_characters(a: Sequence[Piece], b: Sequence[Piece], order: Sequence[str]) -> int:
    """Characters of the longest common prefix of the two texts; a field never runs on into the next one."""
    found = divergences(a, b, order)
    if not found:
        return characters(a)
    first = found[0]
    before = order[: order.index(first.field.value)]
    whole = sum(len(piece.text) for piece in a if piece.field.value in before)
    return whole + characters(of_field(a, first.field)[: first.index]) + first.offset


def _divergence(field: Field, a: Sequence[Piece], b: Sequence[Piece]) -> Divergence | None:
    left, right = ([(piece.text, piece.condition, piece.whole) for piece in pieces] for pieces in (a, b))
    pairs = enumerate(zip(left, right, strict=False))
    index = next((at for at, (one, other) in pairs if one != other), min(len(a), len(b)))
    if index == len(a) == len(b):
        return None
    if index == len(a):
        return Divergence(field, index, 0, "added", appended=True)
    if index == len(b):
        return Divergence(field, index, 0, "removed", shortened=True)
    return difference_at(a, b, index)


def difference_at(a: Sequence[Piece], b: Sequence[Piece], index: int) -> Divergence:
    """The difference between the two pieces of one field at an index that both have."""
    one, other = a[index], b[index]
    if one.condition != other.condition:
        return Divergence(one.field, index, 0, "condition")
    if one.whole or other.whole:
        return Divergence(one.field, index, 0, "")
    offset = common_prefix(one.text, other.text)
    return Divergence(
        one.field,
        index,
        offset,
        _structure(a, b, index),
        appended=offset == len(one.text) and index == len(a) - 1,
        shortened=offset == len(other.text) and index == len(b) - 1,
    )


def _structure(a: Sequence[Piece], b: Sequence[Piece], index: int) -> str:
    one, other = a[index], b[index]
    if not one.pointer:
        return ""
    if Counter(piece.text for piece in a) == Counter(piece.text for piece in b):
        return "reorder"
    left, right = json.loads(one.text), json.loads(other.text)
    if left == right:
        return "key-order"
    if compact(plain(left)) == compact(plain(right)):
        return "shape"
    if len(a) < len(b) and any(piece.text == one.text for piece in b[index + 1 :]):
        return "added"
    if len(a) > len(b) and any(piece.text == other.text for piece in a[index + 1 :]):
        return "removed"
    return ""


def _ends_with(pieces: Sequence[Piece], field: Field, order: Sequence[str]) -> bool:
    """Whether nothing follows this field."""
    behind = order[order.index(field.value) + 1 :]
    return not any(piece.field.value in behind for piece in pieces)
