"""From paths to the result of an audit."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from promptlint.audit.blame import LEAST, blame
from promptlint.audit.causes import Cause, causes_of, in_order
from promptlint.audit.collect import PART_SIZE, Collected, Plan, collect, shard, uncollected
from promptlint.audit.columns import SCHEMA
from promptlint.audit.difference import Comparer
from promptlint.audit.measured import from_usage
from promptlint.audit.money import money_of, priced, prices_of
from promptlint.audit.replayed import replay
from promptlint.audit.result import ModelShares, Omitted, Place, Recomputed, Result, Share, reasons_of
from promptlint.audit.rules import Wanted
from promptlint.audit.store import Store, opened
from promptlint.audit.texts import Library
from promptlint.audit.whatif import Outcome, WhatIf
from promptlint.logs.places import Part, files_of, size_of
from promptlint.logs.reading import Reading, parts_to_read
from promptlint.logs.record import LogError, Skipped
from promptlint.logs.stores import is_stored
from promptlint.serving.workload import Workload

_PREFIX = "promptlint-audit-"
_MEMORY = 256
"""Megabytes that the data engine may use before it puts rows on disk."""


@dataclass(frozen=True, slots=True)
class Options:
    """How an audit is run. `export` is the file that takes the hashes; `mask` hides secrets in a text; `served` is the
    model that computes again what was lost."""

    reading: Reading = field(default_factory=Reading)
    wanted: Wanted = field(default_factory=Wanted)
    processes: int = 0
    what_if: bool = True
    least: int = LEAST
    shipped_prices: bool = False
    export: Path | None = None
    templates: Path | None = None
    folder: Path | None = None
    mask: Callable[[str], str] = str
    served: Workload | None = None


def audit(arguments: Sequence[str], options: Options, progress: Callable[[int, int], None]) -> Result:
    """The audit of the logs that the arguments name. `progress` is told the bytes read and those there are.

    Raises OSError where a log cannot be read or the disk is full, LogError when there is no request in the logs.
    """
    files = files_of(arguments)
    exported = [name for name in files if _is_export(name)]
    exports, logs = [Path(name) for name in exported], [name for name in files if name not in exported]
    processes = options.processes or os.cpu_count() or 1
    with _folder(options.folder) as folder, uncollected():
        secret = os.urandom(16) if options.export else b""
        plan = Plan(folder, options.reading, options.wanted, secret)
        parts = parts_to_read(logs, PART_SIZE, options.reading)
        total = sum(map(size_of, logs))
        collected = collect(parts, plan, processes, lambda done: progress(done, total))
        shards = [shard(folder, outcome.part) for outcome in collected]
        if options.export is not None:
            _export(shards, options.export)
        with opened(folder, [*shards, *exports], options.wanted, _MEMORY, processes) as store:
            return _result(store, files, parts, collected, shards, options, plan)


def _result(
    store: Store,
    files: list[str],
    parts: list[Part],
    collected: list[Collected],
    shards: list[Path],
    options: Options,
    plan: Plan,
) -> Result:
    ((rows, kept, first, last),) = store.all(
        "SELECT count(*), (SELECT count(*) FROM ranks), min(time), max(time) FROM log"
    )
    lines = _Lines(parts, collected)
    omitted = _omitted(collected, lines, rows - kept)
    if not rows:
        raise LogError(f"no request in {len(files)} file{'s'[: len(files) > 1]}; {_first_reason(omitted)}")
    replay(store, "replayed")
    library = Library(shards)
    try:
        groups, counts, earlier = blame(store, Comparer(library, options.mask), options.least, options.served)
        causes = in_order([*causes_of(groups, counts), *from_usage(store)])
        models = _models(store)
        measured, simulated, compared = _shares(store)
        outcomes: list[Outcome] = []
        base: Outcome | None = None
        if options.what_if and simulated is not None and shards:
            replays = WhatIf(store, library, earlier, plan.folder, plan.secret)
            outcomes = list(replays.outcomes(causes))
            base = replays.base
        origins = {}
        if options.templates is not None:
            from promptlint.audit.origin import Origins

            found = Origins(options.templates)
            origins = {cause.rid: place for cause in causes if cause.line and (place := found.place(cause.line))}
    finally:
        library.close()
    best = max(outcomes, key=lambda outcome: outcome.share, default=None)
    prices = prices_of(models, last, options.shipped_prices)
    reachable = Share(best.cached, best.tokens) if best else simulated
    return Result(
        len(files),
        kept,
        (last or 0) - (first or 0),
        measured,
        simulated,
        compared,
        reachable,
        tuple(models),
        tuple(priced(causes, prices)),
        tuple(outcomes),
        omitted,
        _places(store, causes, lines),
        origins,
        money_of(models, prices, best, base),
        _recomputed(causes, sum(counts.values()), options.served),
    )


def _recomputed(causes: list[Cause], requests: int, served: Workload | None) -> Recomputed | None:
    losses = [cause.lost for cause in causes if cause.lost is not None]
    if served is None or not losses:
        return None
    return Recomputed(served, requests, sum(losses[1:], losses[0]))


def _shares(store: Store) -> tuple[Share | None, Share | None, tuple[Share, Share] | None]:
    ((read, total, cached, tokens, both_read, both_total, both_cached, both_tokens),) = store.all("""
        SELECT sum(read) FILTER (total IS NOT NULL), sum(total) FILTER (read IS NOT NULL),
            sum(coalesce(cached, 0)) FILTER (tokens > 0), sum(tokens) FILTER (tokens > 0),
            sum(read) FILTER (tokens > 0 AND total IS NOT NULL), sum(total) FILTER (tokens > 0 AND read IS NOT NULL),
            sum(coalesce(cached, 0)) FILTER (tokens > 0 AND read IS NOT NULL AND total IS NOT NULL),
            sum(tokens) FILTER (tokens > 0 AND read IS NOT NULL AND total IS NOT NULL)
        FROM log JOIN ranks USING (part, nth) LEFT JOIN replayed USING (rid)""")
    compared = (_share(both_read, both_total), _share(both_cached, both_tokens))
    return (
        _share(read, total),
        _share(cached, tokens),
        (compared[0], compared[1]) if compared[0] is not None and compared[1] is not None else None,
    )


def _models(store: Store) -> list[ModelShares]:
    rows = store.all("""
        SELECT provider, model, count(*), sum(read) FILTER (total IS NOT NULL), sum(total) FILTER (read IS NOT NULL),
            sum(coalesce(cached, 0)) FILTER (tokens > 0), sum(tokens) FILTER (tokens > 0), sum(write)::BIGINT
        FROM log JOIN ranks USING (part, nth) LEFT JOIN replayed USING (rid)
        GROUP BY provider, model ORDER BY sum(greatest(tokens, coalesce(total, 0))) DESC, provider, model""")
    return [
        ModelShares(
            name,
            model,
            store.rules[name, model].counter,
            requests,
            _share(read, total),
            _share(cached, tokens),
            write,
            store.rules[name, model].assumed,
        )
        for name, model, requests, read, total, cached, tokens, write in rows
    ]


def _share(cached: int | None, tokens: int | None) -> Share | None:
    return Share(int(cached or 0), int(tokens)) if tokens else None


def _omitted(collected: list[Collected], lines: _Lines, repeated: int) -> Omitted:
    named = [
        Skipped(each.path, lines.absolute(outcome.part, each.line), each.reason)
        for outcome in collected
        for each in outcome.skipped
    ]
    reasons = reasons_of([outcome.reasons for outcome in collected])
    untimed, backwards = (sum(getattr(outcome, name) for outcome in collected) for name in ("untimed", "backwards"))
    return Omitted(sum(reasons.values()), reasons, tuple(named), repeated, untimed, backwards)


def _first_reason(omitted: Omitted) -> str:
    if not omitted.named:
        return "the files are empty"
    first = omitted.named[0]
    return f"{first.path}:{first.line}: {first.reason}; name the fields with --map, or the format with --format"


class _Lines:
    """Line numbers of files from those of their parts."""

    def __init__(self, parts: list[Part], collected: list[Collected]) -> None:
        self._parts = parts
        self._before: dict[int, int] = {}
        lines: dict[str, int] = {}
        for outcome in collected:
            path = parts[outcome.part].path
            self._before[outcome.part] = lines.get(path, 0)
            lines[path] = lines.get(path, 0) + outcome.lines

    def absolute(self, part: int, line: int) -> int:
        return line + self._before[part] if line else 0

    def place(self, part: int, line: int) -> Place:
        if part not in self._before:
            return Place("exported hashes", 0)
        return Place(self._parts[part].path, self.absolute(part, line))


def _places(store: Store, causes: list[Cause], lines: _Lines) -> dict[int, Place]:
    wanted = sorted({rid for cause in causes for rid in (cause.rid, cause.earlier) if rid})
    rows = store.all("SELECT rid, part, line FROM log JOIN ranks USING (part, nth) WHERE list_contains(?, rid)", wanted)
    return {rid: lines.place(part, line) for rid, part, line in rows}


def _is_export(name: str) -> bool:
    """Whether a file is what `--export` wrote. Those are read where they lie, so they cannot lie in a store."""
    if is_stored(name) or not name.endswith(".parquet"):
        return False
    import pyarrow
    import pyarrow.parquet

    try:
        return bool(pyarrow.parquet.read_schema(name).equals(SCHEMA))
    except (pyarrow.ArrowException, OSError):
        return False


def _export(shards: list[Path], target: Path) -> None:
    """All shards as one file, which stands at its name only when it is whole."""
    import pyarrow.parquet

    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    try:
        with pyarrow.parquet.ParquetWriter(partial, SCHEMA, compression="zstd") as writer:
            for path in shards:
                for batch in pyarrow.parquet.ParquetFile(path).iter_batches():
                    writer.write_batch(batch)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _folder(parent: Path | None) -> Iterator[Path]:
    """A folder for what does not fit in memory; those of runs that were killed are removed."""
    base = parent or Path(tempfile.gettempdir())
    for left in base.glob(f"{_PREFIX}*"):
        owner = left.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdigit() and not _is_running(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent) as name:
        yield Path(name)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
