"""What a line of a prompt is: part of a list, a heading, an entry that holds a value, a whole sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from promptlint.checks.passage import HOLE, Line

_LISTED = re.compile(r"(?:[-*+•>|]|\d{1,3}[.)]|[A-Za-z][.)])(?:\s|$)|\|")
_HEADING = re.compile(r"(?P<marks>#{1,6})\s|\*\*[^*]+\*\*:?$|__[^_]+__:?$|[-=_*#~]{3,}|\[[^\]]*\]:?$")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9 _/&-]+:?")
_ENDS = re.compile(r"[.!?…。！？][\"'”’)\]*_`]*$")
_LABEL = re.compile(rf"[^.!?:]{{1,50}}:[*_]*\s*\S.*|{HOLE}")


def is_prose(line: Line) -> bool:
    """Whether a line is neither part of a list, a table, a quotation or code, nor a heading."""
    return bool(line.prose) and not line.fenced and not is_item(line) and not is_heading(line) and line.ended


def is_item(line: Line) -> bool:
    return _LISTED.match(line.prose) is not None


def is_entry(line: Line) -> bool:
    return HOLE in line.prose and not line.fenced and line.ended


def is_heading(line: Line) -> bool:
    return not line.fenced and _reads_as_heading(line.prose)


def heading_rank(line: Line) -> int:
    """The rank of a Markdown heading, 1 for the highest; 0 for any other line."""
    heading = None if line.fenced else _HEADING.match(line.prose)
    return len(heading["marks"] or "") if heading is not None else 0


def is_apart(line: Line) -> bool:
    """Whether no sentence goes on from here to a line beside it."""
    return not line.prose or line.fenced or is_heading(line) or line.after != line.level


def is_whole(line: Line) -> bool:
    """Whether a line ends what it says."""
    return _ENDS.search(line.prose) is not None or _LABEL.fullmatch(line.prose) is not None


def next_line(lines: Sequence[Line], at: int, step: int) -> int | None:
    """The next line up or down that is not blank."""
    numbers = range(at + step, len(lines) if step > 0 else -1, step)
    return next((number for number in numbers if lines[number].prose), None)


def is_fence_open(lines: Sequence[Line], number: int) -> bool:
    """Whether a code fence goes on behind a line."""
    return lines[number].fenced and sum(line.prose.startswith(("```", "~~~")) for line in lines[: number + 1]) % 2 == 1


def least_indent(lines: Sequence[Line]) -> int:
    return min((line.indent for line in lines if line.prose), default=0)


@lru_cache(maxsize=4096)
def _reads_as_heading(prose: str) -> bool:
    return _HEADING.match(prose) is not None or _CAPITALS.fullmatch(prose) is not None
