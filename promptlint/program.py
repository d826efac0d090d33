"""What a program says, in one form for Python and TypeScript: statements over the expressions that prompts use.

Only what can carry text to a prompt is kept. A loop over anything is a loop, a switch is a branch, and an anonymous
function is a named one that is defined where it is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from promptlint.expression import Expression
from promptlint.source import Span

PYTHON_SUFFIXES = frozenset({".py", ".pyi"})
SCRIPT_SUFFIXES = frozenset({".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"})


def is_python(path: str) -> bool:
    """Whether a file's name says that it is Python."""
    return PurePath(path).suffix.lower() in PYTHON_SUFFIXES


def is_script(path: str) -> bool:
    """Whether a file's name says that it is TypeScript or JavaScript."""
    return PurePath(path).suffix.lower() in SCRIPT_SUFFIXES


class ParameterKind(StrEnum):
    PLAIN = "plain"
    KEYWORD = "keyword"
    REST = "rest"
    KEYWORDS = "keywords"


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    """`fields` names what a destructured parameter takes apart: `({ user, query }) => ...`."""

    name: str
    span: Span
    default: Expression | None = None
    kind: ParameterKind = ParameterKind.PLAIN
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A function, method or anonymous function; `span` is its name's."""

    name: str
    parameters: tuple[FunctionParameter, ...]
    body: tuple[Statement, ...]
    span: Span
    decorators: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Class:
    name: str
    bases: tuple[Expression, ...]
    body: tuple[Statement, ...]
    span: Span
    decorators: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Assign:
    """`target` is a name, an attribute, an index, or a series of those that takes the value apart."""

    target: Expression
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Augment:
    """`target += value`; any other operator has an `Unknown` around both as its value."""

    target: Expression
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Do:
    """An expression for its effect."""

    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Yield:
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Leave:
    """The way through the body ends here: raise, break, continue."""

    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """`test` None stands for what only a run decides, such as an exception."""

    test: Expression | None
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    """Once for each item; `iterated` None for a loop over a condition."""

    targets: tuple[str, ...]
    iterated: Expression | None
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Define:
    what: Function | Class


@dataclass(frozen=True, slots=True)
class ImportFrom:
    """Names (name, alias) out of a module, or the module itself as `alias` when there are none.

    `module` is written as the language does: "..a.b" in Python, "./a/b" in TypeScript. The name "*" takes all, and
    `exported` says that what is taken is handed on.
    """

    module: str
    span: Span
    names: tuple[tuple[str, str], ...] = ()
    alias: str = ""
    exported: bool = False


Statement = Assign | Augment | Do | Return | Yield | Leave | If | For | Define | ImportFrom


@dataclass(frozen=True, slots=True)
class Module:
    """`exports` maps names that other modules use to those that this one uses, where the two differ ("default")."""

    language: str
    body: tuple[Statement, ...]
    exports: tuple[tuple[str, str], ...] = ()
