"""What is known about a prompt once every asked provider, order and horizon was looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from promptlint.events import Cause
from promptlint.prompt import GuardKind, Prompt
from promptlint.providers.registry import Provider
from promptlint.source import Place
from promptlint.tokens.counter import Counter


@dataclass(frozen=True, slots=True)
class Horizon:
    """Which two requests are compared; `events` are those that may fall between them."""

    name: str
    title: str
    events: frozenset[str]


@dataclass(frozen=True, slots=True)
class Culprit:
    """What stands in the way at the narrowest horizon that it breaks.

    `segments` are indices into the prompt: a hole, or all that a loop or condition writes. `place` is the hole,
    the iterated expression or the condition; `guard` says which of the three. `blocks` says whether stable text
    follows in what is visible or stated, `first_blocked` where the first of it stands.
    """

    segments: tuple[int, ...]
    cause: Cause
    place: Place
    guard: GuardKind | None
    horizon: Horizon
    blocks: bool
    first_blocked: Place | None


@dataclass(frozen=True, slots=True)
class Price:
    """Cost of one culprit in one layout, in tokens: see design, "blocked" and "step"."""

    culprit: Culprit
    blocked: int
    step: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Layout:
    """A prompt under one provider, order and horizon; every figure in tokens as (low, high) where two are given.

    `best` is reached once every culprit has moved, and a marker stands where the stable text ends.
    `now_at_least` is `now` when values about which nothing is known do not survive. `boundaries` says where the
    written boundaries come from: "none" (block rule), "source", "automatic" or "assumed"; "refused" when the provider
    takes no request with so many markers. `end` is where reuse ends: an index into the prompt's segments,
    len(segments) when everything is reusable.
    """

    provider: Provider
    order: tuple[str, ...]
    horizon: Horizon
    total: int
    now: tuple[int, int]
    now_at_least: tuple[int, int]
    best: tuple[int, int]
    boundaries: str
    end: int


class Layouts(Protocol):
    def __call__(
        self, provider: Provider | None, horizon: str | None, model: str | None = None, /
    ) -> tuple[Layout, ...]: ...


@dataclass(frozen=True, slots=True)
class Appraisal:
    """A prompt with its culprits; layouts and token counts are worked out when they are asked for.

    `ignore_below` are the tokens below which a loss is not worth saying, `interval` the seconds that the configuration
    says lie between two requests with the same prefix. `model` is the model as far as it is known.
    `layouts(provider, horizon, model)` gives one layout for each order and horizon; None stands for the appraisal's own
    provider, for all horizons, and for its own model; "" is no model. `prices(culprit)` gives its price in each order
    at the horizon it is priced at, with the layout. `tokens()` gives the tokens of each segment by `counter`.
    """

    prompt: Prompt
    culprits: tuple[Culprit, ...]
    provider: Provider
    provider_known: bool
    ignore_below: int
    counter: Counter
    layouts: Layouts
    prices: Callable[[Culprit], tuple[tuple[Layout, Price], ...]]
    tokens: Callable[[], tuple[int, ...]]
    model: str | None = None
    interval: int | None = None
