"""One recorded request: who sent what, when, and what the provider said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

TOOLS, SYSTEM, MESSAGES, SETTINGS = "tools", "system", "messages", "settings"
"""Fields of a request. A setting is no text: it stands where the prefix differs when its value changes."""


class Piece(NamedTuple):
    """A stretch of a request's text, or a setting. A tuple, because a log has millions of them.

    `path` is that of the request's body ("messages[3].content[0].text"). `role` is not empty where the piece opens a
    message or a tool. `mark` names the lifetime that a breakpoint behind the piece asks for, "" without one.
    """

    path: str
    field: str
    role: str
    text: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the response says of the input, in tokens; None where it says nothing. `total` includes what was cached."""

    total: int | None
    read: int | None
    write: int | None


@dataclass(frozen=True, slots=True)
class Request:
    """A recorded request.

    `pool` names who can share entries (organisation, workspace, key, salt, model), `route` what steers requests to
    machines (a cache key), "" where nothing does. `time` is in seconds since 1970. `pieces` stand in the order in
    which the provider renders them; there are none where the record holds usage only.
    """

    path: str
    line: int
    id: str
    time: float | None
    provider: str
    model: str
    pool: str
    route: str
    conversation: str
    pieces: tuple[Piece, ...]
    measured: Measured | None


class LogError(ValueError):
    """A log, or what the user said about it, that cannot be used; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that was not read, or not whole: where, and why. `line` counts from 1; 0 is the file itself."""

    path: str
    line: int
    reason: str
