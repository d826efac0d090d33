"""A line moved below the text that stays the same, where that leaves sentences, lists and code whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

from promptlint.checks.passage import HOLE, Line, Passage, is_as_written, passage_around
from promptlint.finding import Edit, Fix, Safety
from promptlint.layout.appraisal import Appraisal, Culprit, Horizon
from promptlint.layout.horizons import is_known, survives
from promptlint.source import Place, Span

_LISTED = re.compile(r"(?:[-*+•>|]|\d{1,3}[.)]|[A-Za-z][.)])(?:\s|$)|\|")
_HEADING = re.compile(r"(?P<marks>#{1,6})\s|\*\*[^*]+\*\*:?$|__[^_]+__:?$|[-=_*#~]{3,}|\[[^\]]*\]:?$")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9 _/&-]+:?")
_ENDS = re.compile(r"[.!?…。！？][\"'”’)\]*_`]*$")
_SENTENCES = re.compile(r"[.!?…][\"'”’)\]]{0,3}\s+(?=\S)|[。！？](?=.)")
_LABEL = re.compile(rf"[^.!?:]{{1,50}}:[*_]*\s*\S.*|{HOLE}")
_ELEMENT = re.compile(r"<([A-Za-z][\w.-]*)[^<>]*>.*</\1>|[^<>]*")
_FRAMES = re.compile(r"<\||\|>|\[/?INST\]|\{%|%\}|\{#|#\}")
_TRIMS = re.compile(r"\{[{%][-~]|[-~][}%]\}")
_POINTS = re.compile(r"(?i)\b(?:above|below|following|preceding|previous|earlier|latter|former|aforementioned)\b")
_POINTS_UP = re.compile(r"(?i)\b(?:above|preceding|aforementioned)\b")
_GOES_ON = re.compile(
    r"(?i)(?:it|its|this|that|these|those|they|their|he|his|she|her|then|also|however|but|and|or|so|therefore|thus|"
    r"otherwise|here|there|instead|use (?:it|this|that|these|them))\b"
)
_ROLE = re.compile(r"(?i)(?:you(?! have\b)|act|play|pretend|imagine|i am|i'm)\b")
_COMMENT_ENDS = ("#}", "-->", "--}}")
_SAYS_WHAT_IS = re.compile(rf"(?i)(?:it(?:'s| is| was)|this is|here (?:is|are)|these are|there (?:is|are))\b.*{HOLE}")


def moved_below(culprit: Culprit, appraisal: Appraisal) -> tuple[Fix, ...]:
    """Move the line of a value behind the last line of its passage that stays the same over the culprit's horizon.

    With the line moves what introduces it; lines under a heading or in an element that all hold values move with
    that. None where it is not certain that the line is whole, or that no sentence below speaks of it.
    """
    prompt = appraisal.prompt
    if prompt.rendered or culprit.guard is not None or not culprit.blocks:
        return ()
    passage = passage_around(prompt.segments, culprit.segments[0])
    if passage is None:
        return ()
    for unit in _units(passage):
        target = _target(passage.lines, unit, culprit.horizon)
        if target is not None and _is_certain(passage, unit, target):
            edits = _edits(passage, unit, target)
            return (Fix("move it below the text that stays the same", Safety.UNSAFE, edits, moves=True),)
    return ()


def _units(passage: Passage) -> list[range]:
    """What can move as one, smallest first."""
    lines, at = passage.lines, passage.at
    found = (_paragraph(lines, at) or _line(lines, at), _section(lines, at), _element(passage))
    return [unit for unit in found if unit is not None]


def _paragraph(lines: Sequence[Line], at: int) -> range | None:
    """Lines of a paragraph that all hold values, such as a list of the time, the user and the session."""
    first = last = at
    while first and not _is_apart(lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and not _is_apart(lines[last + 1]):
        last += 1
    entries = all(_is_entry(line) and _is_whole(line) for line in lines[first : last + 1])
    level = {line.level for line in lines[first : last + 1]}
    above, below = (_next(lines, number, by) for number, by in ((first, -1), (last, 1)))
    listed = any(each is not None and _is_item(lines[each]) for each in (above, below))
    if first == last or not entries or len(level) > 1 or listed or lines[first].prose[0].islower():
        return None
    if above is not None and (_is_heading(lines[above]) or lines[above].prose.endswith(":")):
        return None
    return range(first, last + 1)


def _line(lines: Sequence[Line], at: int) -> range | None:
    """A line that is one whole sentence or entry, with the line that introduces it."""
    line, first = lines[at], at
    if not _is_prose(line) or _SENTENCES.search(line.prose) or not _ELEMENT.fullmatch(line.prose):
        return None
    above = _next(lines, at, -1)
    if above is not None and lines[above].prose.endswith(":") and not _is_heading(lines[above]):
        if not _is_prose(lines[above]) or lines[above].level != line.level:
            return None
        first, above = above, _next(lines, above, -1)
    while above is not None and _is_entry(lines[above]):
        above = _next(lines, above, -1)
    if above is not None and _is_heading(lines[above]):
        return None  # what stands first under a heading is what it is about
    begins = lines[first].prose
    leans = _GOES_ON.match(begins) and not _SAYS_WHAT_IS.match(begins) and not begins.endswith(":")
    if begins[0].islower() or leans or _ROLE.match(begins):
        return None
    if first and not (_is_apart(lines[first - 1]) or _is_whole(lines[first - 1])):
        return None
    goes_on = at + 1 < len(lines) and not _is_apart(lines[at + 1])
    if goes_on and (not _is_whole(line) or lines[at + 1].prose[0].islower()):
        return None
    return range(first, at + 1)


def _section(lines: Sequence[Line], at: int) -> range | None:
    """A Markdown section whose lines all hold values."""
    heading = next((number for number in range(at, -1, -1) if _rank(lines[number])), None)
    if heading is None or heading == at:
        return None
    end = next((number for number in range(heading + 1, len(lines)) if _is_heading(lines[number])), len(lines))
    body = [number for number in range(heading + 1, end) if lines[number].prose]
    level = lines[heading].level
    if not body or not all(_is_entry(lines[number]) and lines[number].after == level for number in body):
        return None
    return range(heading, body[-1] + 1)


def _element(passage: Passage) -> range | None:
    """An element whose lines all hold values."""
    lines, level = passage.lines, passage.lines[passage.at].level
    if not level or level[-1] < 0:
        return None
    first = level[-1]
    last = next((number for number in range(first + 1, len(lines)) if len(lines[number].after) < len(level)), None)
    body = lines[first + 1 : last]
    if last is None or lines[last].after != level[:-1] or not all(_is_entry(line) for line in body if line.prose):
        return None
    return range(first, last + 1)


def _target(lines: Sequence[Line], unit: range, over: Horizon) -> int | None:
    """The line behind which the unit goes: the end of the paragraph that holds the last text that stays."""
    level, limit = lines[unit.start].level, _limit(lines, unit)
    stay = [number for number in range(unit.stop, limit) if _stays(lines[number], over)]
    if not stay:
        return None
    for number in range(stay[-1], limit):
        ends = number + 1 == len(lines) or _is_apart(lines[number + 1])
        if ends and lines[number].after == level and not _is_open(lines, number):
            return number if lines[number].ended and not lines[number].prose.endswith(":") else None
    return None


def _limit(lines: Sequence[Line], unit: range) -> int:
    """The first line behind the element and the section that the unit stands in."""
    level, rank = lines[unit.start].level, _rank(lines[unit.start])
    under = not rank and any(_is_heading(line) for line in lines[: unit.start] if line.level == level)
    for number in range(unit.stop, len(lines)):
        line = lines[number]
        if line.level[: len(level)] != level or line.after[: len(level)] != level:
            return number
        if (under and _is_heading(line)) or (rank and 0 < _rank(line) < rank):
            return number
    return len(lines)


def _is_certain(passage: Passage, unit: range, target: int) -> bool:
    lines = passage.lines
    moved, crossed = [lines[number] for number in unit], lines[unit.stop : target + 1]
    held = [segment for line in (*moved, *crossed) for segment in line.segments]
    if not all(is_as_written(segment) for segment in held) or any("\\" in line.prose for line in moved):
        return False
    if passage.source.text[: moved[0].span.start].rstrip().endswith(_COMMENT_ENDS):
        return False
    written = [passage.source.slice(line.span) for line in moved]
    if any(_FRAMES.search(line.prose) for line in moved) or any(_TRIMS.search(text) for text in written):
        return False
    if any(_POINTS.search(line.prose) for line in moved if not line.prose.endswith(":")):
        return False
    if any(_POINTS_UP.search(line.prose) or "<|" in line.prose for line in crossed):
        return False
    first = next(line.prose for line in crossed if line.prose)
    behind = next((line for line in lines[target + 1 :] if line.prose), None)
    goes_on = behind is not None and (_LISTED.match(behind.prose) or behind.indent > _base(lines))
    splits = goes_on and (_LISTED.match(lines[target].prose) or lines[target].indent > _base(lines))
    return not _GOES_ON.match(first) and not splits


def _edits(passage: Passage, unit: range, target: int) -> tuple[Edit, ...]:
    """Take the unit out, with the blank lines that set it apart, and put it in again."""
    source, lines = passage.source, passage.lines
    text = source.text[lines[unit.start].span.start : lines[unit.stop - 1].span.end]
    end = "\r\n" if text.endswith("\r\n") else "\n"
    alone = not lines[unit.stop].prose and (unit.start == 0 or not lines[unit.start - 1].prose)
    stop = unit.stop
    while alone and not lines[stop].prose:
        stop += 1
    last = lines[target]
    same = all(line.prose for line in lines[unit.stop : target + 1]) and not _is_apart(last) and not _is_item(last)
    text = text if same and last.indent <= _base(lines) else end + text
    if source.text[last.span.end - 1] not in "\r\n":
        text = end + text.removesuffix(end)
    elif target + 1 < len(lines) and lines[target + 1].prose and not lines[target + 1].prose.startswith("</"):
        text += end
    out = Span(lines[unit.start].span.start, lines[stop - 1].span.end)
    into = Span(last.span.end, last.span.end)
    return Edit(Place(source, out), ""), Edit(Place(source, into), text)


def _stays(line: Line, over: Horizon) -> bool:
    """Whether a line says something that stays, and does not only lead to what is below it."""
    if not line.prose.strip(HOLE) or _is_heading(line) or line.prose.endswith(":") or line.after != line.level:
        return False
    return all(survives(segment, over) and is_known(segment) for segment in line.segments)


def _is_prose(line: Line) -> bool:
    """Whether a line is neither part of a list, a table, a quotation or code, nor a heading."""
    return bool(line.prose) and not line.fenced and not _is_item(line) and not _is_heading(line) and line.ended


def _is_item(line: Line) -> bool:
    return _LISTED.match(line.prose) is not None


def _is_entry(line: Line) -> bool:
    return HOLE in line.prose and not line.fenced and line.ended


def _is_heading(line: Line) -> bool:
    capitals = _CAPITALS.fullmatch(line.prose) is not None
    return not line.fenced and (_HEADING.match(line.prose) is not None or capitals)


def _rank(line: Line) -> int:
    """The rank of a Markdown heading, 1 for the highest; 0 for any other line."""
    heading = None if line.fenced else _HEADING.match(line.prose)
    return len(heading["marks"] or "") if heading is not None else 0


def _is_apart(line: Line) -> bool:
    """Whether no sentence goes on from here to a line beside it."""
    return not line.prose or line.fenced or _is_heading(line) or line.after != line.level


def _is_whole(line: Line) -> bool:
    """Whether a line ends what it says."""
    return _ENDS.search(line.prose) is not None or _LABEL.fullmatch(line.prose) is not None


def _next(lines: Sequence[Line], at: int, step: int) -> int | None:
    """The next line up or down that is not blank."""
    numbers = range(at + step, len(lines) if step > 0 else -1, step)
    return next((number for number in numbers if lines[number].prose), None)


def _is_open(lines: Sequence[Line], number: int) -> bool:
    """Whether a code fence goes on behind a line."""
    return lines[number].fenced and sum(line.prose.startswith(("```", "~~~")) for line in lines[: number + 1]) % 2 == 1


def _base(lines: Sequence[Line]) -> int:
    return min((line.indent for line in lines if line.prose), default=0)
