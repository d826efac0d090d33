"""Serving optimisations (`rules/data/levers.toml`), each as what it makes of a given workload.

Nothing is measured: a lever changes one term of the equation, and everything else follows from the equation.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from promptlint.data import load_toml
from promptlint.serving.geometry import Part
from promptlint.serving.prefill import flops
from promptlint.serving.workload import BITS, Workload

QUALITY: Final = ("neutral", "near-neutral", "lossy", "other model")
"""From levers that change no answer to those that need other weights."""


@dataclass(frozen=True, slots=True)
class Lever:
    """One row: what it shrinks, what it does to answers, what others report, what it risks, how engines call it."""

    name: str
    title: str
    shrinks: str
    quality: str
    effect: str
    settings: Mapping[str, Any] = field(hash=False)
    reported: str
    risk: str
    switch: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a lever does to a workload.

    `factor` is what is left of `of` ("KV bytes", "prefill", "reserved memory"), as (low, high); `cache_bytes` what all
    requests then keep; `after` the workload under the lever, which has the crossover.
    """

    lever: Lever
    of: str
    factor: tuple[float, float]
    cache_bytes: float
    after: Workload


@cache
def levers() -> tuple[Lever, ...]:
    """All levers, in the order of the table."""
    named = set(Lever.__slots__) - {"settings"}
    return tuple(
        Lever(
            **{name: row[name] for name in named - {"sources"}},
            sources=tuple(row["sources"]),
            settings={name: value for name, value in row.items() if name not in named},
        )
        for row in load_toml("levers.toml")["lever"]
    )


def ranked(workload: Workload) -> tuple[Outcome, ...]:
    """What every lever that has something to win does, those that change no answer first, then the strongest.

    A prefix that requests share is kept once by prefix caching only: every other lever is seen without it.
    """
    alone = replace(workload, prefix=0)
    found = [
        outcome
        for lever in levers()
        if (outcome := _EFFECTS[lever.effect](lever, workload if lever.effect == "prefix" else alone)) is not None
    ]
    return tuple(sorted(found, key=lambda outcome: (QUALITY.index(outcome.lever.quality), outcome.factor[0])))


def _outcome(lever: Lever, before: Workload, after: Workload) -> Outcome | None:
    """The outcome of a workload that keeps less, None where it does not."""
    factor = after.cache_bytes / before.cache_bytes
    return Outcome(lever, "KV bytes", (factor, factor), after.cache_bytes, after) if factor < 1 else None


def _prefix(lever: Lever, before: Workload) -> Outcome:
    """Where no shared prefix is stated it is anything up to all tokens but one."""
    least = _prefilled(before, before.prefix or before.tokens - 1)
    return Outcome(lever, "prefill", (least, least if before.prefix else 1.0), before.cache_bytes, before)


def _prefilled(workload: Workload, prefix: int) -> float:
    """The share of a request's prefill that is left behind a prefix; of its tokens where operations are not known."""
    whole, rest = flops(workload, 0, workload.tokens), flops(workload, prefix, workload.tokens)
    return rest / whole if whole and rest is not None else 1 - prefix / workload.tokens


def _paging(lever: Lever, before: Workload) -> Outcome:
    low, high = lever.settings["waste_before"]
    used = 1 - lever.settings["waste"]
    return Outcome(lever, "reserved memory", ((1 - high) / used, (1 - low) / used), before.cache_bytes, before)


def _bits(lever: Lever, before: Workload) -> Outcome | None:
    dtype = lever.settings["dtype"]
    return _outcome(lever, before, replace(before, kv_dtype=dtype)) if BITS[dtype] < before.kv_bits else None


def _keep(lever: Lever, before: Workload) -> Outcome | None:
    size = lever.settings["sinks"] + lever.settings["recent"]

    def windowed(part: Part) -> Part:
        return replace(part, window=size, reads=None) if part.grows and part.ratio == 1 else part

    return _outcome(lever, before, _changed(before, map(windowed, before.model.parts)))


def _heads(lever: Lever, before: Workload) -> Outcome | None:
    """Only where every query head has a KV head of its own: then a part has twice as many operations as numbers."""
    heads = lever.settings["kv_heads"]

    def grouped(part: Part) -> Part:
        if part.kind not in ("attention", "window") or part.flops != 2 * part.numbers or part.heads <= heads:
            return part
        return replace(part, numbers=part.numbers // part.heads * heads, heads=heads)

    return _outcome(lever, before, _changed(before, map(grouped, before.model.parts)))


def _latent(lever: Lever, before: Workload) -> Outcome | None:
    width = lever.settings["width"]

    def compressed(part: Part) -> Part:
        fits = part.kind == "attention" and part.numbers > width
        return replace(part, kind="latent", numbers=width, heads=1) if fits else part

    return _outcome(lever, before, _changed(before, map(compressed, before.model.parts)))


def _layers(lever: Lever, before: Workload) -> Outcome | None:
    share = lever.settings["share"]

    def thinned(part: Part) -> Part:
        return part if part.constant else replace(part, layers=-(-part.layers // share))

    return _outcome(lever, before, _changed(before, map(thinned, before.model.parts)))


def _ranks(lever: Lever, before: Workload) -> Outcome | None:
    return _outcome(lever, before, replace(before, ranks=1))


def _batch(lever: Lever, before: Workload) -> Outcome | None:
    """The largest batch whose step does not read more cache than weights."""

    def exceeds(batch: int) -> bool:
        lowered = replace(before, batch=batch)
        return lowered.weights_read is not None and lowered.cache_read > lowered.weights_read

    if not exceeds(before.batch):
        return None
    # Cache grows with the batch, weights ever less than it: there is one batch from which on the cache is larger.
    most = bisect_left(range(1, before.batch + 1), True, key=exceeds)
    return _outcome(lever, before, replace(before, batch=most)) if most else None


def _split(lever: Lever, before: Workload) -> Outcome:
    return Outcome(lever, "KV bytes", (1.0, 1.0), before.cache_bytes, before)


def _changed(before: Workload, parts: Iterable[Part]) -> Workload:
    return replace(before, model=replace(before.model, parts=tuple(parts)))


_EFFECTS: Final[Mapping[str, Callable[[Lever, Workload], Outcome | None]]] = {
    "prefix": _prefix,
    "paging": _paging,
    "bits": _bits,
    "keep": _keep,
    "heads": _heads,
    "latent": _latent,
    "layers": _layers,
    "ranks": _ranks,
    "batch": _batch,
    "split": _split,
}
