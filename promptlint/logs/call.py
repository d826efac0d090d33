"""What a format says of one call, before its body is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from promptlint.logs.record import Measured


@dataclass(frozen=True, slots=True)
class Call:
    """One call; what the record does not say is None or "". `body` is None where the format keeps no prompt.

    `time` is in seconds since 1970. `owner` is whoever shares a cache: organisation, workspace, key.
    """

    body: Mapping[str, Any] | None
    measured: Measured | None = None
    time: float | None = None
    id: str = ""
    conversation: str = ""
    owner: str = ""
    model: str = ""
    provider: str = ""
