"""The KV equation of a workload, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from promptlint.report.kv_units import duration, operations, percent, size
from promptlint.report.paint import Paint, escaped
from promptlint.report.tables import table
from promptlint.serving.geometry import Part
from promptlint.serving.gpus import usable_share
from promptlint.serving.levers import Outcome, levers, ranked
from promptlint.serving.prefill import lost
from promptlint.serving.workload import Workload

_BATCHES = (1, 4, 32)
"""Batches whose context at the crossover is always said."""

_WRAP = 110


def kv_text(workload: Workload, paint: Paint) -> Iterator[str]:
    """The lines of `promptlint kv`: memory, traffic, a lost prefix, notes, levers."""
    model = workload.model
    gpus = f", {workload.gpus} x {workload.gpu.title}" if workload.gpu else ""
    load = f"{workload.batch:,} request{'s' * (workload.batch > 1)} of {workload.tokens:,} tokens"
    yield f"{paint.bold(escaped(model.title))}: {model.attention}"
    yield f"{load}; {workload.kv_dtype} KV, {workload.weight_dtype} weights{gpus}"
    yield from _block("memory", _memory(workload), paint)
    yield from _block("one decode step reads", _traffic(workload), paint)
    prefix = workload.prefix or workload.tokens
    yield from _block(f"a lost prefix of {prefix:,} tokens, each time", _lost(workload, prefix), paint)
    for note in notes(workload):
        yield ""
        yield from wrap(note, _WRAP)
    yield ""
    yield from _levers(workload, paint)


def notes(workload: Workload) -> list[str]:
    """What a reader of the figures has to know: copies, places where a prefix resumes, what is not known."""
    model, ranks = workload.model, workload.ranks
    said = []
    heads = min(part.heads for part in model.parts)
    if any(part.copies(ranks) > 1 for part in model.parts):
        kept = f"{heads} KV heads" if heads > 1 else "one vector or head"
        copies = workload.request_bytes / model.kept(workload.tokens, workload.kv_bits)
        said.append(
            f"{ranks} tensor-parallel ranks share {kept}: the node keeps and reads {copies:.3g} copies. With "
            "data-parallel attention it is one."
        )
    if any(part.heads % ranks and ranks % part.heads for part in model.parts if not part.constant):
        said.append(f"{heads} KV heads do not divide over {ranks} ranks: engines refuse that, or pad.")
    if not model.resumes_anywhere:
        said.append(
            "Windows and states cannot be cut at any token: a prefix resumes only where an earlier request saved them "
            "(the boundary rule), so a hit can end earlier than the common prefix."
        )
    if model.weights is None:
        said.append("The parameters are not known: what weights decide is left out. State them with --params.")
    elif model.weights.experts:
        chosen, experts = model.weights.experts
        said.append(
            f"{chosen} of {experts} experts work on a token: a step reads those that the batch's tokens choose "
            "together, expected over a uniform choice."
        )
    if workload.pool_bytes is not None and workload.pool_bytes <= 0:
        said.append("The weights do not fit into the memory of these GPUs.")
    return said


def batches(workload: Workload) -> list[int]:
    """Batches whose context at the crossover is said: the workload's own and some others."""
    return sorted({*_BATCHES, workload.batch})


def _memory(workload: Workload) -> Iterator[tuple[str, str, str]]:
    model, bits = workload.model, workload.kv_bits
    growing = [part for part in model.parts if part.grows]
    yield "bytes per token", f"{model.growth(bits):,.0f}", " + ".join(formula(part, bits) for part in growing)
    if model.constant(bits):
        yield "constant", size(model.constant(bits)), "full windows and states of a request"
    yield "one request", size(workload.request_bytes), ""
    of = f"{percent(workload.cache_bytes / workload.memory)} of {size(workload.memory)}" if workload.gpu else ""
    yield "all requests", size(workload.batch * workload.request_bytes), of
    if workload.weight_bytes is not None:
        yield "weights", size(workload.weight_bytes), ""
    if workload.pool_bytes is not None and workload.pool_bytes > 0:
        tokens = f"{workload.pool_tokens:,} tokens, " if workload.pool_tokens is not None else ""
        fits = f"{tokens}{workload.pool_requests:,} such requests"
        yield "pool", size(workload.pool_bytes), f"{fits}; {usable_share():g} of the memory, less weights"


def _traffic(workload: Workload) -> Iterator[tuple[str, str, str]]:
    if workload.weights_read is not None:
        yield "weights", size(workload.weights_read), ""
    yield "cache", size(workload.cache_read), ""
    if workload.step_bytes is not None:
        yield "together", size(workload.step_bytes), ""
    if workload.step_seconds is not None:
        at = f"between two tokens of a request, at {workload.bandwidth / 1e12:.3g} TB/s peak"
        yield "floor", duration(workload.step_seconds), at
    if workload.weights_read is not None:
        yield "crossover", *_crossover(workload)


def _crossover(workload: Workload) -> tuple[str, str]:
    tokens = workload.crossover_tokens
    pairs = [
        f"{batch:,} x {context:,}" for batch in batches(workload) if (context := workload.crossover_context(batch))
    ]
    met = f"cache = weights at {', '.join(pairs)}" if pairs else "cache = weights is not reached at these batches"
    return ("none" if tokens is None else f"{tokens:,}"), f"tokens in flight; {met}"


def _lost(workload: Workload, prefix: int) -> Iterator[tuple[str, str, str]]:
    loss = lost(workload, 0, prefix)
    yield "KV recomputed", size(loss.kv_bytes), ""
    if loss.flops is not None:
        time = f"{duration(loss.seconds)} at peak compute" if loss.seconds is not None else ""
        yield "prefill", operations(loss.flops), time


def formula(part: Part, kv_bits: int) -> str:
    """How the bytes that one token adds come about: "2 x 80 layers x 8 KV heads x 128 x 2 bytes"."""
    width = f"{kv_bits / 8:g} byte{'s' * (kv_bits != 8)}"
    shared = f" / {part.ratio} tokens" if part.ratio > 1 else ""
    if part.kind == "attention":
        return f"2 x {part.layers} layers x {part.heads} KV heads x {part.numbers // 2 // part.heads} x {width}"
    return f"{part.layers} layers x {part.numbers} {part.kind} x {width}{shared}"


def _block(title: str, rows: Iterator[tuple[str, str, str]], paint: Paint) -> Iterator[str]:
    yield ""
    yield paint.dim(title)
    for name, figure, remark in rows:
        yield f"  {name:<16}{figure:>12}  {remark}".rstrip()


def _levers(workload: Workload, paint: Paint) -> Iterator[str]:
    found = ranked(workload)
    head = ["lever", "shrinks", "leaves", "all requests", "crossover", "answers"]
    first, *rows = table(head, [_row(outcome, workload) for outcome in found], right=(3, 4))
    yield paint.dim(first)
    yield from rows
    won = {outcome.lever.name for outcome in found}
    rest = [lever.title.lower() for lever in levers() if lever.name not in won]
    if rest:
        yield ""
        yield from wrap(f"nothing to win here: {', '.join(rest)}", _WRAP)
    for outcome in found:
        yield ""
        yield from _details(outcome, paint)


def _row(outcome: Outcome, before: Workload) -> Sequence[str]:
    low, high = outcome.factor
    left = _share(low) if low == high else f"{_share(low)} to {_share(high)}"
    after = outcome.after
    known, crossing = after.weights_read is not None, after.crossover_tokens
    crossover = f"{crossing:,}" if crossing is not None else "none" if known else "-"
    kept = size(outcome.cache_bytes)
    if after.batch != before.batch:
        kept = f"{kept} ({after.batch})"
    changes = "nothing" if low == high == 1 else f"{left} of {outcome.of}"
    return [
        outcome.lever.title,
        outcome.lever.shrinks.partition(":")[0],
        changes,
        kept,
        crossover,
        outcome.lever.quality,
    ]


def _share(factor: float) -> str:
    """What is left, to three digits: "0.125", "1"."""
    return f"{factor:.3f}".rstrip("0").rstrip(".")


def _details(outcome: Outcome, paint: Paint) -> Iterator[str]:
    lever = outcome.lever
    yield paint.bold(lever.title)
    for name, text in (("reported", lever.reported), ("risk", lever.risk), ("switch", lever.switch)):
        yield from wrap(f"{name}: {text}", _WRAP, initial_indent="  ", subsequent_indent="    ")
