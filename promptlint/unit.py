"""What a reader makes of a file."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.prompt import ProviderHint, Section
from promptlint.source import Source
from promptlint.template import Problem, Template


@dataclass(frozen=True, slots=True)
class Message:
    """A string of a prompt, with the role or section that its container gives it."""

    template: Template
    role: str | None = None
    section: Section | None = None


@dataclass(frozen=True, slots=True)
class PromptSource:
    """One request as its file says it, before anything is followed into other files."""

    name: str
    messages: tuple[Message, ...]
    provider: ProviderHint | None = None
    model: str | None = None
    rendered: bool = False
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """A file that was read: its prompts, what could not be read, and the files it names.

    `wanted` are the names as the file writes them, whether or not such files exist.
    """

    source: Source
    prompts: tuple[PromptSource, ...]
    problems: tuple[Problem, ...] = ()
    wanted: tuple[str, ...] = ()
