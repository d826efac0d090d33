"""Which row of the tables a call, a dotted path or a command belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from promptlint.expression import Attribute, Bound, Call, Expression, Literal, Name, children
from promptlint.lifetimes.names import snake
from promptlint.lifetimes.table import Row, Table

_MOST_PARTS = 300
"""Parts of a command that are looked at."""


def row_of_call(path: Sequence[str], table: Table) -> Row | None:
    """The row of a call of the function at a dotted path, matched by its last parts; None when there is none.

    A spelling of one part is a bare call: `now` is not `clock.now`. `*.name` is a method of anything.
    """
    for spelling in (tuple(path), tuple(snake(part) for part in path)):
        methods = [("*", spelling[-1])] if len(spelling) > 1 else []
        for suffix in (*_suffixes(spelling), *methods):
            row = table.calls.get(suffix)
            # JavaScript's `Set` keeps the order in which its items came.
            if row is not None and not (row.kind == "order" and spelling != tuple(path)):
                return row
    return None


def row_of_path(path: Sequence[str], table: Table) -> Row | None:
    """The row of a dotted path that starts with one of the tables' paths, such as `process.env.HOME`.

    A key with dots is a path of its own: `states['sensor.door']`.
    """
    path = [word for step in path for word in step.split(".")]
    for end in range(len(path), 0, -1):
        if (row := table.paths.get(tuple(path[:end]))) is not None:
            return row
    return None


def writes_arguments(path: Sequence[str], table: Table) -> bool:
    """Whether a function only makes a text of what it is given."""
    return any(suffix in table.same for suffix in _suffixes(path))


def runs_commands(path: Sequence[str], table: Table) -> bool:
    """Whether a function runs a command of the shell."""
    return any(suffix in table.runners for suffix in _suffixes(path))


def reads_file(function: Expression, table: Table) -> bool:
    """Whether a function gives what a file holds."""
    match function:
        case Name(id=name) | Attribute(name=name):
            return name in table.readers
    return False


def row_of_command(call: Call, table: Table) -> tuple[Row, str] | None:
    """The row of the command that a call runs, with the command's text; None when it is not in the tables."""
    words = " ".join(_texts(call.arguments[0])).split() if call.arguments else []
    for end in range(len(words), 0, -1):
        if (row := table.commands.get(tuple(words[:end]))) is not None:
            return row, " ".join(words)
    return None


def _suffixes(path: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The whole path and every end of it that has two parts or more: one part alone is a bare name."""
    for start in range(len(path)):
        if start == 0 or len(path) - start > 1:
            yield tuple(path[start:])


def _texts(expression: Expression) -> list[str]:
    """Texts that a command is made of, in order, as far as is looked."""
    found, left = [], [expression]
    for _ in range(_MOST_PARTS):
        if not left:
            break
        match left.pop():
            case Bound(value=value):
                left.append(value)
            case Literal(value=value):
                found += [value] if isinstance(value, str) else []
            case part:
                left.extend(reversed(children(part)))
    return found
