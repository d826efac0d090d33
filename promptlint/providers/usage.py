"""The input tokens of a response, whatever its API counts: some totals include what was cached, some leave it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from promptlint.providers.row import Usage


@dataclass(frozen=True, slots=True)
class Counts:
    """Input tokens of one response: `total` = `read` + `write` + `fresh`.

    `write_by_ttl` splits `write` by the TTL's name where the response does.
    """

    total: int
    read: int
    write: int
    fresh: int
    write_by_ttl: Mapping[str, int] = field(default_factory=dict)


def counts(response: Mapping[str, Any], usage: Usage) -> Counts | None:
    """What a response reports about its input, by its provider's paths; None when it reports no input tokens.

    Cached tokens that are not reported count as none read. A total that includes them leaves total - read - write
    fresh; the others are summed up. Raises ValueError when parts exceed the total.
    """
    read, write = _at(response, usage.read) or 0, _at(response, usage.write) or 0
    total, fresh = _at(response, usage.total), _at(response, usage.uncached)
    if usage.total_includes_cached:
        if total is None:
            return None
        fresh = total - read - write
        if fresh < 0:
            raise ValueError(f"{read} tokens read and {write} written of {total}; a total includes both")
    elif fresh is None:
        return None
    split = {ttl: tokens for ttl, path in usage.write_by_ttl.items() if (tokens := _at(response, (path,)))}
    return Counts(read + write + fresh, read, write, fresh, split)


def _at(response: Mapping[str, Any], paths: tuple[str, ...]) -> int | None:
    """The whole number at the first path that holds one."""
    for path in paths:
        found: Any = response
        for step in path.split("."):
            found = found.get(step) if isinstance(found, Mapping) else None
        if type(found) is int and found >= 0:
            return found
    return None
