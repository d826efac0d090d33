"""Two versions of a prompt compared: what the cache reads of the second because the first was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile

from promptlint.comparing.divergence import (
    Divergence,
    characters,
    divergences,
    is_append_only,
    is_shortened,
    shared_characters,
)
from promptlint.comparing.history import History, Turn, history
from promptlint.comparing.places import node_at
from promptlint.comparing.serialised import Piece
from promptlint.comparing.version import Laid, Version, laid_out
from promptlint.layout.boundaries import boundaries
from promptlint.prompt import Field
from promptlint.providers.registry import Interval, Provider
from promptlint.providers.reuse import reuse
from promptlint.shapes.differences import common_prefix
from promptlint.source import Place
from promptlint.tokens.vocabulary import load


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting that differs and is part of the cache's key: `loses` is the first field that it makes fresh.

    "all" loses everything, "unknown" breaks at a place that is not stated. A place is None where it is not set.
    """

    name: str
    loses: str
    previous: Place | None
    current: Place | None


@dataclass(frozen=True, slots=True)
class Reading:
    """The two versions in one render order.

    `shared` are the characters of the longest common prefix of the serialised texts, `common` its tokens, `prefix`
    those that no setting breaks. `reused` are the tokens that the provider's match rule lets the second request read,
    given the boundaries that the first one wrote; `boundaries` says who says where those are (see Layout).
    """

    order: tuple[str, ...]
    previous: tuple[Laid, ...]
    current: tuple[Laid, ...]
    found: tuple[Divergence, ...]
    shared: int
    common: int
    prefix: int
    written: tuple[int, ...]
    reused: Interval
    boundaries: str

    @property
    def total(self) -> int:
        """Tokens of the previous version."""
        return sum(laid.tokens for laid in self.previous)

    @property
    def length(self) -> int:
        """Characters of the previous version."""
        return characters([laid.piece for laid in self.previous])

    @property
    def share(self) -> float:
        """Share of the previous version's characters that stand at the start of both; 1 when it has none."""
        return self.shared / self.length if self.length else 1.0

    @property
    def appends(self) -> bool:
        """Whether the previous version is a prefix of the current one."""
        return is_append_only([laid.piece for laid in self.previous], self.found, self.order)

    def before(self, field: str) -> int:
        """Tokens of the previous version above a field; "all" stands for the first one."""
        above = self.order[: self.order.index(field)] if field in self.order else ()
        return sum(each.tokens for each in self.previous if each.piece.field.value in above)

    def resent(self, found: Divergence) -> tuple[int, ...]:
        """Indices of the previous version's pieces below a difference that the current one sends unchanged."""
        below = self.order[self.order.index(found.field.value) :]
        again = {(laid.piece.field, laid.piece.text) for laid in self.current}
        above = len([laid for laid in self.previous if laid.piece.field.value not in below]) + found.index
        return tuple(
            index
            for index, laid in enumerate(self.previous)
            if index >= above and laid.piece.field.value in below and (laid.piece.field, laid.piece.text) in again
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """`readings` has one entry for each render order, the asked or most likely one first; `history` is None for
    templates and for requests without messages."""

    previous: Version
    current: Version
    provider: Provider
    readings: tuple[Reading, ...]
    history: History | None
    settings: tuple[Setting, ...]

    @property
    def reading(self) -> Reading:
        return self.readings[0]

    @property
    def relation(self) -> str:
        """What the current version is to the previous one.

        "identical", "append-only", "shortened" (a prefix of it), "reshaped" (the same text in another JSON shape),
        "new-question" (all that two conversations, or two questions, can share is shared), or "changed".
        """
        reading = self.reading
        if not reading.found:
            return "identical"
        if reading.appends:
            return "append-only"
        if is_shortened([laid.piece for laid in reading.current], reading.found, reading.order):
            return "shortened"
        if self.history is not None and {each.field for each in reading.found} == {Field.MESSAGES}:
            if self.history.turn is Turn.QUESTION:
                return "new-question"
            if self.history.turn not in (Turn.TRUNCATED, Turn.REWRITTEN):
                return "reshaped"
        return "changed"

    @property
    def loses_prefix(self) -> bool:
        """Whether the current version makes text fresh that it could have read from the cache."""
        return self.relation == "changed" or any(setting.loses != "unknown" for setting in self.settings)


def compare(previous: Version, current: Version, provider: Provider, orders: Sequence[Sequence[str]]) -> Comparison:
    """The two versions in each of the render orders. Both are requests, or both templates."""
    settings = tuple(_settings(previous, current, provider))
    readings = tuple(_reading(previous, current, provider, tuple(order), settings) for order in orders)
    turns = None
    if previous.request is not None:
        a, b = (_messages(version) for version in (readings[0].previous, readings[0].current))
        turns = history(a, b) if a and b else None
    return Comparison(previous, current, provider, readings, turns, settings)


def lost_tokens(comparison: Comparison, found: Divergence) -> int:
    """Tokens below a difference that are sent again as they were: what stays of its own piece, and other pieces."""
    reading = comparison.reading
    tokens = sum(reading.previous[index].tokens for index in reading.resent(found))
    one, other = (
        [laid for laid in side if laid.piece.field is found.field] for side in (reading.previous, reading.current)
    )
    if found.structure or found.index >= min(len(one), len(other)):
        return tokens
    left, right = one[found.index].text or "", other[found.index].text or ""
    start = common_prefix(left, right)
    backwards = common_prefix(left[start:][::-1], right[start:][::-1])
    counter = comparison.previous.appraisal.counter
    return tokens + counter.scale(load(counter.vocabulary).count(left[len(left) - backwards :]))


def _reading(
    previous: Version, current: Version, provider: Provider, order: tuple[str, ...], settings: Sequence[Setting]
) -> Reading:
    a, b = laid_out(previous, order), laid_out(current, order)
    one, other = [laid.piece for laid in a], [laid.piece for laid in b]
    found = divergences(one, other, order)
    total = sum(laid.tokens for laid in b)
    # A prompt's end may be counted with a token more than the same text has inside a longer one.
    common = min(_common(previous, a, b, found, order), total)
    written, who = _written(previous, a, provider)
    text = Reading(
        order, a, b, found, shared_characters(one, other, order), common, common, tuple(written), (0, 0), who
    )
    broken = [text.before(setting.loses) for setting in settings if setting.loses != "unknown"]
    prefix = min([common, *broken])
    low, high = reuse(total, prefix, written, provider, model=previous.appraisal.prompt.model)
    if any(setting.loses == "unknown" for setting in settings):
        low = 0
    return replace(text, prefix=prefix, reused=(low, high))


def _common(
    version: Version, a: Sequence[Laid], b: Sequence[Laid], found: Sequence[Divergence], order: Sequence[str]
) -> int:
    """Tokens of the longest common prefix."""
    if not found:
        return sum(laid.tokens for laid in a)
    first = found[0]
    above = order[: order.index(first.field.value)]
    one, other = ([laid for laid in each if laid.piece.field is first.field] for each in (a, b))
    whole = one[: first.index]
    tokens = sum(laid.tokens for laid in a if laid.piece.field.value in above) + sum(laid.tokens for laid in whole)
    if first.index < min(len(one), len(other)):
        left, right = one[first.index], other[first.index]
        if first.offset and left.text and right.text:
            return tokens + min(left.tokens, common_tokens(version, left.text, right.text))
    goes_on = first.index < len(one) and whole and not whole[-1].piece.pointer
    return max(0, tokens - _open_end(version, whole[-1].text or "")) if goes_on else tokens


def common_tokens(version: Version, a: str, b: str) -> int:
    """Tokens that two texts share from the start on."""
    counter = version.appraisal.counter
    vocabulary = load(counter.vocabulary)
    pairs = zip(vocabulary.encode(a), vocabulary.encode(b), strict=False)
    return counter.scale(sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _open_end(version: Version, text: str) -> int:
    """Tokens at a text's end that another continuation could cut differently."""
    counter, tail = version.appraisal.counter, text[-400:]
    vocabulary = load(counter.vocabulary)
    return counter.scale(vocabulary.count(tail) - vocabulary.stable_prefix(tail))


def _written(version: Version, laid: Sequence[Laid], provider: Provider) -> tuple[list[int], str]:
    """The boundaries that the version writes, in tokens from its start."""
    indices = [index for each in laid for index in each.segments]
    counts = version.appraisal.tokens()
    ends = dict(zip(indices, accumulate(counts[index] for index in indices), strict=True))
    found, who = boundaries(version.appraisal.prompt, provider, ends)
    return [boundary.end for boundary in found], who


def _messages(laid: Sequence[Laid]) -> list[object]:
    pieces: list[Piece] = [each.piece for each in laid if each.piece.field is Field.MESSAGES]
    return [json.loads(piece.text) for piece in pieces]


def _settings(previous: Version, current: Version, provider: Provider) -> Iterator[Setting]:
    """The settings that differ and that the provider is known to keep apart in its cache."""
    if previous.request is None or current.request is None:
        return
    a, b = previous.appraisal.prompt, current.appraisal.prompt
    if a.model != b.model:
        # A cache holds a model's own keys and values; no provider shares them between two.
        yield Setting("model", "all", _model(previous), _model(current))
    left, right = ({each.name: each.place for each in prompt.parameters} for prompt in (a, b))
    for name in dict.fromkeys((*left, *right)):
        loses = provider.breaks.get(name, "none")
        if loses != "none" and _value(left.get(name)) != _value(right.get(name)):
            yield Setting(name, loses, left.get(name), right.get(name))


def _model(version: Version) -> Place | None:
    assert version.request is not None
    nodes = (node_at(version.request.node, pointer) for pointer in ("/model", "/modelId"))
    node = next((node for node in nodes if node is not None), None)
    return Place(version.source, node.span) if node is not None else None


def _value(place: Place | None) -> object:
    return json.loads(place.text) if place is not None else None
