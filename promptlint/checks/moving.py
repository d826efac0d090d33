"""A line moved below the text that stays the same, where that leaves sentences, lists and code whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

from promptlint.checks.passage import HOLE, Line, Passage, Passages
from promptlint.checks.prose import (
    heading_rank,
    is_apart,
    is_entry,
    is_fence_open,
    is_heading,
    is_item,
    is_prose,
    is_whole,
    least_indent,
    next_line,
)
from promptlint.finding import Edit, Fix, Safety
from promptlint.layout.appraisal import Culprit, Horizon
from promptlint.layout.horizons import horizons, is_known, survives
from promptlint.prompt import Prompt
from promptlint.source import Place, Span

_SENTENCES = re.compile(r"[.!?…][\"'”’)\]]{0,3}\s+(?=\S)|[。！？](?=.)")
_ELEMENT = re.compile(r"<([A-Za-z][\w.-]*)[^<>]*>.*</\1>|[^<>]*")
_FRAMES = re.compile(r"<\||\|>|\[/?INST\]|\{%|%\}|\{#|#\}")
_TRIMS = re.compile(r"\{[{%][-~]|[-~][}%]\}")
_POINTS = re.compile(r"(?i)\b(?:above|below|following|preceding|previous|earlier|latter|former|aforementioned)\b")
_GOES_ON = re.compile(
    r"(?i)(?:it|its|this|that|these|those|they|their|he|his|she|her|then|also|however|but|and|or|so|therefore|thus|"
    r"otherwise|here|there|instead|use (?:it|this|that|these|them))\b"
)
_ROLE = re.compile(r"(?i)(?:you(?! have\b)|act|play|pretend|imagine|i am|i'm)\b")
_COMMENT_ENDS = ("#}", "-->", "--}}")
_SAYS_WHAT_IS = re.compile(rf"(?i)(?:it(?:'s| is| was)|this is|here (?:is|are)|these are|there (?:is|are))\b.*{HOLE}")


def moved_below(culprit: Culprit, prompt: Prompt, passages: Passages) -> tuple[Fix, ...]:
    """Move the line of a value behind the last line of its passage that stays the same over the culprit's horizon.

    With the line moves what introduces it; lines under a heading or in an element that all hold values move with
    that. None where it is not certain that the line is whole, or that no sentence below speaks of it.
    """
    if prompt.rendered or culprit.guard is not None or not culprit.blocks:
        return ()
    passage = passages.around(culprit.segments[0])
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
    while first and not is_apart(lines[first - 1]) and is_entry(lines[first]):
        first -= 1
    while last + 1 < len(lines) and not is_apart(lines[last + 1]) and is_entry(lines[last]):
        last += 1
    entries = all(is_entry(line) and is_whole(line) for line in lines[first : last + 1])
    level = {line.level for line in lines[first : last + 1]}
    above, below = (next_line(lines, number, by) for number, by in ((first, -1), (last, 1)))
    listed = any(each is not None and is_item(lines[each]) for each in (above, below))
    if first == last or not entries or len(level) > 1 or listed or lines[first].prose[0].islower():
        return None
    if above is not None and (is_heading(lines[above]) or lines[above].prose.endswith(":")):
        return None
    return range(first, last + 1)


def _line(lines: Sequence[Line], at: int) -> range | None:
    """A line that is one whole sentence or entry, with the line that introduces it."""
    line, first = lines[at], at
    if not is_prose(line) or _SENTENCES.search(line.prose) or not _ELEMENT.fullmatch(line.prose):
        return None
    above = next_line(lines, at, -1)
    if above is not None and lines[above].prose.endswith(":") and not is_heading(lines[above]):
        if not is_prose(lines[above]) or lines[above].level != line.level:
            return None
        first, above = above, next_line(lines, above, -1)
    while above is not None and is_entry(lines[above]):
        above = next_line(lines, above, -1)
    if above is not None and is_heading(lines[above]):
        return None  # what stands first under a heading is what it is about
    begins = lines[first].prose
    leans = _GOES_ON.match(begins) and not _SAYS_WHAT_IS.match(begins) and not begins.endswith(":")
    if begins[0].islower() or leans or _ROLE.match(begins):
        return None
    if first and not (is_apart(lines[first - 1]) or is_whole(lines[first - 1])):
        return None
    goes_on = at + 1 < len(lines) and not is_apart(lines[at + 1])
    if goes_on and (not is_whole(line) or lines[at + 1].prose[0].islower()):
        return None
    return range(first, at + 1)


def _section(lines: Sequence[Line], at: int) -> range | None:
    """A Markdown section whose lines all hold values."""
    heading = next((number for number in range(at, -1, -1) if heading_rank(lines[number])), None)
    if heading is None or heading == at:
        return None
    end = next((number for number in range(heading + 1, len(lines)) if is_heading(lines[number])), len(lines))
    body = [number for number in range(heading + 1, end) if lines[number].prose]
    level = lines[heading].level
    if not body or not all(is_entry(lines[number]) and lines[number].after == level for number in body):
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
    if last is None or lines[last].after != level[:-1] or not all(is_entry(line) for line in body if line.prose):
        return None
    return range(first, last + 1)


def _target(lines: Sequence[Line], unit: range, over: Horizon) -> int | None:
    """The line behind which the unit goes: the end of the paragraph that holds the last text that stays."""
    level, limit = lines[unit.start].level, _limit(lines, unit)
    stays = next((number for number in range(limit - 1, unit.stop - 1, -1) if _stays(lines[number], over)), None)
    if stays is None:
        return None
    for number in range(stays, limit):
        ends = number + 1 == len(lines) or is_apart(lines[number + 1])
        ends |= number + 1 == limit and is_whole(lines[number]) and not is_item(lines[number])
        if ends and lines[number].after == level and not is_fence_open(lines, number):
            return number if lines[number].ended and not lines[number].prose.endswith(":") else None
    return None


def _limit(lines: Sequence[Line], unit: range) -> int:
    """The first line behind the element and the section that the unit stands in, or that changes more often.

    Below a value that changes more often, the unit would be fresh where it is not now.
    """
    level, rank = lines[unit.start].level, heading_rank(lines[unit.start])
    under = not rank and any(is_heading(line) for line in lines[: unit.start] if line.level == level)
    held = [segment for number in unit for segment in lines[number].segments]
    kept = [over for over in horizons() if all(survives(segment, over) for segment in held)]
    for number in range(unit.stop, len(lines)):
        line = lines[number]
        if HOLE in line.prose and not all(survives(segment, over) for segment in line.segments for over in kept):
            return number
        if line.level[: len(level)] != level or line.after[: len(level)] != level:
            return number
        if (under and is_heading(line)) or (rank and 0 < heading_rank(line) < rank):
            return number
    return len(lines)


def _is_certain(passage: Passage, unit: range, target: int) -> bool:
    lines = passage.lines
    moved, crossed = [lines[number] for number in unit], lines[unit.stop : target + 1]
    if not all(line.is_crossable for line in crossed) or not all(line.is_as_written for line in moved):
        return False
    if passage.source.text[: moved[0].span.start].rstrip().endswith(_COMMENT_ENDS):
        return False
    written = [passage.source.slice(line.span) for line in moved]
    if any(_FRAMES.search(line.prose) for line in moved) or any(_TRIMS.search(text) for text in written):
        return False
    if any("\\" in line.prose or (_POINTS.search(line.prose) and not line.prose.endswith(":")) for line in moved):
        return False
    first = next(line.prose for line in crossed if line.prose)
    behind = next((line for line in lines[target + 1 :] if line.prose), None)
    goes_on = behind is not None and (is_item(behind) or behind.indent > least_indent(lines))
    splits = goes_on and (is_item(lines[target]) or lines[target].indent > least_indent(lines))
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
    inside = all(line.prose for line in lines[unit.stop : target + 1]) and not is_apart(last) and not is_item(last)
    inside &= last.indent <= least_indent(lines)
    text = text if inside else end + text
    if source.text[last.span.end - 1] not in "\r\n":
        text = end + text.removesuffix(end)
    elif target + 1 < len(lines) and (below := lines[target + 1].prose) and not below.startswith("</"):
        text += "" if inside and not is_heading(lines[target + 1]) else end
    out = Span(lines[unit.start].span.start, lines[stop - 1].span.end)
    into = Span(last.span.end, last.span.end)
    return Edit(Place(source, out), ""), Edit(Place(source, into), text)


def _stays(line: Line, over: Horizon) -> bool:
    """Whether a line says something that stays, and does not only lead to what is below it."""
    if not line.prose.strip(HOLE) or is_heading(line) or line.prose.endswith(":") or line.after != line.level:
        return False
    return all(survives(segment, over) and is_known(segment) for segment in line.segments)
