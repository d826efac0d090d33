"""A difference with its places in both files, and what kind of value it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from promptlint.comparing.comparison import Comparison
from promptlint.comparing.divergence import Divergence
from promptlint.comparing.places import Fragment, member_around, node_at
from promptlint.comparing.version import Laid, Version, fragment_in, place_in, stretch_in
from promptlint.shapes.differences import difference, stretches
from promptlint.source import Place, Span

Places = tuple[Place | None, Place | None]
"""In the previous version, and in the current one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """`kind` is a word of shapes (`difference`), a structure of Divergence, or "hole" (of a template).

    `pointer` is the JSON pointer of what differs, None in a template. `offset` counts characters of the serialised
    text before it, `offset_in_piece` those of its own piece. `values` are the texts around it that were compared, and
    `spans` where in them the values stand. `at` are the very characters that differ first, `places` the values around
    them, `wholes` the whole strings, keys or members. A place is None where that version has nothing there.
    """

    divergence: Divergence
    kind: str
    pointer: str | None
    offset: int
    values: tuple[str, str]
    spans: tuple[tuple[int, int], tuple[int, int]]
    at: Places
    places: Places
    wholes: Places

    @property
    def offset_in_piece(self) -> int:
        return self.divergence.offset


def difference_of(comparison: Comparison, found: Divergence) -> Difference:
    """What a divergence of the comparison's first reading is."""
    reading = comparison.reading
    versions = (comparison.previous, comparison.current)
    fields = [
        [laid for laid in side if laid.piece.field is found.field] for side in (reading.previous, reading.current)
    ]
    above = reading.order[: reading.order.index(found.field.value)]
    before = [laid for laid in reading.previous if laid.piece.field.value in above] + fields[0][: found.index]
    offset = sum(len(laid.piece.text) for laid in before) + found.offset
    pair = [field[found.index] if found.index < len(field) else None for field in fields]
    one, other = pair
    left, right = (_place(version, laid, found.offset) for version, laid in zip(versions, pair, strict=True))
    at = (left, right)
    if one is None or other is None or found.structure in ("added", "removed"):
        first, second = (_place(version, laid) for version, laid in zip(versions, pair, strict=True))
        pointer = next((laid.piece.pointer for laid in (other, one) if laid is not None), "")
        places = (first, second)
        return Difference(found, found.structure, pointer or None, offset, ("", ""), _NONE, at, places, places)
    if comparison.previous.request is None:
        return _in_template(versions, (one, other), found, offset, at)
    return _in_request(versions, (one, other), found, offset, at)


_NONE = ((0, 0), (0, 0))


def _in_request(
    versions: tuple[Version, Version], pair: tuple[Laid, Laid], found: Divergence, offset: int, at: Places
) -> Difference:
    fragments = [
        fragment_in(version.request, laid, found.offset)
        for version, laid in zip(versions, pair, strict=True)
        if version.request is not None
    ]
    one, other = fragments
    kind, spans, values = found.structure, _NONE, (pair[0].piece.text, pair[1].piece.text)
    wholes = _wholes(versions, fragments, found.structure)
    places: Places = wholes
    if one.string is not None and other.string is not None and one.pointer == other.pointer:
        values = (one.string.value, other.string.value)
        spans = stretches(*values)
        kind = kind or difference(*values) or "text"
        if kind not in ("reorder", "shape"):
            first, second = (
                Place(version.source, fragment.string.held.outside(_visible(span, fragment.string.value)))
                for version, fragment, span in zip(versions, fragments, spans, strict=True)
                if fragment.string is not None
            )
            places = (first, second)
    kind = kind or difference(*values) or "text"
    return Difference(found, kind, other.pointer, offset, values, spans, at, places, wholes)


def _wholes(versions: Sequence[Version], fragments: Sequence[Fragment], structure: str) -> tuple[Place, Place]:
    """The strings, keys or signs; of another JSON shape the members, keys and all."""
    places = []
    for version, fragment in zip(versions, fragments, strict=True):
        span = fragment.span
        if structure == "shape" and version.request is not None:
            span = member_around(version.request.node, fragment.pointer) or span
        places.append(Place(version.source, span))
    return places[0], places[1]


def _in_template(
    versions: tuple[Version, Version], pair: tuple[Laid, Laid], found: Divergence, offset: int, at: Places
) -> Difference:
    one, other = pair
    values = (one.piece.text, other.piece.text)
    if found.structure:
        kind, spans = found.structure, ((0, len(values[0])), (0, len(values[1])))
    elif one.text is None or other.text is None:
        kind, spans = "hole", (_hole(one, found.offset), _hole(other, found.offset))
    else:
        kind, spans = difference(*values) or "text", stretches(*values)
    first, second = (
        stretch_in(version, laid, *_visible_ends(span, laid.piece.text))
        for version, laid, span in zip(versions, pair, spans, strict=True)
    )
    places = (first, second)
    return Difference(found, kind, None, offset, values, (spans[0], spans[1]), at, places, places)


def _place(version: Version, laid: Laid | None, offset: int | None = None) -> Place | None:
    """Where the piece's character at an offset stands, or the whole piece."""
    if laid is None:
        return None
    if offset is not None:
        return place_in(version, laid, offset)
    if version.request is None:
        return stretch_in(version, laid, 0, len(laid.piece.text))
    node = node_at(version.request.node, laid.piece.pointer)
    return Place(version.source, node.span) if node is not None else None


def _hole(laid: Laid, offset: int) -> tuple[int, int]:
    """All of a hole, or one character of literal text."""
    return (0, len(laid.piece.text)) if laid.text is None else (offset, offset + 1)


def _visible(span: tuple[int, int], text: str) -> Span:
    return Span(*_visible_ends(span, text))


def _visible_ends(span: tuple[int, int], text: str) -> tuple[int, int]:
    """The span, with one character where nothing stands between its ends."""
    start, end = span
    return (start, end) if end > start or start >= len(text) else (start, start + 1)
