"""What one request sends, in order: segments, markers, parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from promptlint.events import FIXED, Evidence, Lifetime
from promptlint.expression import Expression
from promptlint.source import Place


class Section(StrEnum):
    """The part a segment plays. The order is the one that survives (a conversation's history stands
    between examples and retrieved)."""

    SYSTEM = "system"
    TOOLS = "tools"
    EXAMPLES = "examples"
    HISTORY = "history"
    RETRIEVED = "retrieved"
    VOLATILE = "volatile"
    USER = "user"

    @property
    def rank(self) -> int:
        return _SECTION_RANKS[self]


_SECTION_RANKS = {section: rank for rank, section in enumerate(Section)}


class Field(StrEnum):
    """The field of the request that carries a segment; providers put them into different orders."""

    TOOLS = "tools"
    SYSTEM = "system"
    MESSAGES = "messages"


class GuardKind(StrEnum):
    BRANCH = "branch"
    LOOP = "loop"


TOOL_CALL = "tool call"
"""Name of a prompt that is one tool call of the conversation, which is written anew for each request."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition or loop that a segment stands under.

    `group` is one number a branch or loop; `arm` counts its alternatives. The lifetime is that of what is
    tested or walked, the place is where that stands.
    """

    kind: GuardKind
    group: int
    arm: int
    lifetime: Lifetime
    place: Place
    test: Expression | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece with its section, lifetime and evidence.

    `text` is None for a hole, `place` is None for what surrounds the file (`[request]`), whose size in tokens
    is stated in `size`. `message` counts the request's messages; segments of one message are one block.
    """

    section: Section
    field: Field
    message: int
    lifetime: Lifetime
    place: Place | None
    text: str | None
    expression: Expression | None = None
    size: int | None = None
    name: str = ""
    guards: tuple[Guard, ...] = ()
    assumed: bool = False
    """The section is not said by the file but taken as the default."""
    whole: bool = False
    """Messages as they are, of which a program hands on a list."""
    role: str | None = None
    """The role of the message, as its container or its text says it."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A breakpoint after the segment with index `after`, -1 where nothing that is sent stands before it.

    `automatic` says that the request asks for one as a whole. `site` is what carries it: "block", "tool", "message",
    "request", or a block of a kind that takes none, by the names of `rules/data/breakpoints.toml`.
    """

    after: int
    place: Place
    ttl: str | None = None
    automatic: bool = False
    site: str = "block"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting of the request that can be part of the cache's key."""

    name: str
    place: Place
    expression: Expression | None
    lifetime: Lifetime = FIXED


@dataclass(frozen=True, slots=True)
class ProviderHint:
    name: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request as far as it is visible.

    `rendered` says that literals are samples of a request that was sent; `complete` that nothing of the
    request lies outside; `body` that the file holds the request itself, so that a marker or setting that it does
    not show is not sent.
    """

    path: str
    name: str
    segments: tuple[Segment, ...]
    markers: tuple[Marker, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    provider: ProviderHint | None = None
    model: str | None = None
    rendered: bool = False
    complete: bool = False
    body: bool = False
    edits: tuple[Place, ...] = ()
    """Where the program changes messages that it has sent before."""
    files: tuple[str, ...] = field(default=())
    """Every file the prompt was put together from, its own first."""
