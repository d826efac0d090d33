"""What a loop around a model's call moves on between two of its calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from promptlint.expression import Attribute, Call, Expression, Join, Literal, Name, Record, Repeat, Series, Spread, path
from promptlint.flow.names import place_of
from promptlint.program import Assign, Augment, Do, For, If, Return, Statement, Yield
from promptlint.source import Span
from promptlint.traversal import parts

_ADDING = frozenset({"append", "extend", "push", "insert", "unshift"})


@dataclass(frozen=True, slots=True)
class Steps:
    """`callees` is a pattern of the functions that call a model, `keywords` names what only those are given.

    `plain` are methods of lists and texts, `retries` counters of requests that are sent again.
    """

    callees: re.Pattern[str]
    keywords: frozenset[str]
    plain: frozenset[str] = frozenset()
    retries: frozenset[str] = frozenset()

    def calls_model(self, body: Iterable[Statement]) -> bool:
        """Whether a loop's body calls a model."""
        return any(self._is_model_call(part) for part in expressions(body))

    def moved(self, body: Iterable[Statement]) -> Iterator[Expression]:
        """Names and attributes that the body counts up or down."""
        for statement in statements(body):
            match statement:
                case Augment(target=Name() | Attribute() as target) if _is_number(statement):
                    if (place := place_of(target)) and self.moves(place.rsplit(".", 1)[-1]):
                        yield target

    def is_model(self, dotted: Iterable[str]) -> bool:
        """Whether a function's dotted path says that it calls a model."""
        steps = tuple(dotted)
        return not self.plain & set(steps[-1:]) and self.callees.search(".".join(steps)) is not None

    def moves(self, name: str) -> bool:
        """Whether a loop's counter of this name is another one in the next request; a retry sends the same again."""
        return not self.retries & set(name.lower().split("_"))

    def _is_model_call(self, part: Expression) -> bool:
        if not isinstance(part, Call):
            return False
        steps = path(part.function)
        if self.is_model(steps):
            return True
        # A record that is made or copied is given the same names.
        copies = bool(steps) and (steps[-1] in self.plain or steps[-1].lstrip("_")[:1].isupper())
        return not copies and any(key in self.keywords for key, _ in part.keywords)


def _is_number(statement: Augment) -> bool:
    """Whether what is added can be a number: text and lists are seen to be none."""
    match statement.value:
        case Literal(value=str()) | Join() | Series() | Record():
            return False
    return True


def statements(body: Iterable[Statement]) -> Iterator[Statement]:
    """Every statement of a body, those in its branches and loops among them."""
    stack = list(body)
    while stack:
        statement = stack.pop()
        yield statement
        if isinstance(statement, If):
            stack.extend((*statement.body, *statement.otherwise))
        elif isinstance(statement, For):
            stack.extend(statement.body)


def expressions(body: Iterable[Statement]) -> Iterator[Expression]:
    """Every expression that the statements compute, with its parts; not those of functions inside."""
    for statement in statements(body):
        match statement:
            case Assign(value=value) | Augment(value=value) | Do(value=value) | Yield(value=value):
                yield from parts(value)
            case Return(value=value) if value is not None:
                yield from parts(value)


def grown(body: Iterable[Statement]) -> Iterator[str]:
    """Places of the lists that the body adds to."""
    for part in expressions(body):
        match part:
            case Call(function=Attribute(of=of, name=name)) if name in _ADDING and place_of(of):
                yield place_of(of)


def assigned(body: Iterable[Statement]) -> Iterator[str]:
    """Places that the statements give values to or change."""
    for statement in statements(body):
        if isinstance(statement, Assign | Augment) and (place := place_of(statement.target)):
            yield place
    yield from grown(body)


def reinserted(body: Iterable[Statement]) -> Iterator[tuple[str, Expression, Span]]:
    """Lists that the statements filter and then add to: place, target, and the span of what adds."""
    every = tuple(statements(body))
    filtered = {
        place_of(statement.target)
        for statement in every
        if isinstance(statement, Assign) and _leaves_out(statement.value, place_of(statement.target))
    }
    for statement in every:
        match statement:
            case Do(value=Call(function=Attribute(of=of, name=name)), span=span) if name in _ADDING:
                if place_of(of) in filtered:
                    yield place_of(of), of, span


def _leaves_out(value: Expression, place: str) -> bool:
    """Whether a value is a list without some of its items: `x.filter(...)`, `[y for y in x if ...]`."""
    match value:
        case Call(function=Attribute(of=of, name="filter")):
            return bool(place) and place_of(of) == place
        case Series(items=(Spread(of=Repeat(iterated=iterated, test=test)),)) if test is not None:
            return bool(place) and place_of(iterated) == place
    return False
