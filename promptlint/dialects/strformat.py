"""Python's `str.format` templates, which LangChain calls f-string templates.

The scanner follows CPython's `MarkupIterator_next` and `parse_field` (Objects/stringlib/unicode_format.h), which
give no positions to Python code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from promptlint.dialects.pieces import cut_at_braces, follow
from promptlint.expression import Expression, Format, Name, Unknown
from promptlint.source import Span
from promptlint.template import Problem, Template

_BRACE = re.compile(r"[{}]")
_NAME_END = re.compile(r"[{\[}:!]")
_HEAD = re.compile(r"[^.\[]*")
_STEP = re.compile(r"\.([^.\[]+)|\[([^\]]+)\]")
_NAME = re.compile(r"[^\W\d][\w \-]*")
_POSITION = re.compile(r"\d*")

_LONGEST_KEY = 200
_LONGEST_SPEC = 500

_STRAY_CLOSE = "this } closes nothing; write }} for a literal brace"
_STRAY_OPEN = "this { is not closed; add } or write {{ for a literal brace"
_NO_NAME = "what follows this { is not the name of a field; write {{ and }} for literal braces"


@dataclass(frozen=True, slots=True)
class ReplacementField:
    """One `{name!conversion:spec}`: spans of the whole, of the name and of the specification (None without)."""

    span: Span
    name: Span
    spec: Span | None


def cut(text: str, start: int, end: int) -> Template:
    """Pieces of text[start:end]; a broken brace is literal text and a problem at its position."""
    broken = _Broken()

    def read(at: int) -> tuple[int, Expression | str]:
        brace = text[at]
        if text.startswith(brace * 2, at, end) and not broken.both(brace):
            return at + 2, brace
        field = field_at(text, at, end) if brace == "{" else None
        expression = _value(text, field) if field else None
        if field is not None and expression is not None:
            return field.span.end, expression
        broken.add(at, brace)
        return at + 1, brace

    pieces = cut_at_braces(text, start, end, read)
    return pieces.template("strformat", broken.problems())


class _Broken:
    """Single braces that are no field's. What nests in a pair of them, as JSON does, is one problem with it."""

    def __init__(self) -> None:
        self._open: list[tuple[int, int]] = []
        self._doubled: list[int] = []
        self._found: list[Problem] = []

    def add(self, at: int, brace: str) -> None:
        if brace == "{":
            self._open.append((at, len(self._found)))
        elif self._open:
            opened, before = self._open.pop()
            del self._found[before:]
            self._found.append(Problem(Span(opened, opened + 1), _NO_NAME))
        else:
            self._found.append(Problem(Span(at, at + 1), _STRAY_CLOSE))

    def both(self, brace: str) -> bool:
        """Whether two braces in a row are two of JSON's and not one that is doubled."""
        if brace == "{":
            if self._open:
                self._doubled.append(len(self._open))
            return False
        if self._doubled and self._doubled[-1] >= len(self._open):
            self._doubled.pop()
            return False
        return len(self._open) > 1

    def problems(self) -> tuple[Problem, ...]:
        unclosed = (Problem(Span(at, at + 1), _STRAY_OPEN) for at, _ in self._open)
        return tuple(sorted((*self._found, *unclosed), key=lambda problem: problem.span))


def field_at(text: str, at: int, end: int) -> ReplacementField | None:
    """The field whose `{` stands at `at`; None when it is not closed as `str.format` asks for."""
    stop = at + 1
    while (found := _NAME_END.search(text, stop, end)) and found[0] == "[":
        closing = text.find("]", found.end(), min(end, found.end() + _LONGEST_KEY))
        if closing < 0:
            return None
        stop = closing + 1
    if found is None or found[0] == "{":
        return None
    name = Span(at + 1, found.start())
    if found[0] == "}":
        return ReplacementField(Span(at, found.end()), name, None)
    spec = found.end()
    if found[0] == "!":
        if text[spec + 1 : min(spec + 2, end)] == "}" and text[spec] != "}":
            return ReplacementField(Span(at, spec + 2), name, None)
        if text[spec + 1 : min(spec + 2, end)] != ":":
            return None
        spec += 2
    depth = 1
    for brace in _BRACE.finditer(text, spec, min(end, spec + _LONGEST_SPEC)):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return ReplacementField(Span(at, brace.end()), name, Span(spec, brace.start()))
    return None


def _value(text: str, field: ReplacementField) -> Expression | None:
    """What fills the field; None when its name cannot be one."""
    of = reference(text, field.name)
    if of is None or field.spec is None or field.spec.start == field.spec.end:
        return of
    inner = Span(field.name.start, field.spec.end)
    if "{" not in text[field.spec.start : field.spec.end]:
        return Format(of, text[field.spec.start : field.spec.end], inner)
    return Unknown((of, *_nested(text, field.spec)), inner)


def _nested(text: str, spec: Span) -> tuple[Expression, ...]:
    """Values of the fields inside a specification; `str.format` allows one such level."""
    values: list[Expression] = []
    at = spec.start
    while (opened := text.find("{", at, spec.end)) >= 0:
        field = field_at(text, opened, spec.end)
        value = reference(text, field.name) if field else None
        if value is not None:
            values.append(value)
        at = field.span.end if field else opened + 1
    return tuple(values)


def reference(text: str, name: Span) -> Expression | None:
    """Name, position and the steps after it. A position is Unknown; its span holds the digits, or nothing."""
    head = _HEAD.match(text, name.start, name.end)
    assert head is not None
    written = head[0].strip()
    start = name.start + len(head[0]) - len(head[0].lstrip()) if written else name.start
    span = Span(start, start + len(written))
    of: Expression
    if _POSITION.fullmatch(head[0]):
        of = Unknown((), span)
    elif _NAME.fullmatch(written):
        of = Name(written, span)
    else:
        return None
    steps: list[tuple[Span, str, bool]] = []
    at = head.end()
    while step := _STEP.match(text, at, name.end):
        group = 1 if step[1] is not None else 2
        steps.append((Span(*step.span(group)), step[group], group == 2))
        at = step.end()
    return follow(of, steps) if at == name.end else None
