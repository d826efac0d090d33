"""A program followed statement by statement: what names hold, what calls return.

Nothing is run. A branch gives alternatives, a loop repeats what it adds, a call of a function of the project is
followed into its body. Work is bounded; past the bound a value is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Entry,
    Expression,
    Index,
    Kept,
    Literal,
    Name,
    Record,
    Repeat,
    Series,
    Slot,
    Spread,
    Unknown,
)
from promptlint.flow import lists, members, modules
from promptlint.flow.calls import call
from promptlint.flow.files import Filling
from promptlint.flow.loops import loop, repetition
from promptlint.flow.merging import alternatives, join_branches
from promptlint.flow.names import ClassIn, Closure, Names, Program, place_of
from promptlint.flow.stepping import Steps, assigned
from promptlint.program import (
    Assign,
    Augment,
    Class,
    Define,
    Do,
    For,
    Function,
    If,
    ImportFrom,
    Leave,
    Return,
    Statement,
    Yield,
)
from promptlint.source import Span
from promptlint.traversal import bare, rebuild

_MOST_WORK = 20_000
_YIELDED = "<yielded>"
_CONSTANT_NAME = re.compile(r"_{0,2}[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_{0,2}")

Seen = Callable[[Expression, Names], None]
"""Is told of each call, record and list of the body that is followed, with its value."""

Entered = Callable[[Closure, Call, Sequence[Expression], Sequence[tuple[str, Expression]]], None]
"""Is told of each function of the project that the outermost body calls, with the values that it is given."""


class Project(Protocol):
    """The programs around the one that is followed."""

    @property
    def steps(self) -> Steps: ...

    def module(self, importer: Program, name: str) -> Program | None:
        """The module of the project that a program imports by a name; None for any other."""

    @property
    def is_binding(self) -> bool:
        """Whether call sites are being looked at."""

    def bind(self, names: Names, closure: Closure) -> None:
        """Give a function's parameters the values that its call sites hand over, where all of them are known."""


@dataclass(slots=True)
class Follower:
    """Follows one program. `seen` is told what the outermost body computes."""

    program: Program
    project: Project
    seen: Seen | None = None
    entered: Entered | None = None
    most_work: int = _MOST_WORK
    fillings: list[Filling] | None = None
    work: int = 0
    open: list[Function] = field(default_factory=list)

    @contextmanager
    def inside(self, closure: Closure) -> Iterator[None]:
        """While a function is followed: its program, and nobody is told."""
        program, seen = self.program, self.seen
        self.program, self.seen = closure.program, None
        self.open.append(closure.function)
        try:
            yield
        finally:
            self.program, self.seen = program, seen
            self.open.pop()

    def run(self, body: Sequence[Statement], names: Names) -> tuple[Expression | None, bool]:
        """Follow statements. Gives what they return, and whether they end the way through."""
        for index, statement in enumerate(body):
            match statement:
                case Assign(target=target, value=value, span=span):
                    self._assign(target, self.value(value, names), span, names)
                case Augment():
                    self._augment(statement, names)
                case Do(value=value):
                    self._do(value, names)
                case Return(value=value):
                    returned = None if value is None else self.value(value, names)
                    return returned, True
                case Yield(value=value, span=span):
                    held = names.values.get(_YIELDED)
                    items = held.items if isinstance(held, Series) else ()
                    names.values[_YIELDED] = Series((*items, self.value(value, names)), span)
                case Leave():
                    return None, True
                case If():
                    ended = self._if(statement, body[index + 1 :], names)
                    if ended is not None:
                        return ended
                case For():
                    returned = loop(self, statement, names)
                    if returned is not None:
                        after, _ = self.run(body[index + 1 :], names)
                        return (returned if after is None else Choice(None, (returned, after), statement.span)), True
                case Define(what=what):
                    self.define(what, names)
                case ImportFrom():
                    self._import(statement, names)
        return None, False

    def returned(self, body: Sequence[Statement], names: Names, span: Span) -> Expression | None:
        """What a function's body gives to its caller: what it returns, or a list of what it yields."""
        value, _ = self.run(body, names)
        yielded = names.values.get(_YIELDED)
        return yielded if yielded is not None else value

    def value(self, expression: Expression, names: Names) -> Expression:
        """The expression with all that is known put in: values of names, what calls return."""
        self.work += 1
        if self.work > self.most_work:
            return Unknown((), expression.span)
        match expression:
            case Literal() | Bound():
                return expression
            case Name():
                return self._name(expression, names)
            case Attribute() | Index():
                return self._member(expression, names)
            case Call():
                value = call(self, expression, names)
            case Repeat():
                value = repetition(self, expression, names)
            case Entry(key=key, value=of, span=span):
                return Entry(self.value(key, names), self.used(of, names), span)
            case Record() | Series():
                value = rebuild(expression, lambda part: self.used(part, names))
            case _:
                return lists.summed(rebuild(expression, lambda part: self.value(part, names)))
        if self.seen is not None:
            self.seen(value, names)
        return value

    def used(self, expression: Expression, names: Names) -> Expression:
        """The value of a name with the place where it is used; the value of anything else."""
        value = self.value(expression, names)
        return Slot(value, expression.span) if isinstance(value, Bound | Kept) else value

    def bound(self, name: str, value: Expression, span: Span) -> Bound:
        """A value under a name that the followed program gives it."""
        return Bound(name, value, self.program.source, span)

    def define(self, what: Function | Class, names: Names) -> None:
        """Take in a definition."""
        if isinstance(what, Function):
            names.values.pop(what.name, None)
            names.functions[what.name] = Closure(what, names, self.program)
            return
        scope = Names(outer=names)
        found = ClassIn(what, self.program, scope)
        scope.owner = found
        for statement in what.body:
            if isinstance(statement, Define) and isinstance(statement.what, Function):
                function = statement.what
                found.methods[function.name] = Closure(function, scope, self.program, found)
        names.classes[what.name] = found

    def _name(self, name: Name, names: Names) -> Expression:
        value = names.value(name.id)
        if value is not None:
            return value
        if names.function(name.id) is not None or names.class_of(name.id) is not None:
            return name
        imported = names.imported(name.id)
        if imported is not None:
            return modules.imported(self, name, imported)
        if _CONSTANT_NAME.fullmatch(name.id) and len(name.id) > 1 and not names.is_own(name.id):
            return Kept(name, "restart", name.span)
        return name

    def _member(self, expression: Attribute | Index, names: Names) -> Expression:
        place = place_of(expression)
        if place and (known := names.value(place)) is not None:
            return known
        of = self.value(expression.of, names)
        if isinstance(expression, Attribute):
            return members.attribute(self, of, expression, names)
        return lists.item(of, self.value(expression.key, names), expression)

    def _assign(self, target: Expression, value: Expression, span: Span, names: Names) -> None:
        match target:
            case Series(items=items):
                self._take_apart(items, value, span, names)
            case Name(id=name):
                names.bind(name, self.bound(name, value, target.span))
            case Attribute() | Index():
                place = place_of(target)
                if place:
                    names.bind(place, self.bound(place, value, target.span))
                if isinstance(target, Index):
                    self._set_item(target, value, span, names)

    def _take_apart(self, targets: Sequence[Expression], value: Expression, span: Span, names: Names) -> None:
        series = bare(value)
        whole = isinstance(series, Series) and not any(isinstance(item, Spread) for item in series.items)
        items = series.items if isinstance(series, Series) and whole and len(series.items) == len(targets) else ()
        for number, target in enumerate(targets):
            if isinstance(target, Spread):
                self._assign(target.of, Unknown((value,), span), span, names)
            else:
                key = Literal(number, target.span)
                given = items[number] if items else lists.item(value, key, Index(value, key, target.span))
                self._assign(target, given, span, names)

    def _set_item(self, target: Index, value: Expression, span: Span, names: Names) -> None:
        """`record["key"] = value` on a record that can be seen."""
        place = place_of(target.of)
        held = names.value(place) if place else None
        record = bare(held) if held is not None else None
        if isinstance(held, Bound) and isinstance(record, Record) and isinstance(target.key, Literal):
            kept = [entry for entry in record.entries if not _has_key(entry, target.key.value)]
            entries = (*kept, Entry(target.key, value, span))
            names.values[place] = replace(held, value=replace(record, entries=entries))

    def _augment(self, statement: Augment, names: Names) -> None:
        place = place_of(statement.target)
        before = self.value(statement.target, names)
        value = self.used(statement.value, names)
        after = lists.added(before, value, self.program.source, statement.span)
        if place:
            names.values[place] = self.bound(place, after, statement.target.span)

    def _do(self, value: Expression, names: Names) -> None:
        """An expression for its effect: on a list, or on a model that is sent a request."""
        if isinstance(value, Call) and lists.mutate(self, value, names):
            return
        is_watched = self.seen is not None or (self.entered is not None and not self.open)
        if is_watched or self._changes_object(value, names):
            self.value(value, names)

    def _changes_object(self, value: Expression, names: Names) -> bool:
        """Whether an expression sets something on the object that is followed: `self.begin()`."""
        match value:
            case Call(function=Attribute(of=Name(id="self"), name=name)) if known := names.enclosing_class():
                method = known.methods.get(name)
                return method is not None and any(place.startswith("self.") for place in assigned(method.function.body))
        return False

    def _if(self, statement: If, rest: Sequence[Statement], names: Names) -> tuple[Expression | None, bool] | None:
        """A branch. None when the way goes on behind it, with `names` as either arm leaves them."""
        test = None if statement.test is None else self.value(statement.test, names)
        one, other = names.copy(), names.copy()
        first, first_ended = self.run(statement.body, one)
        second, second_ended = self.run(statement.otherwise, other)
        if first_ended and second_ended:
            return self._either(test, first, second, statement.span), True
        if not first_ended and not second_ended:
            join_branches(names, test, (one, other), statement.span)
            return None
        left, ended = (other, first) if first_ended else (one, second)
        names.values, names.functions = left.values, left.functions
        names.classes, names.imports = left.classes, left.imports
        if ended is None:
            return None
        value, _ = self.run(rest, names)
        return self._either(test, ended, value, statement.span), True

    def _either(
        self, test: Expression | None, one: Expression | None, other: Expression | None, span: Span
    ) -> Expression | None:
        if one is None or other is None:
            return one if other is None else other
        return alternatives(test, one, other, span)

    def _import(self, statement: ImportFrom, names: Names) -> None:
        if statement.alias:
            names.imports[statement.alias] = (statement.module, "")
        for name, alias in statement.names:
            if name == "*":
                self._import_all(statement, names)
            else:
                names.imports[alias] = (statement.module, name)

    def _import_all(self, statement: ImportFrom, names: Names) -> None:
        program = self.project.module(self.program, statement.module)
        if program is not None and program is not self.program:
            for name in modules.names_of(self, program).public():
                names.imports.setdefault(name, (statement.module, name))


def _has_key(entry: Expression, key: object) -> bool:
    return isinstance(entry, Entry) and isinstance(entry.key, Literal) and entry.key.value == key
