"""What a reader makes of a file."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.expression import Expression
from promptlint.program import Module
from promptlint.prompt import Field, ProviderHint, Section
from promptlint.source import Source, Span
from promptlint.template import Problem, Template


@dataclass(frozen=True, slots=True)
class Message:
    """A string of a prompt, with the role, section or field that its container gives it.

    None says that the container leaves it to the text. A message in several parts gives one of these for each part.
    """

    template: Template
    role: str | None = None
    section: Section | None = None
    field: Field | None = None


@dataclass(frozen=True, slots=True)
class MarkerSource:
    """A breakpoint that the file asks for: it stands behind the message with index `after`, -1 above them all.

    `automatic` says that the request asks for one as a whole, and the provider puts it behind the last part. `site` is
    what carries it, by the names of `rules/data/breakpoints.toml`.
    """

    after: int
    span: Span
    ttl: str | None = None
    automatic: bool = False
    site: str = "block"


@dataclass(frozen=True, slots=True)
class ParameterSource:
    """A setting of the request that can be part of the cache's key.

    `name` is its path in the request ("text.format"), `span` its value's; no `expression` stands for a value that is
    more than one literal.
    """

    name: str
    span: Span
    expression: Expression | None = None


@dataclass(frozen=True, slots=True)
class PromptSource:
    """One request as its file says it, before anything is followed into other files."""

    name: str
    messages: tuple[Message, ...]
    provider: ProviderHint | None = None
    model: str | None = None
    rendered: bool = False
    complete: bool = False
    markers: tuple[MarkerSource, ...] = ()
    parameters: tuple[ParameterSource, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """A file that was read: its prompts, what could not be read, and the files it names.

    `wanted` are the names as the file writes them, whether or not such files exist. A program has a `module`, in which
    the prompts are still to be found.
    """

    source: Source
    prompts: tuple[PromptSource, ...]
    problems: tuple[Problem, ...] = ()
    wanted: tuple[str, ...] = ()
    module: Module | None = None
