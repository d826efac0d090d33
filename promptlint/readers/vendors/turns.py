"""Which section and field each part of a request plays: what is history, and which turn is the newest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from promptlint.prompt import Field, Section


class Turn(Protocol):
    """A part of a message: its role (None for tools), the message's number, a section that is known already."""

    @property
    def role(self) -> str | None: ...
    @property
    def turn(self) -> int: ...
    @property
    def section(self) -> Section | None: ...


_SYSTEM = ("system", "developer")


def placed(parts: Sequence[Turn]) -> Iterator[tuple[Section, Field]]:
    """Section and field of each part.

    Text of the system's role is the system field until a message of another role has begun. What stands before the
    newest user message is history, and so is what the model and its tools have said since.
    """
    newest = newest_turns(parts)
    talking = False
    for part in parts:
        if part.role is None:
            yield Section.TOOLS, Field.TOOLS
            continue
        talking = talking or part.role not in _SYSTEM
        yield part.section or _section(part, newest), Field.MESSAGES if talking else Field.SYSTEM


def newest_turns(parts: Sequence[Turn]) -> frozenset[int]:
    """The numbers of the newest user messages: those that no other message parts."""
    turns: dict[int, bool] = {}
    for part in parts:
        turns[part.turn] = turns.get(part.turn, False) or part.role == "user"
    found: set[int] = set()
    for turn, is_users in reversed(turns.items()):
        if is_users:
            found.add(turn)
        elif found:
            break
    return frozenset(found)


def _section(part: Turn, newest: frozenset[int]) -> Section:
    if part.role in _SYSTEM:
        return Section.SYSTEM
    return Section.USER if part.turn in newest and part.role == "user" else Section.HISTORY
