"""A string with holes, cut by its dialect, with the headings and role markers in its text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module

from promptlint.prompt import Section
from promptlint.sections import headings
from promptlint.template import Arm, Branch, Extends, Heading, Import, Include, Node, PieceKind, Template

DIALECTS = {
    "jinja": "promptlint.dialects.jinja",
    "strformat": "promptlint.dialects.strformat",
    "braces": "promptlint.dialects.braces",
    "macros": "promptlint.dialects.macros",
    "handlebars": "promptlint.dialects.handlebars",
    "none": "promptlint.dialects.plain",
}
"""Dialect names with the module whose `cut` reads them; a dialect is imported when it is met."""

_NEEDS_A_HOLE = (Section.HISTORY, Section.RETRIEVED, Section.USER)


def template_of(text: str, start: int, end: int, dialect: str) -> Template:
    """text[start:end] as a template of the dialect; spans are offsets into `text`."""
    cut: Callable[[str, int, int], Template] = import_module(DIALECTS[dialect]).cut
    template = cut(text, start, end)
    return replace(template, headings=_headings(template, text, start, end))


def wanted(template: Template) -> tuple[str, ...]:
    """Names of the files that a template includes, imports or extends, each once."""
    return tuple(dict.fromkeys(_wanted(template.body)))


def _headings(template: Template, text: str, start: int, end: int) -> tuple[Heading, ...]:
    """Headings in the literal text; what stands in holes and tags is blanked out first.

    A part that comes from outside has a hole in it: without one, "## User request" only describes what one looks like.
    """
    blank = [character if character in "\r\n" else " " for character in text[start:end]]
    for piece in template.pieces:
        if piece.kind is PieceKind.TEXT:
            blank[piece.span.start - start : piece.span.end - start] = text[piece.span.start : piece.span.end]
    holes = [piece.span.start for piece in template.pieces if piece.kind is PieceKind.HOLE]
    literal = " " * start + "".join(blank)
    return tuple(found for found in headings(literal, start, end) if _is_real(found, holes, end))


def _is_real(heading: Heading, holes: Sequence[int], end: int) -> bool:
    if heading.section not in _NEEDS_A_HOLE:
        return True
    first = bisect_left(holes, heading.span.end)
    return first < len(holes) and holes[first] < (heading.end or end)


def _wanted(body: tuple[Node, ...]) -> Iterator[str]:
    stack: list[Node | Arm] = list(reversed(body))
    while stack:
        node = stack.pop()
        match node:
            case Include(files=files):
                yield from files
            case Import(file=str() as file) | Extends(file=str() as file):
                yield file
            case Branch(arms=arms):
                stack.extend(reversed(arms))
        stack.extend(reversed(getattr(node, "body", None) or ()))
        stack.extend(reversed(getattr(node, "otherwise", ())))
