"""A prompt's segments cut at line ends, with their tokens: what moves and what stays is decided a line at a time."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

from promptlint.data import load_toml
from promptlint.events import Event
from promptlint.expression import path
from promptlint.prompt import GuardKind, Prompt, Segment
from promptlint.tokens.counter import Counter
from promptlint.tokens.vocabulary import load

_FILLER = " data"
"""One token of o200k_base and cl100k_base: stands for a token of a value whose text is not known."""

_SENTENCE_END = re.compile(r"[.!?][\"')\]]{0,3}[ \t]+(?=\S)")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Part of a segment that stands on one line (in one sentence of it), or a run of whole ones.

    `line` is one number a unit of the prompt that moves as one; `offset` is where the chunk starts in the segment's
    text; a hole's `text` is its sample. Before they are counted, `tokens` are characters.
    """

    segment: int
    line: int
    offset: int
    text: str
    tokens: int


def chunks_of(prompt: Prompt, sizes: Mapping[str, int]) -> tuple[Chunk, ...]:
    """The prompt's chunks in file order, not counted yet. `sizes` are the stated sizes of holes, in tokens."""
    result: list[Chunk] = []
    for run in _messages(prompt.segments):
        result.extend(_lines(prompt.segments, run, sizes, first_line=result[-1].line + 1 if result else 0))
    return tuple(result)


def counted(prompt: Prompt, chunks: Sequence[Chunk], counter: Counter) -> tuple[Chunk, ...]:
    """The chunks with the tokens of `counter` that start in each.

    A message is encoded once, with sample values in its holes, so that chunks add up.
    """
    runs = groupby(chunks, key=lambda chunk: _message(prompt.segments[chunk.segment]))
    return tuple(chunk for _, run in runs for chunk in _counted(list(run), prompt.segments, counter))


def assumed_size(segment: Segment, sizes: Mapping[str, int]) -> int:
    """Tokens of a value whose text is unknown: stated in `[sizes]` by name or kind, else by kind from the table."""
    if segment.size is not None:
        return segment.size
    names = list(path(segment.expression)) if segment.expression is not None else []
    main = segment.lifetime.main
    kind = main.kind if main is not None else "unknown"
    if main is not None and kind == "clock" and Event.REQUEST not in main.events:
        kind = "date"
    for key in (".".join(names), *names[-1:], kind):
        if key in sizes:
            return sizes[key]
    table = _sizes()
    return table.get(kind, table["unknown"])


@cache
def _sizes() -> dict[str, int]:
    return {kind: row["tokens"] for kind, row in load_toml("sizes.toml")["sizes"].items()}


def _message(segment: Segment) -> tuple[str, int]:
    return segment.field.value, segment.message


def _messages(segments: Sequence[Segment]) -> Iterator[list[int]]:
    """Indices of each run of segments that are one message of one field."""
    for _, run in groupby(range(len(segments)), key=lambda index: _message(segments[index])):
        yield list(run)


def _lines(segments: Sequence[Segment], run: list[int], sizes: Mapping[str, int], first_line: int) -> Iterator[Chunk]:
    line, inside = first_line, _loops(segments[run[0]])
    for index in run:
        text, loops = segments[index].text, _loops(segments[index])
        if loops != inside:
            line, inside = line + 1, loops  # what a loop writes does not move with the line around it
        if text is None:
            size = assumed_size(segments[index], sizes)
            yield Chunk(index, line, 0, _FILLER * size, size)
            continue
        offset = 0
        for part, ended in _head_middle_tail(text):
            if part:
                yield Chunk(index, line, offset, part, len(part))
                offset += len(part)
                line += ended


def _loops(segment: Segment) -> tuple[int, ...]:
    return tuple(guard.group for guard in segment.guards if guard.kind is GuardKind.LOOP)


def _head_middle_tail(text: str) -> tuple[tuple[str, bool], ...]:
    """The rest of the unit that is open, whole units, and the start of one that goes on; and whether each ends one.

    A unit is a line, or a sentence of a line that holds several.
    """
    first = text.find("\n") + 1 or len(text)
    sentence = _SENTENCE_END.search(text, 0, first)
    first = sentence.end() if sentence else first
    if sentence is None and not text.endswith("\n", 0, first):
        return ((text, False),)
    last = text.rfind("\n") + 1
    last = max((last, first, *(found.end() for found in _SENTENCE_END.finditer(text, last))))
    return (text[:first], True), (text[first:last], last > first), (text[last:], False)


def _counted(cut: list[Chunk], segments: Sequence[Segment], counter: Counter) -> Iterator[Chunk]:
    if segments[cut[0].segment].size is not None:
        yield from cut  # stated in the provider's tokens
        return
    starts = load(counter.vocabulary).starts("".join(chunk.text for chunk in cut))
    offset = before = 0
    for chunk in cut:
        offset += len(chunk.text)
        upto = counter.scale(bisect_left(starts, offset))
        yield replace(chunk, tokens=upto - before)
        before = upto


def longest_arms(prompt: Prompt, chunks: Sequence[Chunk]) -> dict[int, int]:
    """For each branch the arm that writes most: alternatives count once, the longest."""
    weights: dict[int, dict[int, int]] = {}
    for chunk in chunks:
        for guard in prompt.segments[chunk.segment].guards:
            if guard.kind is GuardKind.BRANCH or guard.arm:
                arms = weights.setdefault(guard.group, {})
                arms[guard.arm] = arms.get(guard.arm, 0) + chunk.tokens
    return {group: max(arms, key=lambda arm: (arms[arm], -arm)) for group, arms in weights.items()}
