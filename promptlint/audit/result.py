"""What an audit found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from promptlint.audit.causes import Cause
from promptlint.audit.whatif import Outcome
from promptlint.logs.record import Skipped
from promptlint.serving.prefill import Loss
from promptlint.serving.workload import Workload


@dataclass(frozen=True, slots=True)
class Share:
    """Cached tokens of all input tokens."""

    cached: int
    tokens: int

    @property
    def value(self) -> float:
        return self.cached / self.tokens if self.tokens else 0.0


@dataclass(frozen=True, slots=True)
class Money:
    """US dollars of all input as (low, high): as it was paid, and at the best outcome, None without one."""

    paid: tuple[float, float]
    reachable: tuple[float, float] | None
    source: str


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What the causes make the machine compute again in all `requests` that hold a prompt."""

    workload: Workload
    requests: int
    loss: Loss


@dataclass(frozen=True, slots=True)
class ModelShares:
    """One model at one provider. A share is None where nothing was reported, or no prompt is in the log; `written` are
    the reported tokens that were written to the cache."""

    provider: str
    model: str
    counter: str
    requests: int
    measured: Share | None
    simulated: Share | None
    written: int | None
    assumed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands; line 0 where only hashes are known."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class Omitted:
    """What the figures leave out, and what they rest on less than they should."""

    records: int
    reasons: Mapping[str, int]
    named: tuple[Skipped, ...]
    repeated: int
    untimed: int
    backwards: int


@dataclass(frozen=True, slots=True)
class Result:
    """The whole audit. `measured` covers the requests that report, `simulated` those that hold a prompt, `compared`
    both sides of those that do both: reported and simulated."""

    files: int
    requests: int
    seconds: float
    measured: Share | None
    simulated: Share | None
    compared: tuple[Share, Share] | None
    reachable: Share | None
    models: tuple[ModelShares, ...]
    causes: tuple[Cause, ...]
    outcomes: tuple[Outcome, ...]
    omitted: Omitted
    places: Mapping[int, Place]
    origins: Mapping[int, str] = field(default_factory=dict)
    """By the number of a cause's example, the place in a template that wrote what differs."""
    money: Money | None = None
    recomputed: Recomputed | None = None
    """None where no served model is named, or nothing is lost."""

    @property
    def share(self) -> Share | None:
        """The service level indicator: the measured cached-token share, the simulated one where nothing is reported."""
        return self.measured or self.simulated


def reasons_of(counters: list[Counter[str]]) -> dict[str, int]:
    """All reasons, the most frequent first."""
    total: Counter[str] = Counter()
    for counter in counters:
        total += counter
    return dict(total.most_common())
