"""What a serving engine's metrics say about decode, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from textwrap import wrap

from promptlint.report.json_v1 import document
from promptlint.report.kv_units import duration, percent, size
from promptlint.report.paint import Paint, escaped
from promptlint.serving.signals import Readings, Signal, no_signal, signals
from promptlint.serving.workload import Workload

_WRAP = 110


@dataclass(frozen=True, slots=True)
class _Figure:
    """A signal's value, in words and as the number that its threshold is compared with."""

    words: str
    remark: str
    value: float | None = None


def metrics_text(readings: Readings, workload: Workload | None, paint: Paint) -> Iterator[str]:
    """One line a signal, with why it matters and what to do where it asks for something; then why one is missing."""
    served = f", {escaped(readings.model)}" if readings.model else ""
    yield f"{paint.bold(readings.engine)}{served}: counters since the server's start"
    yield ""
    for signal in signals():
        figure = _figure(signal, readings, workload)
        asks = figure.value is not None and signal.asks(figure.value)
        words = f"{figure.words:>12}"
        yield f"{signal.title:<32}{paint.warning(words) if asks else words}  {figure.remark}".rstrip()
        if asks:
            yield from wrap(f"{signal.why}; {signal.then}", _WRAP, initial_indent="  ", subsequent_indent="  ")
    yield ""
    seen = f" The dump has {', '.join(readings.utilisation)}." if readings.utilisation else ""
    yield from wrap(no_signal() + seen, _WRAP)


def metrics_json(readings: Readings, workload: Workload | None) -> str:
    """The same as one JSON document, version 1."""
    found = []
    for signal in signals():
        figure = _figure(signal, readings, workload)
        asks = figure.value is not None and signal.asks(figure.value)
        found.append({"name": signal.name, "value": figure.value, "asks": asks, "why": signal.why, "then": signal.then})
    step = {"weights_read": workload.weights_read, "cache_read": workload.cache_read} if workload else None
    return document({"version": 1, "readings": asdict(readings), "step": step, "signals": found})


def _figure(signal: Signal, readings: Readings, workload: Workload | None) -> _Figure:
    match signal.name:
        case "pool":
            return _pool(readings)
        case "preemption":
            return _preemption(readings)
        case "prefix":
            rate = readings.hit_rate
            return _missing() if rate is None else _Figure(percent(rate), "of the prompt tokens", rate)
        case "traffic":
            return _traffic(readings, workload)
    latency = readings.latency
    if latency is None:
        return _missing()
    floor = workload.step_seconds if workload else None
    remark = f"{latency / floor:.1f} times the floor of {duration(floor)}" if floor else ""
    return _Figure(duration(latency), remark, latency)


def _pool(readings: Readings) -> _Figure:
    if readings.usage is None:
        return _missing()
    of = f"of {readings.capacity:,.0f} tokens; " if readings.capacity else ""
    waiting = f"{readings.waiting:,.0f} waiting" if readings.waiting is not None else ""
    return _Figure(percent(readings.usage), f"{of}{readings.running or 0:,.0f} running, {waiting}", readings.usage)


def _preemption(readings: Readings) -> _Figure:
    rate = readings.preempted_per_1000
    if rate is None:
        return _missing()
    again = ""
    if readings.recomputed is not None and readings.finished:
        by = " (estimated: as many as a mean prompt each)" if readings.recomputed_is_estimate else ""
        again = f"{1000 * readings.recomputed / readings.finished:,.0f} tokens computed again{by}"
    return _Figure(f"{rate:,.1f}", again, rate)


def _traffic(readings: Readings, workload: Workload | None) -> _Figure:
    if readings.in_flight is None or not readings.running:
        return _missing()
    tokens = f"{readings.in_flight:,.0f} tokens in flight"
    if workload is None:
        return _Figure("-", f"{tokens}; name the model for their bytes")
    if workload.step_bytes is None or workload.weights_read is None:
        return _Figure(size(workload.cache_read), f"cache only, {tokens}")
    parts = f"weights {size(workload.weights_read)}, cache {size(workload.cache_read)}"
    crossover = f"; crossover at {workload.crossover_tokens:,}" if workload.crossover_tokens is not None else ""
    return _Figure(size(workload.step_bytes), f"{parts}: {tokens}{crossover}", workload.step_bytes)


def _missing() -> _Figure:
    return _Figure("-", "not in the dump")
