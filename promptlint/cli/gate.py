"""The gate of `promptlint check`: shares that must not be too low or fall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from promptlint.cli.options import tell
from promptlint.engine import Options, Outcome
from promptlint.gate import HORIZON, Gate, movements, share

_Command = TypeVar("_Command", bound=Callable[..., Any])
_DROP = 1.0
"""Points that a share may fall where nothing else is asked: a longer question moves it by less."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is asked of shares; None where nothing is."""

    least: float | None
    revision: str | None
    drop: float

    @property
    def are_given(self) -> bool:
        """Whether anything is asked."""
        return self.least is not None or self.revision is not None

    def gate(self, outcome: Outcome, paths: Sequence[Path], options: Options, horizon: str | None) -> Gate | None:
        """The gate of a run over these paths, at the horizon that was asked for.

        Says what could not be looked at when they were something else. Raises RevisionError and ConfigError for what
        the user gave.
        """
        if not self.are_given:
            return None
        if self.revision is not None and not paths:
            raise click.UsageError("--compare needs files that git knows, and standard input is none; name paths")
        horizon = horizon or HORIZON
        now = [share(appraisal, horizon) for appraisal in outcome.run.appraisals]
        unknown = frozenset(failure.source.path for failure in outcome.failures)
        before = None
        if self.revision is not None:
            from promptlint.past import past

            earlier = past(self.revision, paths, options, horizon)
            for line in earlier.lines:
                tell(line)
            before, unknown = earlier.shares, unknown | earlier.unknown
        return Gate(horizon, movements(now, before), self.least, self.revision, self.drop, unknown)


def gate_options(command: _Command) -> _Command:
    """The options that hold shares to something; the command gets them as one argument, `limits`."""

    @click.option(
        "--min-share",
        type=click.FloatRange(0, 1),
        metavar="SHARE",
        help="Fail when less of a prompt's tokens can be reused, such as 0.8. [horizon: user, or --horizon]",
    )
    @click.option("--compare", metavar="REV", help="Say how shares moved since a revision of git; fail when they fell.")
    @click.option(
        "--max-drop",
        type=click.FloatRange(0, 100),
        metavar="POINTS",
        help=f"How many points of a hundred a share may fall, with --compare. [default: {_DROP:g}]",
    )
    @wraps(command)
    def with_limits(
        *args: Any, min_share: float | None, compare: str | None, max_drop: float | None, **rest: Any
    ) -> Any:
        if max_drop is not None and compare is None:
            raise click.UsageError("--max-drop says how far a share may fall since --compare REV; name a revision")
        limits = Limits(min_share, compare, _DROP if max_drop is None else max_drop)
        return command(*args, limits=limits, **rest)

    return with_limits  # type: ignore[return-value]
