"""Windows on a conversation that move: its first messages are cut off."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.events import Confidence
from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Element,
    Expression,
    Index,
    Join,
    Kept,
    Literal,
    Name,
    Slice,
    Slot,
    Unknown,
    children,
    path,
)
from promptlint.finding import Finding
from promptlint.layout.appraisal import Appraisal
from promptlint.lifetimes.names import snake
from promptlint.prompt import Section
from promptlint.rulebook import Rule
from promptlint.source import Place, Source

_MOST_NODES = 400
_MOST_MESSAGES = 400
"""More than that are characters."""

_CHARACTERS = frozenset({"char", "chars", "characters", "len", "length", "bytes", "budget"})
_TEXTS = frozenset({"content", "text", "output", "stdout", "stderr", "description", "result"})
"""What the text of one message is called, in messages and in results of tools."""

_WRITING = frozenset({"join", "strip", "trim", "decode", "toString", "format", "replace", "dumps", "stringify"})
_TEXT_FUNCTIONS = frozenset({("str",), ("String",), ("repr",), ("dumps",), ("stringify",)})


def front_truncation(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """History of which only the last messages are kept, however long it grows, below text that they share."""
    met: set[Place] = set()
    if not any(segment.section in (Section.SYSTEM, Section.TOOLS) for segment in appraisal.prompt.segments):
        return
    for segment in appraisal.prompt.segments:
        if segment.section is not Section.HISTORY or segment.expression is None or segment.place is None:
            continue
        window = _window(segment.expression, segment.place.source)
        if window is not None and window not in met:
            met.add(window)
            yield Finding(
                rule=rule.name,
                severity=rule.severity,
                confidence=Confidence.HIGH,
                message="only the last messages are kept: once there are more, the first one moves with every turn",
                place=window,
                label="what stood behind the messages that are cut off is fresh on every turn",
                advice=rule.advice,
                kind="history",
                evidence="call",
                section=segment.section.value,
            )


def _window(expression: Expression, source: Source) -> Place | None:
    """The cut nearest to the prompt that leaves out the beginning; None when there is none."""
    queue = [(expression, source)]
    for _ in range(_MOST_NODES):
        if not queue:
            return None
        value, where = queue.pop(0)
        if _cuts_front(value) and not _is_text(_cut(value)):
            return Place(where, value.span)
        inner = value.source if isinstance(value, Bound) else where
        queue.extend((child, inner) for child in children(value))
    return None


def _cuts_front(value: Expression) -> bool:
    """`x[-n:]`, `x.slice(-n)`, `x[1:]` after `x.pop(0)`; the newest message alone is no window."""
    match value:
        case Slice(start=int() as start, stop=None):
            return -_MOST_MESSAGES < start < -1
        case Call(function=Attribute(name="slice"), arguments=(first, *rest)):
            open_end = all(isinstance(end, Literal) and end.value is None for end in rest)
            return open_end and _is_negative(first)
    return False


def _is_negative(bound: Expression) -> bool:
    match bound:
        case Literal(value=int() as number):
            return -_MOST_MESSAGES < number < -1
        case Call(function=Name() as sign, arguments=(of,)):
            return path(sign) == ("-",) and not _counts_characters(of)
        case Bound(value=of) | Slot(of=of):
            return _is_negative(of)
        case Unknown(parts=(first, *_)) | Join(parts=(first, *_)):
            return _is_negative(first)  # `-size * 2`
    return False


def _counts_characters(bound: Expression) -> bool:
    """Whether a bound is, by its name or size, one of a text."""
    match bound:
        case Bound(name=name, value=of):
            return bool(_CHARACTERS & set(snake(name).split("_"))) or _counts_characters(of)
        case Slot(of=of) | Kept(of=of):
            return _counts_characters(of)
        case Literal(value=int() as number):
            return number >= _MOST_MESSAGES
    steps = path(bound)
    return bool(steps) and bool(_CHARACTERS & set(snake(steps[-1]).split("_")))


def _cut(cut: Expression) -> Expression:
    """What a cut is made in."""
    match cut:
        case Slice(of=of) | Call(function=Attribute(of=of)):
            return of
    return cut


def _is_text(value: Expression) -> bool:
    """Whether what is cut is the text of one message, and no list of messages."""
    while True:
        match value:
            case Bound(value=of) | Slot(of=of) | Kept(of=of):
                value = of
            case Element() | Join():
                return True
            case Attribute(of=of, name=name) | Index(of=of, key=Literal(value=str() as name)):
                if name in _TEXTS:
                    return True
                value = of
            case Call(function=Attribute(of=of, name=name), arguments=arguments):
                given = arguments[0].value if arguments and isinstance(arguments[0], Literal) else None
                if name in _WRITING or (name == "get" and given in _TEXTS):
                    return True
                value = of
            case Call(function=function):
                return path(function)[-1:] in _TEXT_FUNCTIONS
            case Choice(options=(first, *_)):
                value = first
            case _:
                return isinstance(value, Literal)
