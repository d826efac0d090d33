"""The text that a program builds, written out: literals, and holes where values are put in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from promptlint.expression import (
    Bound,
    Choice,
    Expression,
    Join,
    Kept,
    Literal,
    Repeat,
    Slot,
    Unknown,
)
from promptlint.flow.request import Part
from promptlint.flow.texts import is_constant, is_text
from promptlint.project.write import Gate, Written
from promptlint.prompt import GuardKind
from promptlint.source import Source, Span
from promptlint.traversal import bare

_MOST = 4_000
_PASSAGE = 40
"""Characters from which on a text that is one of several values is a passage of the prompt."""

_FIRST_GROUP = 1_000_000
"""Branches and loops inside text are numbered above those around messages."""


class TextWriter:
    """Writes the parts of one request. Past a bound the rest of a part is left out."""

    def __init__(self) -> None:
        self._groups = count(_FIRST_GROUP)
        self._written = 0

    def write(self, part: Part) -> Iterator[Written]:
        """Everything that a part sends, in order."""
        yield from self._part(part.content, part.source, part.gates, part.kept)

    def _part(self, value: Expression, source: Source, gates: tuple[Gate, ...], kept: str) -> Iterator[Written]:
        """A value where it stands: a name's span is where it was given its value, which may be in another source."""
        where = value.source if isinstance(value, Bound) else source
        yield from self._write(value, where, gates, kept, value.span)

    def _write(
        self, value: Expression, source: Source, gates: tuple[Gate, ...], kept: str, place: Span
    ) -> Iterator[Written]:
        self._written += 1
        if self._written > _MOST:
            return
        match value:
            case Literal(value=str() as text, span=span):
                yield Written(source, span, text, gates=gates)
            case Literal(value=None):
                return
            case Literal(value=bool() | int() | float() as number):
                yield Written(source, place, str(number), gates=gates)
            case Join(parts=parts) if is_text(value):
                for part in parts:
                    yield from self._part(part, source, gates, kept)
            case Slot(of=of, span=span):
                yield from self._slot(of, source, gates, kept, span)
            case Bound(value=of) if is_text(value):
                yield from self._part(of, value.source, gates, kept)
            case Kept(of=of, until=until) if is_text(value):
                yield from self._write(of, source, gates, until, place)
            case Choice() if is_text(value):
                yield from self._choice(value, source, gates, kept)
            case Repeat(iterated=iterated, body=body, span=span) if is_text(value):
                gate = Gate(GuardKind.LOOP, next(self._groups), 0, _kept(iterated, kept), source, span)
                yield from self._part(body, source, (*gates, gate), kept)
            case _:
                yield Written(source, place, expression=_kept(value, kept), gates=gates)

    def _slot(
        self, of: Expression, source: Source, gates: tuple[Gate, ...], kept: str, span: Span
    ) -> Iterator[Written]:
        if (is_text(of) and not _is_value(of)) or isinstance(of, Literal):
            yield from self._write(of, source, gates, kept, span)
        else:
            yield Written(source, span, expression=_kept(of, kept), gates=gates)

    def _choice(self, choice: Choice, source: Source, gates: tuple[Gate, ...], kept: str) -> Iterator[Written]:
        group = next(self._groups)
        test = choice.test or Unknown((), choice.span)
        for arm, option in enumerate(choice.options):
            gate = Gate(GuardKind.BRANCH, group, arm, _kept(test, kept), source, choice.span)
            yield from self._part(option, source, (*gates, gate), kept)


def _is_value(value: Expression) -> bool:
    """Whether a value is some other value or one of a few words: alternatives of one hole, not of the text."""
    inner = bare(value)
    if not isinstance(inner, Choice) or all(is_text(option) for option in inner.options):
        return False
    texts = (option for option in inner.options if is_text(option))
    # `call.id or f"call_{uuid4()}"`: without a test the text stands in for a value.
    return all(_is_short(text) and (inner.test is None or is_constant(text)) for text in texts)


def _is_short(text: Expression) -> bool:
    """Whether the literals of a text are shorter than a passage; what else is in it is not looked at."""
    left, length = [text], 0
    for _ in range(_PASSAGE):
        if not left:
            return length < _PASSAGE
        match left.pop():
            case Literal(value=value):
                length += len(str(value))
            case Join(parts=parts) | Choice(options=parts):
                left.extend(parts)
            case Bound(value=of) | Kept(of=of) | Slot(of=of) | Repeat(body=of):
                left.append(of)
    return False


def _kept(value: Expression, until: str) -> Expression:
    return Kept(value, until, value.span) if until else value
