"""Tool calls of the conversation, written as JSON again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from promptlint.checks.fixes import sorted_keys
from promptlint.events import Confidence
from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Element,
    Expression,
    Filter,
    Index,
    Literal,
    Record,
    Repeat,
    Series,
    Slice,
    Slot,
    Spread,
    children,
    path,
)
from promptlint.finding import Finding
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import Section
from promptlint.rulebook import Rule
from promptlint.traversal import bare

_DUMPS = frozenset({("json", "dumps"), ("JSON", "stringify"), ("ujson", "dumps")})
_ARGUMENTS = frozenset(
    {"args", "arguments", "input", "tool_input", "toolInput", "kwargs", "params", "parameters", "tool_args", "toolArgs"}
)
"""What the parts of libraries and vendors call what a tool was called with."""

_ANSWERS = re.compile(r"(?i)(?:response|result|completion|answer|reply)$")
"""Names of what a model has just answered: a call in it is written once, and kept as it was written."""

_MOST_PARTS = 60
_COPIES = frozenset({"dict", "deepcopy", "cast", "to_jsonable_python"})


def unsorted_arguments(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """Arguments of a tool call that are written as JSON in whatever order their keys have now."""
    key = ""
    for segment in appraisal.prompt.segments:
        before, key = key, (segment.text or "").rstrip(': "').rpartition('"')[2]
        if segment.section is not Section.HISTORY or segment.expression is None or segment.place is None:
            continue
        call = _inner(segment.expression)
        if not isinstance(call, Call) or not _is_unsorted(call) or _is_of_answer(call):
            continue
        if _are_arguments(call, said=before == "arguments"):
            yield rule.finding(
                segment.place,
                "the arguments of a tool call are written as JSON again, in the order that their keys have now",
                confidence=Confidence.MEDIUM,
                label="another order after a store or another library: the conversation below is fresh",
                kind="key-order",
                evidence="call",
                section=segment.section.value,
                fixes=sorted_keys(call, segment.place),
            )


def _inner(value: Expression) -> Expression:
    while True:
        match value:
            case Bound(value=of) | Slot(of=of):
                value = of
            case Choice(options=(first, *rest)) if all(isinstance(other, Literal | Record) for other in rest):
                value = first  # `call.args or {}`
            case Choice(options=options) if dumps := [each for each in options if isinstance(_inner(each), Call)]:
                value = dumps[0]  # text as it is, anything else as JSON
            case _:
                return value


def _is_unsorted(call: Call) -> bool:
    sorts = any(name == "sort_keys" and value != Literal(False, value.span) for name, value in call.keywords)
    return path(call.function)[-2:] in _DUMPS and not sorts


def _is_of_answer(call: Call) -> bool:
    """Whether what is written comes out of an answer that a call has just given, by the name of what it gave."""
    left = call.arguments[0] if call.arguments else None
    for _ in range(_MOST_PARTS):
        match left:
            case Bound(name=name, value=value):
                if isinstance(bare(value), Call) and _ANSWERS.search(name):
                    return True
                left = value
            case Attribute(of=of) | Index(of=of) | Element(of=of) | Slot(of=of) | Slice(of=of) | Filter(of=of):
                left = of
            case Spread(of=of) | Call(function=Attribute(of=of)) | Repeat(iterated=of):
                left = of
            case Choice(options=(of, *_)) | Series(items=(of,)):
                left = of
            case _:
                return False
    return False


def _are_arguments(call: Call, *, said: bool) -> bool:
    """Whether what is written as JSON is what a tool was called with; `said` by the key that it stands under."""
    left = [call.arguments[0]] if call.arguments else []
    for _ in range(_MOST_PARTS if said else 4):
        if not left:
            return False
        given = _inner(left.pop(0))
        match given:
            case Attribute(name=name) | Index(key=Literal(value=str() as name)) if name in _ARGUMENTS:
                return True
            case Call(function=Attribute(name="get"), arguments=(Literal(value=str() as name), *_)) if (
                name in _ARGUMENTS
            ):
                return True
        if said or (isinstance(given, Call) and _COPIES & set(path(given.function)[-1:])):
            left.extend(children(given))
    return False
