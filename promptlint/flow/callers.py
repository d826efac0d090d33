"""Who calls a function of the project, and with what: parameters bound to the arguments at their call sites."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from promptlint.expression import Attribute, Bound, Call, Choice, Expression, Name
from promptlint.flow.calling import arguments_of, parameter_names
from promptlint.flow.follow import Follower, Project
from promptlint.flow.modules import names_of
from promptlint.flow.names import ClassIn, Closure, Names, Program, uses_names
from promptlint.flow.stepping import Steps, expressions
from promptlint.program import Class, Define, For, Function, If, Statement
from promptlint.source import Span

_MOST_SITES = 12
"""Call sites of one function that are looked at."""

_MOST_HOPS = 3
"""Callers of callers that a value is followed to."""

_MOST_WORK = 4_000
"""Expressions of one caller that are looked at."""


@dataclass(frozen=True, slots=True)
class _Site:
    """A call that enters a function of the project, with what it hands over."""

    function: Function
    arguments: dict[str, Bound]


@dataclass(slots=True)
class Callers:
    """Programs with the functions in them, by the names that they call."""

    find: Callable[[Program, str], Program | None]
    """The module of the project that a program imports by a name; None for any other."""
    steps: Steps
    _index: dict[str, list[Closure]] = field(default_factory=dict)
    _sites: dict[int, tuple[_Site, ...]] = field(default_factory=dict)
    _known: set[int] = field(default_factory=set)
    _settled: set[int] = field(default_factory=set)
    _open: list[Function] = field(default_factory=list)

    def module(self, importer: Program, name: str) -> Program | None:
        return self.find(importer, name)

    def add(self, program: Program) -> None:
        """Take in a program whose functions may call others."""
        if id(program) in self._known:
            return
        self._known.add(id(program))
        names = names_of(Follower(program, self), program)
        top = Function("<module>", (), program.module.body, Span(0, 0))
        for closure in (Closure(top, names, program), *closures(program, names, self)):
            for name in {name for part in expressions(closure.function.body) for name in _called(part)}:
                self._index.setdefault(name, []).append(closure)

    def is_step(self, program: Program, name: str, wanted: Callable[[str], bool], hops: int = _MOST_HOPS) -> bool:
        """Whether a private function of a program is called, by way of others, by one whose name is wanted."""
        if hops == 0 or not name.startswith("_"):
            return False
        callers = [each.function.name for each in self._index.get(name, ()) if each.program is program]
        return any(wanted(each) or self.is_step(program, each, wanted, hops - 1) for each in callers)

    @property
    def is_binding(self) -> bool:
        """Whether call sites are being looked at."""
        return bool(self._open)

    def bind(self, names: Names, closure: Closure) -> None:
        """Give a function's parameters the values that its call sites hand over, each of them where they differ."""
        function = closure.function
        if any(function is each for each in self._open) or len(self._open) >= _MOST_HOPS:
            return
        self._open.append(function)
        try:
            sites = list(self._sites_of(closure))
        finally:
            self._open.pop()
        for parameter in function.parameters:
            options: dict[tuple[int, Span], Bound] = {}
            for arguments in sites:
                if (given := arguments.get(parameter.name)) is not None:
                    options[id(given.source), given.span] = given
            if options and all(parameter.name in arguments for arguments in sites):
                values = tuple(options.values())
                single = len(values) == 1
                value = values[0] if single else Choice(None, values, parameter.span)
                names.bind(
                    parameter.name,
                    value if single else Bound(parameter.name, value, closure.program.source, parameter.span),
                )

    def settle(self, closure: Closure) -> None:
        """Let a function inside another one see the names that the outer one gives values to."""
        if closure.around is None or id(closure.names) in self._settled:
            return
        self._settled.add(id(closure.names))
        self.settle(closure.around)
        Follower(closure.program, self).run(closure.around.function.body, closure.names)

    def _sites_of(self, closure: Closure) -> Iterator[dict[str, Bound]]:
        name = closure.owner.definition.name if _is_maker(closure) and closure.owner else closure.function.name
        for caller in self._index.get(name, ())[:_MOST_SITES]:
            for site in self._calls_in(caller):
                if site.function is closure.function:
                    yield site.arguments

    def _calls_in(self, caller: Closure) -> tuple[_Site, ...]:
        key = id(caller.function)
        if key not in self._sites:
            self._sites[key] = ()
            found = self._follow(caller, bound=False)
            own = frozenset(parameter_names(caller.function.parameters))
            if any(uses_names(value, own) for site in found for value in site.arguments.values()):
                found = self._follow(caller, bound=True)
            self._sites[key] = tuple(found)
        return self._sites[key]

    def _follow(self, caller: Closure, *, bound: bool) -> list[_Site]:
        """The calls in a function's body; with its own parameters bound, if they matter."""
        self.settle(caller)
        found: list[_Site] = []
        follower = Follower(caller.program, self, most_work=_MOST_WORK)

        def entered(
            closure: Closure,
            expression: Call,
            given: Sequence[Expression],
            keywords: Sequence[tuple[str, Expression]],
        ) -> None:
            found.append(_Site(closure.function, arguments_of(follower, closure, expression, given, keywords)))

        follower.entered = entered
        own = frozenset(parameter_names(caller.function.parameters))
        names = Names(outer=caller.names, own=own, owner=caller.owner)
        if bound:
            self.bind(names, caller)
        follower.returned(caller.function.body, names, caller.function.span)
        return found


def closures(program: Program, names: Names, project: Project) -> Iterator[Closure]:
    """Functions and methods of a module, with those inside them."""
    seen: set[int] = set()
    for closure in list(names.functions.values()):
        if closure.program is program:
            yield from _with_inner(closure, seen)
    for known in list(names.classes.values()):
        if known.program is program:
            yield from _methods(known, seen, Follower(program, project))


def _methods(known: ClassIn, seen: set[int], follower: Follower) -> Iterator[Closure]:
    for closure in known.methods.values():
        yield from _with_inner(closure, seen)
    for statement in known.definition.body:
        if isinstance(statement, Define) and isinstance(statement.what, Class):
            names = Names(outer=known.names)
            follower.define(statement.what, names)
            yield from _methods(names.classes[statement.what.name], seen, follower)


def _with_inner(closure: Closure, seen: set[int]) -> Iterator[Closure]:
    if id(closure.function) in seen:
        return
    seen.add(id(closure.function))
    yield closure
    outer = Names(outer=closure.names, own=frozenset(parameter_names(closure.function.parameters)), owner=closure.owner)
    for inner in _inner_functions(closure.function.body):
        yield from _with_inner(Closure(inner, outer, closure.program, None, closure), seen)


def _inner_functions(body: Sequence[Statement]) -> Iterator[Function]:
    for statement in body:
        match statement:
            case Define(what=Function() as function):
                yield function
            case If(body=one, otherwise=other):
                yield from _inner_functions((*one, *other))
            case For(body=inner):
                yield from _inner_functions(inner)


def _is_maker(closure: Closure) -> bool:
    return closure.owner is not None and closure.function.name == "__init__"


def _called(part: Expression) -> Iterator[str]:
    match part:
        case Call(function=Name(id=name) | Attribute(name=name)):
            yield name
