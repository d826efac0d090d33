"""Horizons: which two requests are compared, and what may fall between them (`rules/data/horizons.toml`)."""

from __future__ import annotations

from functools import cache

from promptlint.data import load_toml, unknown
from promptlint.layout.appraisal import Horizon
from promptlint.prompt import Guard, GuardKind, Section, Segment


@cache
def horizons() -> tuple[Horizon, ...]:
    """All horizons, narrowest first."""
    return tuple(
        Horizon(row["name"], row["title"], frozenset(row["events"])) for row in load_toml("horizons.toml")["horizon"]
    )


def horizon(name: str) -> Horizon:
    """The horizon of that name. Raises UnknownNameError with the nearest one."""
    for known in horizons():
        if known.name == name:
            return known
    raise unknown("horizon", name, (known.name for known in horizons()))


def survives(segment: Segment, over: Horizon) -> bool:
    """Whether the segment's bytes are the same in the second request (design, "a segment survives").

    A value or condition with few possible contents forks the prefix into a few variants, each of which is
    cached: it survives.
    """
    own = segment.lifetime
    return (own.few or not own.events & over.events) and not any(breaks(guard, over) for guard in segment.guards)


def breaks(guard: Guard, over: Horizon) -> bool:
    """Whether what a condition tests or a loop walks differs in the second request."""
    variants = guard.kind is GuardKind.BRANCH and guard.lifetime.few
    return bool(not variants and guard.lifetime.events & over.events)


def is_known(segment: Segment) -> bool:
    """Whether everything that the segment writes is known; conditions only choose between known texts."""
    loops = (guard.lifetime.known for guard in segment.guards if guard.kind is GuardKind.LOOP)
    return segment.lifetime.known and all(loops)


def is_history(segment: Segment) -> bool:
    """Whether the segment is the conversation so far: a hole or loop; literal text beside it is not."""
    if segment.section is not Section.HISTORY:
        return False
    if segment.lifetime.growing or any(guard.lifetime.growing for guard in segment.guards):
        return True
    main = segment.lifetime.main
    return segment.text is None and (main is None or main.kind in ("history", "unknown"))


def changes_by_itself(segment: Segment) -> bool:
    """Whether a value changes for a reason of its own, such as a clock that is written into each message."""
    main = segment.lifetime.main
    return segment.expression is not None and main is not None and main.kind not in ("history", "unknown")
