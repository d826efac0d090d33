"""Values in records: by path, times in any spelling, and the token counts of a response."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from promptlint.logs.documents import parsed
from promptlint.logs.record import Measured

_STEP = re.compile(r"[^.\[\]]+")
_READ = (
    "cache_read_input_tokens",
    "cacheReadInputTokens",
    "input_tokens_details.cached_tokens",
    "prompt_tokens_details.cached_tokens",
    "cachedContentTokenCount",
    "cached_content_token_count",
    "prompt_cache_hit_tokens",
    "cached_input_tokens",
    "total_cached_tokens",
    "cached_tokens",
    "input_cached_tokens",
    "cache_read.input_tokens",
)
_WRITE = (
    "cache_creation_input_tokens",
    "cacheWriteInputTokens",
    "input_tokens_details.cache_write_tokens",
    "prompt_tokens_details.cache_write_tokens",
    "cache_write_tokens",
    "cache_creation.input_tokens",
)
_TOTAL = ("prompt_tokens", "promptTokenCount", "prompt_token_count", "input_tokens", "inputTokens", "input")
_APART = ("cache_read_input_tokens", "cache_creation_input_tokens", "cacheReadInputTokens", "cacheWriteInputTokens")
"""Fields of vendors whose input count leaves out what was cached, beside the names that say so."""


def at(value: Any, path: str) -> Any:
    """What stands at a path ("request.messages[0].role") of a value; None where it does not lead anywhere.

    A string on the way that holds JSON is read as JSON.
    """
    steps = _steps(path)
    if type(value) is dict:
        # Most paths are not there: records are asked for each name that somebody uses.
        if path in value:
            return value[path]
        if steps and steps[0] not in value:
            return None
    for step in steps:
        if not isinstance(value, Mapping):
            value = opened(value)
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit():
            value = value[int(step)] if int(step) < len(value) else None
        else:
            return None
    return value


@cache
def _steps(path: str) -> tuple[str, ...]:
    return tuple(_STEP.findall(path))


def first(value: Mapping[str, Any], paths: Iterable[str]) -> Any:
    """What stands at the first of the paths at which something does."""
    for path in paths:
        if (found := at(value, path)) is not None:
            return found
    return None


def opened(value: Any) -> Any:
    """The value; that of the JSON in it when it is a string that holds an object or a list."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return parsed(value.encode("utf-8", "surrogatepass"))
        except ValueError:
            return value
    return value


def seconds(value: Any) -> float | None:
    """A time in seconds since 1970, from a datetime, ISO 8601 (UTC where it names no zone) or a number.

    Numbers are seconds, or milli-, micro- or nanoseconds when they are too large for that.
    """
    if isinstance(value, datetime):
        since = (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
        return since if since > 0 else None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            try:
                return seconds(datetime.fromisoformat(value.strip()))
            except ValueError:
                return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e20:
        return None
    for limit, factor in ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6)):
        if value < limit:
            return value / factor
    return value / 1e9


def measured(usage: Any) -> Measured | None:
    """The token counts of a `usage` object in any vendor's spelling (docs of each, as in `rules/data/providers.toml`).

    None when it has no count of the input.
    """
    usage = opened(usage)
    if not isinstance(usage, Mapping):
        return None
    total, read, write = (count(first(usage, names)) for names in (_TOTAL, _READ, _WRITE))
    if read is None and (missed := count(usage.get("prompt_cache_miss_tokens"))) is not None:
        read, total = 0, total if total is not None else missed
    if total is None and "prompt_cache_hit_tokens" in usage:
        total = (read or 0) + (count(usage.get("prompt_cache_miss_tokens")) or 0)
    if total is None:
        return None
    if "prompt_tokens" not in usage and any(name in usage for name in _APART):
        total += (read or 0) + (write or 0)
    return Measured(total, read, write)


def count(value: Any) -> int | None:
    """A number of tokens; None for what cannot be one."""
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**40 else None
