"""Stage one: parts of a log, read, tokenised and hashed by several processes, each into a file of its own."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import accumulate
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

from promptlint.audit.columns import Columns, Row
from promptlint.audit.rules import Rules, Wanted, rules_of
from promptlint.audit.texts import TextWriter
from promptlint.logs.places import Part, size_of
from promptlint.logs.reading import Reading, requests
from promptlint.logs.record import MESSAGES, SETTINGS, SYSTEM, TOOLS, Piece, Request, Skipped
from promptlint.replay.chain import Chainer, Text, Texts, setting
from promptlint.replay.lines import KnownLines
from promptlint.tokens.vocabulary import load

Numbered = tuple[int, Part]
_NUMBERS = {name: number for number, name in enumerate((SETTINGS, TOOLS, SYSTEM, MESSAGES))}
PART_SIZE = 64 * 2**20
"""Bytes of a part."""

_LOOKED = 0.2
"""Seconds between two looks at how far the processes are."""

_NAMED = 20
"""Skipped records that are named; the others are counted."""


@dataclass(slots=True)
class Collected:
    """What became of a part: lines, requests, bytes, and what was skipped, by reason."""

    part: int
    lines: int = 0
    requests: int = 0
    untimed: int = 0
    backwards: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def skip(self, skipped: Skipped) -> None:
        self.reasons[skipped.reason.partition(" (")[0]] += 1
        if len(self.skipped) < _NAMED:
            self.skipped.append(skipped)


@dataclass(frozen=True, slots=True)
class Plan:
    """How parts are collected: `folder` takes the files, `secret` goes into all hashes."""

    folder: Path
    reading: Reading
    wanted: Wanted
    secret: bytes = b""


def collect(parts: list[Part], plan: Plan, processes: int, progress: Callable[[int], None]) -> list[Collected]:
    """What became of each part, in order; `progress` is told how many bytes were read so far.

    Each process reads parts that follow each other, so that it knows the texts of a conversation from its last turn;
    this one reads the first of them. Raises OSError where a file cannot be read or the folder is full,
    BrokenProcessPool when a process was killed.
    """
    lanes = _lanes(list(enumerate(parts)), processes)
    if len(lanes) <= 1:
        sizes = accumulate(_size(part) for lane in lanes for _, part in lane)
        return [each for lane in lanes for each in _collect(lane, plan, lambda _: progress(next(sizes)))]
    context = get_context("spawn")
    _begin(context.Value("q", 0))
    with ProcessPoolExecutor(len(lanes) - 1, context, _begin, (_counter, True)) as pool:
        waiting = {pool.submit(_collect, lane, plan, _count) for lane in lanes[1:]}

        def told(size: int) -> None:
            _count(size)
            progress(_counter.value)
            _results({future for future in waiting if future.done()})  # whoever was killed is known at once

        collected = _collect(lanes[0], plan, told)
        while waiting:
            done, waiting = wait(waiting, timeout=_LOOKED, return_when=FIRST_EXCEPTION)
            progress(_counter.value)
            collected += _results(done)
    return sorted(collected, key=lambda outcome: outcome.part)


def _results(done: set[Future[list[Collected]]]) -> list[Collected]:
    return [each for future in done for each in future.result()]


@contextmanager
def uncollected() -> Iterator[None]:
    """Nothing here makes cycles, and to look for some among all that is held takes a twentieth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def shard(folder: Path, part: int) -> Path:
    """The Parquet file of a part."""
    return folder / f"part-{part:06}.parquet"


def _lanes(numbered: list[Numbered], processes: int) -> list[list[Numbered]]:
    """The parts in as many runs as there are processes, of about equal size."""
    total = sum(_size(part) for _, part in numbered)
    lanes: list[list[Numbered]] = [[] for _ in range(processes)]
    before = 0
    for number, part in numbered:
        lanes[min(before * processes // max(total, 1), processes - 1)].append((number, part))
        before += _size(part)
    return [lane for lane in lanes if lane]


def _size(part: Part) -> int:
    return (part.end or size_of(part.path)) - part.start


_counter: Any = None


def _begin(counter: Any, begun: bool = False) -> None:
    """A reading process learns where to count; one that was begun ends when the one that began it is gone."""
    global _counter
    _counter = counter
    if begun:
        Thread(target=_outlive_nobody, daemon=True).start()


def _outlive_nobody() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _count(size: int) -> None:
    with _counter.get_lock():
        _counter.value += size


def _collect(lane: list[Numbered], plan: Plan, progress: Callable[[int], None]) -> list[Collected]:
    worker = _Worker(plan)
    collected = []
    with uncollected():
        for number, part in lane:
            collected.append(_collect_part(number, part, plan, worker))
            progress(_size(part))
    return collected


def _collect_part(number: int, part: Part, plan: Plan, worker: _Worker) -> Collected:
    outcome = Collected(number)
    path = shard(plan.folder, number)
    columns = Columns(path)
    worker.begin(TextWriter(path))
    latest: float | None = None
    reading = requests(part, plan.reading, outcome.skip)
    while True:
        try:
            request = next(reading)
        except StopIteration as end:
            outcome.lines = end.value
            break
        outcome.requests += 1
        outcome.untimed += request.time is None
        if request.time is not None and latest is not None:
            outcome.backwards += request.time < latest - 300
        latest = request.time if request.time is not None else latest
        columns.add(worker.row(number, request, latest))
    columns.close()
    worker.end()
    return outcome


class _Worker:
    """What one process knows: it reads its parts one after the other."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._store: TextWriter | None = None
        self._nth = 0
        self._texts: dict[str, Texts] = {}
        self._chainers: dict[tuple[str, int], Chainer] = {}

    def begin(self, store: TextWriter) -> None:
        """Another part: new texts go to this writer."""
        self._store, self._nth = store, 0

    def end(self) -> None:
        if self._store is not None:
            self._store.close()

    def row(self, part: int, request: Request, time: float | None) -> Row:
        rules = rules_of(request.provider, request.model, self._plan.wanted)
        self._nth += 1
        pieces = self._pieces(rules, request.pieces)
        chained = self._chainer(rules).chained(pieces)
        ends = chained.ends if rules.ratio == 1 else (chained.ends * rules.ratio).round().astype("int64")
        marks = rules.marks(request.pieces) if rules.by_boundaries else []
        seen = request.measured
        return Row(
            part,
            self._nth,
            request.line,
            self._hash(request.id),
            time,
            request.provider,
            request.model,
            self._hash(request.pool),
            self._hash(request.route),
            self._hash(request.conversation),
            seen.total if seen else None,
            seen.read if seen else None,
            seen.write if seen else None,
            int(ends[-1]) if len(ends) else 0,
            [piece.key for piece in pieces],
            [piece.tail for piece in pieces],
            [_NUMBERS[piece.field] for piece in request.pieces],
            [piece.path for piece in request.pieces],
            chained.chain,
            ends,
            _positions(request.pieces) if rules.by_boundaries else (),
            [at for at, _ in marks],
            [life for _, life in marks],
            chained.blocks,
        )

    def _pieces(self, rules: Rules, pieces: tuple[Piece, ...]) -> list[Text]:
        texts = self._texts.get(rules.vocabulary)
        if texts is None:
            encode = KnownLines(load(rules.vocabulary).ids).encode
            texts = self._texts[rules.vocabulary] = Texts(encode, self._plan.secret)
        found = []
        for piece in pieces:
            if piece.field == SETTINGS:
                found.append(setting(piece.path, piece.text, self._plan.secret))
                continue
            made, is_new = texts.of(piece.role, piece.text)
            found.append(made)
            if is_new and self._store is not None:
                self._store.add(made, piece.role, piece.text)
        return found

    def _chainer(self, rules: Rules) -> Chainer:
        key = (rules.vocabulary, rules.unit)
        if key not in self._chainers:
            self._chainers[key] = Chainer(rules.unit, self._plan.secret)
        return self._chainers[key]

    def _hash(self, text: str) -> int:
        if not text:
            return 0
        digest = blake2b(text.encode("utf-8", "replace"), digest_size=8, key=self._plan.secret).digest()
        return int.from_bytes(digest, "little", signed=True) or 1


def _positions(pieces: tuple[Piece, ...]) -> list[int]:
    """Numbers of the pieces as the look-back counts: a run of tool calls is one, and so is a run of their results."""
    numbers, at, before = [], -1, ""
    for piece in pieces:
        kind = _kind(piece)
        if piece.field != SETTINGS and not (kind and kind == before):
            at += 1
        before = kind
        numbers.append(max(at, 0))
    return numbers


def _kind(piece: Piece) -> str:
    if piece.field != MESSAGES:
        return ""
    start = piece.text[:200]
    if '"tool_use"' in start or '"toolUse"' in start:
        return "call"
    is_result = '"tool_result"' in start or '"toolResult"' in start or piece.path.count(".content") > 1
    return "result" if is_result else ""
