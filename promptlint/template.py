"""What a dialect makes of a string: pieces that cover it, and the tree that says in which order they are written.

The pieces are the flat, positional view; the nodes are the view that expansion follows (branches, loops,
assignments, macros, includes). A node refers to pieces by index.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from promptlint.expression import Expression
from promptlint.prompt import Section
from promptlint.source import Span


class PieceKind(StrEnum):
    TEXT = "text"
    HOLE = "hole"
    MARKUP = "markup"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a template: literal text, a hole, or markup that writes nothing.

    `text` is what literal text writes (escapes undone); holes and markup have none.
    """

    kind: PieceKind
    span: Span
    text: str = ""
    expression: Expression | None = None


@dataclass(frozen=True, slots=True)
class Emit:
    """Write a piece."""

    piece: int


@dataclass(frozen=True, slots=True)
class Arm:
    test: Expression | None
    span: Span
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """Write the first arm whose test holds; an arm without test always holds."""

    arms: tuple[Arm, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Loop:
    """Write the body for each item; `span` is the iterated expression's."""

    targets: tuple[str, ...]
    iterated: Expression
    span: Span
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Set:
    """Give names a value; `value` None means that the body's text is the value."""

    names: tuple[str, ...]
    value: Expression | None
    span: Span
    body: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Scoped:
    """A body with names of its own (`with`)."""

    values: tuple[Set, ...]
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Macro:
    name: str
    parameters: tuple[str, ...]
    defaults: tuple[Expression, ...]
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class CallBlock:
    """Call a macro with a body, which the macro writes where it calls `caller()`."""

    call: Expression
    span: Span
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Include:
    """Write another file. More than one name: the first that exists."""

    files: tuple[str, ...]
    span: Span
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Import:
    """Take macros and values of another file: under one name, or by name (name, alias)."""

    file: str | None
    span: Span
    alias: str | None = None
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Extends:
    file: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Block:
    name: str
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Role:
    """From here on, or inside `body` when there is one, text belongs to this role's message."""

    role: str
    span: Span
    body: tuple[Node, ...] | None = None


Node = Emit | Branch | Loop | Set | Scoped | Macro | CallBlock | Include | Import | Extends | Block | Role


@dataclass(frozen=True, slots=True)
class Heading:
    """From here to `end` the text plays a part.

    A heading with a role begins a new message; one without an end lasts until the next role. A heading with a
    section lies inside a message: a Markdown heading ends at the next one of the same or a higher rank, at a
    role marker, or with the element around it; a tag ends behind its closing tag.
    """

    span: Span
    role: str | None
    section: Section | None
    end: int | None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a reader could not read, with the place and what to do about it."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Template:
    """One string with holes, cut by a dialect."""

    dialect: str
    pieces: tuple[Piece, ...]
    body: tuple[Node, ...]
    problems: tuple[Problem, ...] = ()
    headings: tuple[Heading, ...] = ()
