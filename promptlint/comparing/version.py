"""One of the two prompts that are compared, laid out in a render order: pieces with their tokens and places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from promptlint.comparing.places import Fragment, fragment_at, node_at
from promptlint.comparing.serialised import Piece, serialised
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import Segment
from promptlint.readers.json_strings import JsonNode
from promptlint.source import Place, Source, Span, alignment


@dataclass(frozen=True, slots=True)
class Request:
    """A request's body, as json.loads reads it and with the places of its values."""

    value: object
    node: JsonNode


@dataclass(frozen=True, slots=True)
class Version:
    """A prompt under the name that the user gave it; `request` is None for a template."""

    name: str
    source: Source
    appraisal: Appraisal
    request: Request | None = None


@dataclass(frozen=True, slots=True)
class Laid:
    """A piece with the prompt's segments in it (indices) and its tokens.

    `text` is what is encoded: the strings that the model reads, without the JSON around them; None for a hole.
    """

    piece: Piece
    segments: tuple[int, ...]
    tokens: int
    text: str | None


def laid_out(version: Version, order: Sequence[str]) -> tuple[Laid, ...]:
    """The version's pieces in render order."""
    counts = version.appraisal.tokens()
    if version.request is not None:
        return tuple(_of_request(version, version.request, order, counts))
    ranks = {name: rank for rank, name in enumerate(order)}
    found = sorted(_of_template(version.appraisal.prompt.segments, counts), key=lambda each: ranks[each.piece.field])
    return tuple(found)


def place_in(version: Version, laid: Laid, offset: int) -> Place:
    """Where the piece's character at `offset` was written; for a key, number or sign of JSON the whole of it."""
    if version.request is not None:
        fragment = fragment_in(version.request, laid, offset)
        if fragment.string is None:
            return Place(version.source, fragment.span)
        held, at = fragment.string.held, fragment.character(offset)
        return Place(version.source, held.outside(Span(at, min(at + 1, len(held.value)))))
    return stretch_in(version, laid, offset, offset + 1)


def stretch_in(version: Version, laid: Laid, start: int, end: int) -> Place:
    """Where a stretch of a template's piece was written, as far as it stands in one segment."""
    at = 0
    segments = version.appraisal.prompt.segments
    for index in laid.segments:
        segment = segments[index]
        text, place = _text(segment), segment.place
        assert place is not None
        if start < at + len(text) or index == laid.segments[-1]:
            offsets = alignment(place.text, text)
            if offsets is None:
                return place
            first = max(0, min(start - at, len(text)))
            last = max(first, min(end - at, len(text)))
            return Place(place.source, Span(place.span.start + offsets[first], place.span.start + offsets[last]))
        at += len(text)
    raise ValueError("a piece of a template without segments has no place")


def fragment_in(request: Request, laid: Laid, offset: int) -> Fragment:
    """The fragment of a request's piece at an offset."""
    node = node_at(request.node, laid.piece.pointer)
    assert node is not None
    return fragment_at(node, laid.piece.pointer, offset)


def _of_request(version: Version, request: Request, order: Sequence[str], counts: Sequence[int]) -> Iterator[Laid]:
    pieces = serialised(request.value, order)
    spans = [node.span for piece in pieces if (node := node_at(request.node, piece.pointer)) is not None]
    ranked = sorted(range(len(pieces)), key=lambda index: spans[index])
    starts = [spans[index].start for index in ranked]
    held: list[list[int]] = [[] for _ in pieces]
    segments = version.appraisal.prompt.segments
    for number, segment in enumerate(segments):
        if segment.place is None:
            continue
        at = bisect_right(starts, segment.place.span.start) - 1
        if at >= 0 and segment.place.span.start < spans[ranked[at]].end:
            held[ranked[at]].append(number)
    for piece, inside in zip(pieces, held, strict=True):
        texts = [segments[number].text for number in inside]
        text = piece.text if piece.field == "tools" else "".join(text for text in texts if text is not None)
        yield Laid(piece, tuple(inside), sum(counts[number] for number in inside), text)


def _of_template(segments: Sequence[Segment], counts: Sequence[int]) -> Iterator[Laid]:
    """Literal text that nothing parts is one piece, a hole another; what `[request]` states is in no file."""
    written = [index for index, segment in enumerate(segments) if segment.place is not None]

    def together(index: int) -> tuple[object, ...]:
        segment = segments[index]
        return segment.field, segment.message, _condition(segment), index if segment.text is None else -1

    for _, run in groupby(written, key=together):
        indices = tuple(run)
        first = segments[indices[0]]
        text = "".join(_text(segments[index]) for index in indices)
        piece = Piece(first.field, "", text, _condition(first), whole=first.text is None)
        yield Laid(piece, indices, sum(counts[index] for index in indices), None if first.text is None else text)


def _text(segment: Segment) -> str:
    """What a segment writes, or the source of the hole."""
    return segment.text if segment.text is not None else segment.place.text if segment.place else ""


def _condition(segment: Segment) -> str:
    return "; ".join(f"{guard.kind} {guard.arm} {guard.place.text}" for guard in segment.guards)
