"""Loops and comprehensions: their body once, for whatever is walked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from promptlint.expression import (
    Bound,
    Call,
    Compare,
    Expression,
    Name,
    Repeat,
    Series,
    Stepped,
    Unknown,
    path,
)
from promptlint.flow.lists import written_items
from promptlint.flow.merging import growing, join_loop
from promptlint.flow.names import Names, place_of
from promptlint.flow.stepping import grown
from promptlint.flow.unpacking import unpacked
from promptlint.program import For
from promptlint.traversal import bare

if TYPE_CHECKING:
    from promptlint.flow.follow import Follower

_COUNTERS = frozenset({"range", "count"})
_CONVERSATION = re.compile(r"(?i)(?:messages|msgs|history|conversation|turns)$")


def loop(follower: Follower, statement: For, names: Names) -> Expression | None:
    """Follow a loop, its body once; `names` are changed in place. Gives what the body returns."""
    span = statement.span
    iterated = Unknown((), span) if statement.iterated is None else follower.value(statement.iterated, names)
    inner, calls_model = names.copy(), follower.project.steps.calls_model(statement.body)
    for number, (name, item) in enumerate(
        zip(statement.targets, unpacked(iterated, statement.targets, span), strict=True)
    ):
        if calls_model and number == 0 and _counts(statement.iterated) and follower.project.steps.moves(name):
            inner.bind(name, follower.bound(name, Stepped(Name(name, span), span), span))
        else:
            inner.bind(name, follower.bound(name, item, span))
    if calls_model:
        for target in follower.project.steps.moved(statement.body):
            inner.values[place_of(target)] = Stepped(target, target.span)
        for place in grown(statement.body):
            if (held := inner.value(place)) is not None:
                inner.values[place] = growing(held, span)
    before = inner.copy()
    returned, ended = follower.run(statement.body, inner)
    if not ended or returned is None:
        for name, value in before.values.items():
            if inner.values.get(name) is value and name in names.values:
                inner.values[name] = names.values[name]
        for name in statement.targets:
            inner.values.pop(name, None) if name not in names.values else None
        join_loop(names, iterated, inner, span)
    return returned


def repetition(follower: Follower, repeat: Repeat, names: Names) -> Expression:
    """A comprehension: its body for each item of a list that is written out, once for anything else."""
    iterated = follower.value(repeat.iterated, names)
    items = written_items(iterated)
    if items and len(repeat.targets) == 1:
        test = None if repeat.test is None else follower.value(repeat.test, _with(follower, repeat, items[:1], names))
        if test is None or not isinstance(bare(test), Compare | Call):
            bodies = (follower.value(repeat.body, _with(follower, repeat, [item], names)) for item in items)
            return Series(tuple(bodies), repeat.span)
    inner = _with(follower, repeat, unpacked(iterated, repeat.targets, repeat.span), names)
    test = None if repeat.test is None else follower.value(repeat.test, inner)
    return replace(repeat, targets=(), iterated=iterated, body=follower.value(repeat.body, inner), test=test)


def _with(follower: Follower, repeat: Repeat, items: Sequence[Expression], names: Names) -> Names:
    inner = Names(outer=names, own=frozenset(repeat.targets))
    for name, item in zip(repeat.targets, items, strict=True):
        inner.values[name] = item if isinstance(item, Bound) else follower.bound(name, item, repeat.span)
    return inner


def _counts(iterated: Expression | None) -> bool:
    """Whether a loop counts its rounds; one that numbers the messages of a conversation does not."""
    match iterated:
        case Call(arguments=(walked, *_)) if path(iterated.function)[-1:] == ("enumerate",):
            return not _CONVERSATION.search(".".join(path(walked)))
        case Call():
            return bool(_COUNTERS & set(path(iterated.function)[-1:]))
    return False
