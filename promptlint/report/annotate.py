"""Source lines with what is to be said about spans of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise

from promptlint.report.mask import mask
from promptlint.report.paint import Paint, escaped, width
from promptlint.source import Place, Source, Span

_TAB = 4
_WIDEST = 160
"""Columns of source text that one line may take."""
_NEAR = 40
"""Ends of spans closer than so many characters share a window of a cut line."""

Style = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Mark:
    """A span and what is said about it."""

    place: Place
    label: str
    primary: bool = False


@dataclass(frozen=True, slots=True)
class _Bar:
    """A mark's part in one line: in characters of the line first, in columns once the line is laid out."""

    start: int
    end: int
    label: str
    primary: bool


def gutter(marks: Sequence[Mark]) -> int:
    """Columns that the line numbers of an annotation take."""
    lines = (line for mark in marks for line, _ in _bars(_shown(mark.place.source), mark))
    return len(str(max(lines, default=1)))


def annotate(marks: Sequence[Mark], style: Style, paint: Paint) -> Iterator[str]:
    """The lines that hold the marks, a block for each source, the first mark's first.

    Carets in `style` stand under primary spans, dashes under the others. A span over several lines shows its first
    line, which has the label, and its last one.
    """
    margin = " " * (gutter(marks) + 1)
    sources = {id(mark.place.source): mark.place.source for mark in marks}
    for arrow, source in zip(["-->", *[":::"] * len(sources)], sources.values(), strict=False):
        mine = [mark for mark in marks if mark.place.source is source]
        yield f"{margin}{paint.frame(arrow)} {location(mine[0].place)}"
        yield paint.frame(f"{margin} |")
        yield from _body(source, mine, len(margin), style, paint)
        yield paint.frame(f"{margin} |")


def location(place: Place) -> str:
    """`path:line:column` of where a place starts."""
    at = place.source.position(place.span.start)
    return f"{escaped(place.source.path)}:{at.line}:{at.column}"


def said(text: str) -> str:
    """A message on one line, without secrets, and harmless to a terminal."""
    return escaped(mask(" ".join(text.split())))


def _body(source: Source, marks: Sequence[Mark], margin: int, style: Style, paint: Paint) -> Iterator[str]:
    source = _shown(source)
    lines: dict[int, list[_Bar]] = {}
    for mark in marks:
        for line, bar in _bars(source, mark):
            lines.setdefault(line, []).append(bar)
    previous = None
    for line, bars in sorted(lines.items()):
        if previous and line == previous + 2:
            yield _row(line - 1, _lay_out(source.line(line - 1), [0])[0], margin, paint)
        elif previous and line > previous + 2:
            yield paint.frame("...")
        text, columns = _lay_out(source.line(line), [end for bar in bars for end in (bar.start, bar.end)])
        yield _row(line, text, margin, paint)
        for row in _remarks([_in_columns(bar, columns) for bar in bars], style, paint):
            yield paint.frame(" " * margin + " |") + " " + row
        previous = line


def _row(number: int, text: str, margin: int, paint: Paint) -> str:
    return paint.frame(f"{number:>{margin}} |") + f" {text}".rstrip()


@lru_cache(maxsize=16)
def _shown(source: Source) -> Source:
    """The source with its secrets masked: masking line by line would miss those that span several."""
    text = mask(source.text)
    return source if text is source.text else Source(source.path, text)


def _bars(source: Source, mark: Mark) -> Iterator[tuple[int, _Bar]]:
    """The mark's parts by line: one, or its first and last line."""
    span = _trimmed(mark.place.span, source.text)
    first, last = source.position(span.start), source.position(span.end)
    text = source.line(first.line)
    start = min(first.column - 1, len(text))
    if first.line == last.line:
        yield first.line, _Bar(start, min(last.column - 1, len(text)), mark.label, mark.primary)
        return
    yield first.line, _Bar(start, len(text), mark.label, mark.primary)
    text = source.line(last.line)[: last.column - 1]
    yield last.line, _Bar(len(text) - len(text.lstrip()), len(text), "", mark.primary)


def _trimmed(span: Span, text: str) -> Span:
    """The span inside the text, without blank lines around it: they would be underlined for nothing."""
    start = min(max(span.start, 0), len(text))
    end = min(max(span.end, start), len(text))
    held = text[start:end]
    if not held.strip():
        return Span(start, start if "\n" in held or "\r" in held else end)
    before, after = len(held) - len(held.lstrip()), len(held.rstrip())
    breaks = ("\n", "\r")
    return Span(
        start + before if any(char in held[:before] for char in breaks) else start,
        start + after if any(char in held[after:] for char in breaks) else end,
    )


def _in_columns(bar: _Bar, columns: Mapping[int, int]) -> _Bar:
    start = columns[bar.start]
    return _Bar(start, max(columns[bar.end], start + 1), bar.label, bar.primary)


def _lay_out(line: str, anchors: Sequence[int]) -> tuple[str, dict[int, int]]:
    """The line as it is shown, and the column at which each anchor (an offset into the line) stands in it."""
    parts: list[str] = []
    columns: dict[int, int] = {}
    at = shown = 0
    for start, end in _windows(line, sorted(set(anchors))):
        if start > shown:
            parts.append("…")
            at += 1
        for offset in range(start, end):
            columns[offset] = at
            cell = " " * (_TAB - at % _TAB) if line[offset] == "\t" else escaped(line[offset])
            parts.append(cell)
            at += width(cell)
        columns[end] = at
        shown = end
    if shown < len(line):
        parts.append("…")
    return "".join(parts), columns


def _windows(line: str, anchors: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The parts of a line that are shown: all of it, or what stands around the anchors when it is too long."""
    if len(line) <= _WIDEST and sum(map(_room, line)) <= _WIDEST:
        yield 0, len(line)
        return
    apart = 1 + sum(after - before > _NEAR for before, after in pairwise(anchors))
    reach = max(12, (_WIDEST - _NEAR * apart) // (2 * apart))
    start, end = _walk(line, anchors[0], -1, reach), _walk(line, anchors[0], 1, reach)
    for anchor in anchors[1:]:
        left, right = _walk(line, anchor, -1, reach), _walk(line, anchor, 1, reach)
        if left > end + 3:
            yield start, end
            start = left
        end = max(end, right)
    yield start, end


def _walk(line: str, at: int, step: int, columns: int) -> int:
    """The offset that lies so many columns to the left or right of another one, or the line's end."""
    while 0 < at + (step > 0) <= len(line):
        columns -= max(1, _room(line[at - (step < 0)]))
        if columns < 0:
            break
        at += step
    return at


def _room(char: str) -> int:
    return _TAB if char == "\t" else width(escaped(char))


def _remarks(bars: Sequence[_Bar], style: Style, paint: Paint) -> Iterator[str]:
    """The rows below a line: its underlines with the last label beside them, then the other labels, right to left."""
    signs = [" "] * max(bar.end for bar in bars)
    for bar in sorted(bars, key=lambda bar: bar.primary):
        signs[bar.start : bar.end] = ("^" if bar.primary else "-") * (bar.end - bar.start)
    last = max(bars, key=lambda bar: (bar.end, bar.start, bar.primary))
    styles: dict[str, Style] = {"^": style, "-": paint.frame, " ": str}
    underlines = "".join(styles[sign]("".join(run)) for sign, run in groupby(signs))
    yield underlines + (" " + _label(last, style, paint) if last.label else "")

    below = sorted((bar for bar in bars if bar.label and bar is not last), key=lambda bar: bar.start)
    if below:
        yield _hung(below, style, paint)
    for index in reversed(range(len(below))):
        bar = below[index]
        left = [other for other in below[:index] if other.start < bar.start]
        lead = max((other.start + 1 for other in left), default=0)
        yield _hung(left, style, paint) + " " * (bar.start - lead) + _label(bar, style, paint)


def _hung(bars: Sequence[_Bar], style: Style, paint: Paint) -> str:
    """The strokes that lead from spans down to their labels."""
    row, at = "", 0
    for bar in bars:
        if bar.start >= at:
            row += " " * (bar.start - at) + (style if bar.primary else paint.frame)("|")
            at = bar.start + 1
    return row


def _label(bar: _Bar, style: Style, paint: Paint) -> str:
    return (style if bar.primary else paint.frame)(said(bar.label))
