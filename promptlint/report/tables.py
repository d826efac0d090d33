"""Rows below a head, their columns aligned."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from promptlint.report.paint import width


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] = ()) -> Iterator[str]:
    """The lines of a table, its head first; columns in `right` are aligned to the right."""
    cells = [head, *rows]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = []
        for column, (cell, columns) in enumerate(zip(row, widths, strict=True)):
            space = " " * (columns - width(cell))
            padded.append(space + cell if column in right else cell + space)
        yield "  ".join(padded).rstrip()
