"""A request that a program builds: its parts in the order tools, system, messages, its markers and settings."""

from __future__ import annotations

from dataclasses import dataclass, field

from promptlint.expression import Expression
from promptlint.project.write import Gate
from promptlint.prompt import Section
from promptlint.source import Place, Source


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the request: an expression with the source that its spans point into.

    `role` None stands for tools; `turn` counts the messages. `whole` says that it is a list of messages or tools.
    """

    content: Expression
    source: Source
    role: str | None
    turn: int
    section: Section | None = None
    gates: tuple[Gate, ...] = ()
    whole: bool = False
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of the request, by its path; the place covers the setting with its name."""

    name: str
    value: Expression
    source: Source
    place: Place


@dataclass(slots=True)
class Request:
    """What is known of one request. `place` is where the program builds it.

    `guessed` says that nothing but the name of a text tells whose it is: a prompt of any role.
    """

    name: str
    place: Place
    parts: list[Part] = field(default_factory=list)
    markers: list[tuple[int, Place, str | None, str]] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    edits: list[Place] = field(default_factory=list)
    provider: str = ""
    model: str | None = None
    complete: bool = False
    guessed: bool = False
