"""What a serving engine's own metrics say about decode (`rules/data/signals.toml`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from promptlint.data import load_toml
from promptlint.serving.scrape import Sample, matching
from promptlint.toml_keys import ConfigError


@dataclass(frozen=True, slots=True)
class Readings:
    """What one server says. None where a dump does not hold it; counters count from the server's start.

    `usage` is the fullest engine's share of its pool, `in_flight` the tokens of running requests (estimated from the
    pool's size where the engine does not count them), `latency` the mean seconds between two tokens.
    """

    engine: str
    model: str
    usage: float | None
    capacity: float | None
    in_flight: float | None
    running: float | None
    waiting: float | None
    preempted: float | None
    finished: float | None
    recomputed: float | None
    recomputed_is_estimate: bool
    hit_rate: float | None
    latency: float | None
    utilisation: tuple[str, ...]

    @property
    def preempted_per_1000(self) -> float | None:
        """Pre-emptions for 1,000 finished requests, None where nothing has finished."""
        return None if self.preempted is None or not self.finished else 1000 * self.preempted / self.finished


@dataclass(frozen=True, slots=True)
class Signal:
    """What a reading means, and from where on it asks for something."""

    name: str
    title: str
    why: str
    then: str
    high: float | None
    low: float | None

    def asks(self, value: float) -> bool:
        """Whether there is something to do."""
        return (self.high is not None and value >= self.high) or (self.low is not None and value < self.low)


def signals() -> tuple[Signal, ...]:
    """All signals, in the order of the table."""
    rows = load_toml("signals.toml")["signal"]
    return tuple(
        Signal(row["name"], row["title"], row["why"], row["then"], row.get("high"), row.get("low")) for row in rows
    )


def no_signal() -> str:
    """Why GPU utilisation is none."""
    why: str = load_toml("signals.toml")["utilisation"]["why"]
    return why


def readings(found: tuple[Sample, ...], shown: str) -> Readings:
    """What a dump says. Raises ConfigError where no known engine printed it, or it mixes several models."""
    engine = _engine(found, shown)
    models = sorted({sample.labels["model_name"] for sample in found if _is_of(engine, sample)} - {""})
    if len(models) > 1:
        raise ConfigError(f"{shown}: the dump holds {len(models)} models ({', '.join(models)}); save one server's")
    read = _Reader(found, engine)
    hits, queries, misses = read.total("hits"), read.total("queries"), read.total("misses")
    looked_up = queries if queries is not None else hits + misses if hits is not None and misses is not None else None
    preempted, recomputed = read.total("preempted"), read.total("recomputed")
    mean_prompt = read.mean("prompt")
    estimate = preempted * mean_prompt if preempted is not None and mean_prompt is not None else None
    usages = read.by_engine("usage")
    return Readings(
        engine=engine["name"],
        model=models[0] if models else "",
        usage=max(usages.values(), default=None),
        capacity=read.capacity(),
        in_flight=read.in_flight(usages),
        running=read.total("running"),
        waiting=read.total("waiting"),
        preempted=preempted,
        finished=read.total("finished"),
        recomputed=estimate if recomputed is None else recomputed,
        recomputed_is_estimate=recomputed is None,
        hit_rate=hits / looked_up if hits is not None and looked_up else read.highest("hit_rate"),
        latency=read.mean("latency"),
        utilisation=tuple(
            name for name in load_toml("signals.toml")["utilisation"]["names"] if any(s.name == name for s in found)
        ),
    )


def _engine(found: Iterable[Sample], shown: str) -> Mapping[str, Any]:
    names = {sample.name for sample in found}
    for engine in load_toml("signals.toml")["engine"]:
        if any(name.startswith(engine["prefix"]) for name in names):
            row: Mapping[str, Any] = engine
            return row
    known = " or ".join(engine["name"] for engine in load_toml("signals.toml")["engine"])
    raise ConfigError(f"{shown}: this was not printed by {known}; save what the engine's /metrics prints")


def _is_of(engine: Mapping[str, Any], sample: Sample) -> bool:
    return sample.name.startswith(engine["prefix"]) and "model_name" in sample.labels


class _Reader:
    """The readings of one engine's table row."""

    def __init__(self, found: tuple[Sample, ...], engine: Mapping[str, Any]) -> None:
        self._found, self._engine = found, engine

    def _series(self, reading: str, suffix: str = "") -> tuple[Sample, ...]:
        """Samples of the first series that the dump holds, each figure once."""
        for series in self._engine["readings"].get(reading, ()):
            name = series["name"] + suffix
            if found := tuple(matching(self._found, name, series.get("where", {}))):
                return self._once(found)
        return ()

    def _once(self, found: Sequence[Sample]) -> tuple[Sample, ...]:
        """Totals instead of what they are split into, and of ranks that say the same only the lowest."""
        for label in self._engine["totals"]:
            if any(sample.labels.get(label) == "" for sample in found):
                found = [sample for sample in found if not sample.labels.get(label)]
        lowest: dict[tuple[tuple[str, str], ...], Sample] = {}
        for sample in sorted(found, key=self._rank):
            apart = {name: value for name, value in sample.labels.items() if name not in self._engine["ranks"]}
            lowest.setdefault(tuple(sorted(apart.items())), sample)
        return tuple(lowest.values())

    def _rank(self, sample: Sample) -> list[tuple[int, str]]:
        ranks = [sample.labels.get(label, "") for label in self._engine["ranks"]]
        return [(len(rank), rank) for rank in ranks]

    def total(self, reading: str, suffix: str = "") -> float | None:
        found = self._series(reading, suffix)
        return sum(sample.value for sample in found) if found else None

    def highest(self, reading: str) -> float | None:
        return max((sample.value for sample in self._series(reading)), default=None)

    def mean(self, reading: str) -> float | None:
        """The mean of a histogram, None while it is empty."""
        total, count = self.total(reading, "_sum"), self.total(reading, "_count")
        return total / count if total is not None and count else None

    def by_engine(self, reading: str) -> dict[str, float]:
        """Figures by the engine that says them: vLLM numbers data-parallel engines, SGLang ranks."""
        return {_who(sample): sample.value for sample in self._series(reading)}

    def _capacities(self) -> dict[str, float]:
        if sizes := self.by_engine("capacity"):
            return sizes
        found: dict[str, float] = {}
        for series in self._engine["readings"].get("capacity_info", ()):
            for sample in matching(self._found, series["name"], {}):
                numbers = [sample.labels.get(label, "") for label in series["product"]]
                if all(number.isdecimal() for number in numbers):
                    found[_who(sample)] = float(prod(map(int, numbers)))
        return found

    def capacity(self) -> float | None:
        sizes = self._capacities()
        return sum(sizes.values()) if sizes else None

    def in_flight(self, usages: Mapping[str, float]) -> float | None:
        counted = self.total("in_flight")
        if counted is not None:
            return counted
        sizes = self._capacities()
        return sum(usages[who] * sizes[who] for who in usages) if usages and usages.keys() <= sizes.keys() else None


def _who(sample: Sample) -> str:
    return sample.labels.get("engine") or sample.labels.get("dp_rank") or "0"
