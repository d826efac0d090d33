"""A prompt appraised: its culprits at once, its figures when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from promptlint.layout.appraisal import Appraisal, Culprit, Horizon, Layout, Price
from promptlint.layout.chunks import chunks_of, counted, longest_arms
from promptlint.layout.culprits import culprits_of
from promptlint.layout.horizons import horizon, horizons
from promptlint.layout.loss import Loss
from promptlint.layout.reading import Reading, Sheet, with_arms_of
from promptlint.prompt import Prompt
from promptlint.providers.registry import Provider
from promptlint.tokens.counter import counter_for


def appraise(
    prompt: Prompt,
    provider: Provider,
    *,
    provider_known: bool,
    ignore_below: int = 100,
    asked: str | None = None,
    sizes: Mapping[str, int] | None = None,
    model: str | None = None,
    interval: int | None = None,
) -> Appraisal:
    """The prompt under a provider. `asked` is a horizon's name, `sizes` stated sizes of holes in tokens, `interval` the
    seconds between two requests with the same prefix.
    """
    model = model or prompt.model
    counter = counter_for(provider.counter_for(model))
    chunks = chunks_of(prompt, sizes or {})
    plain = Sheet(prompt, chunks, longest_arms(prompt, chunks), counter, model)

    @cache
    def sheet(name: str) -> Sheet:
        by = counter_for(name)
        exact = counted(prompt, chunks, by)
        return Sheet(prompt, exact, longest_arms(prompt, exact), by, model)

    losses: dict[tuple[str, tuple[str, ...], str, str | None, frozenset[tuple[int, int]]], Loss] = {}

    def loss(counts: Sheet, of: Provider, order: tuple[str, ...], over: Horizon) -> Loss:
        key = (of.name, order, over.name, counts.model, frozenset(counts.arms.items()))
        if key not in losses:
            losses[key] = Loss(Reading(counts, of, order, over))
        return losses[key]

    @cache
    def layouts(of: Provider | None, over: str | None, by: str | None = None) -> tuple[Layout, ...]:
        of, by = of or provider, model if by is None else by
        counts = replace(sheet(of.counter_for(by)), model=by)
        wanted = horizons() if over is None else (horizon(over),)
        return tuple(loss(counts, of, order, each).layout for order in of.orders for each in wanted)

    @cache
    def prices(culprit: Culprit) -> tuple[tuple[Layout, Price], ...]:
        path = with_arms_of(sheet(counter.name), culprit.segments)
        found = [loss(path, provider, order, culprit.horizon) for order in provider.orders]
        return tuple((each.layout, each.price(culprit)) for each in found)

    def tokens() -> tuple[int, ...]:
        sums = [0] * len(prompt.segments)
        for chunk in sheet(counter.name).chunks:
            sums[chunk.segment] += chunk.tokens
        return tuple(sums)

    culprits = culprits_of(plain, provider, horizon(asked) if asked else None)
    return Appraisal(
        prompt, culprits, provider, provider_known, ignore_below, counter, layouts, prices, tokens, model, interval
    )
