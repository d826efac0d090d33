"""Macros between double braces: SillyTavern, Open WebUI, PromptL, Dify, Flowise, Semantic Kernel functions.

A bare word is a Name, a word with arguments a Call of it. A variable's `$` is not part of its name.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field

from promptlint.dialects.pieces import PieceList, follow
from promptlint.expression import Call, Expression, Literal, Name, Unknown
from promptlint.source import Span
from promptlint.template import Problem, Template

_BRACES = re.compile(r"\{\{|\}\}")
_COMMENT = re.compile(r"\s*(?://|!)")
_DIFY = re.compile(r"#([^\s#{}]+)#")
_WORD = re.compile(r"\s*\$?([^\W\d][\w\-]*(?:\.\w+)*)")
_UTC = re.compile(r"\s*(time_UTC)([+-]\d{1,2}(?::\d\d)?)\s*")
_SEPARATOR = re.compile(r"\s*::|\s*:|\s+")
_ARGUMENT = re.compile(r"""\s*(?:(\w+)=)?(?:\$(\w+(?:\.\w+)*)|"([^"]*)"|'([^']*)')(?!\S)""")

_UNCLOSED = "this {{ is not closed; add }}"


@dataclass(slots=True)
class _Tag:
    start: int
    end: int = 0
    inner: list[_Tag] = field(default_factory=list)


def cut(text: str, start: int, end: int) -> Template:
    """Pieces of text[start:end]; braces around anything that is no macro are literal text."""
    tags, problems = _tags(text, start, end)
    pieces = PieceList(text, start, end)
    tags.reverse()
    while tags:
        tag = tags.pop()
        if _COMMENT.match(text, tag.start + 2, tag.end - 2):
            pieces.text(tag.start)
            pieces.markup(tag.end)
        elif (expression := _macro(text, tag)) is not None:
            pieces.text(tag.start)
            pieces.hole(tag.end, expression)
        else:
            tags.extend(reversed(tag.inner))
    pieces.text(end)
    return pieces.template("macros", problems)


def _tags(text: str, start: int, end: int) -> tuple[list[_Tag], tuple[Problem, ...]]:
    """Outermost tags with the ones directly inside them, and what is not closed."""
    found: list[_Tag] = []
    opened: list[_Tag] = []
    for brace in _BRACES.finditer(text, start, end):
        if brace[0] == "{{":
            opened.append(_Tag(brace.start()))
        elif opened:
            tag = opened.pop()
            tag.end = brace.end()
            (opened[-1].inner if opened else found).append(tag)
    for tag in opened:
        found.extend(tag.inner)
    problems = tuple(Problem(Span(tag.start, tag.start + 2), _UNCLOSED) for tag in opened)
    return sorted(found, key=lambda tag: tag.start), problems


def _macro(text: str, tag: _Tag) -> Expression | None:
    """The macro between the braces; None for anything else."""
    at, end = tag.start + 2, tag.end - 2
    if dify := _DIFY.fullmatch(text, at, end):
        return _path(text, Span(*dify.span(1)))
    if utc := _UTC.fullmatch(text, at, end):
        offset = Literal(utc[2], Span(*utc.span(2)))
        return Call(Name(utc[1], Span(*utc.span(1))), (offset,), (), Span(utc.start(1), utc.end(2)))
    word = _WORD.match(text, at, end)
    if word is None:
        return None
    function = _path(text, Span(*word.span(1)))
    end -= len(text[word.end() : end]) - len(text[word.end() : end].rstrip())
    if word.end() == end:
        return function
    separator = _SEPARATOR.match(text, word.end(), end)
    if separator is None:
        return None
    span = Span(word.start(1), end)
    if not separator[0].strip() and (given := _variables(text, separator.end(), end)) is not None:
        arguments = tuple(value for name, value in given if not name)
        return Call(function, arguments, tuple((name, value) for name, value in given if name), span)
    rest = text[separator.end() : end]
    by = "::" if "::" in separator[0] else "," if "," in rest else ":"
    mark = by if separator[0].strip() else None
    return Call(function, tuple(_split(text, Span(separator.end(), end), mark, tag.inner)), (), span)


def _path(text: str, span: Span) -> Expression:
    steps: list[tuple[Span, str, bool]] = []
    head, *rest = text[span.start : span.end].split(".")
    at = span.start + len(head)
    for step in rest:
        steps.append((Span(at + 1, at + 1 + len(step)), step, False))
        at += 1 + len(step)
    return follow(Name(head, Span(span.start, span.start + len(head))), steps)


def _variables(text: str, at: int, end: int) -> list[tuple[str, Expression]] | None:
    """Semantic Kernel's arguments, `$name`, `"text"` and `name=...`; None when there is anything else."""
    given: list[tuple[str, Expression]] = []
    while at < end:
        argument = _ARGUMENT.match(text, at, end)
        if argument is None:
            return None
        group = 2 if argument[2] is not None else 3 if argument[3] is not None else 4
        first, last = argument.span(group)
        value = _path(text, Span(first, last)) if group == 2 else Literal(argument[group], Span(first - 1, last + 1))
        given.append((argument[1] or "", value))
        at = argument.end()
    return given


def _split(text: str, span: Span, by: str | None, inner: list[_Tag]) -> list[Expression]:
    """Arguments between separators; separators inside an inner macro do not count."""
    cuts = [span.start]
    if by is not None:
        shadowed = bytearray(span.end - span.start)
        for tag in inner:
            first = max(tag.start, span.start) - span.start
            shadowed[first : tag.end - span.start] = b"\1" * (tag.end - span.start - first)
        at = text.find(by, span.start, span.end)
        while at >= 0:
            if not shadowed[at - span.start]:
                cuts.append(at + len(by))
            at = text.find(by, at + len(by), span.end)
    width = len(by) if by else 0
    ends = [*(cut - width for cut in cuts[1:]), span.end]
    return [_argument(text, Span(*bounds), inner) for bounds in zip(cuts, ends, strict=True)]


def _argument(text: str, span: Span, inner: list[_Tag]) -> Expression:
    written = text[span.start : span.end]
    start = span.start + len(written) - len(written.lstrip())
    span = Span(start, start + len(written.strip()))
    first, last = (bisect_left(inner, bound, key=lambda tag: tag.start) for bound in (span.start, span.end))
    nested = inner[first:last]
    if not nested:
        return Literal(written.strip(), span)
    values = (_simple(text, tag) for tag in nested)
    return Unknown(tuple(value for value in values if value is not None), span)


def _simple(text: str, tag: _Tag) -> Expression | None:
    """An inner macro; what stands inside that one in turn is not looked at."""
    return _macro(text, _Tag(tag.start, tag.end)) if not tag.inner else Unknown((), Span(tag.start, tag.end))
