"""What names mean while a program is followed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from promptlint.expression import Attribute, Bound, Expression, Index, Literal, Name, children
from promptlint.program import Class, Function, Module
from promptlint.source import Source
from promptlint.traversal import names


@dataclass(slots=True, eq=False)
class Program:
    """A module in its source, and what its top level gives names to once it has run."""

    source: Source
    module: Module
    names: Names | None = None
    grown: dict[int, frozenset[str]] = field(default_factory=dict)
    """Names of lists that each function adds to, by its identity, once that is known."""


@dataclass(frozen=True, slots=True)
class Closure:
    """A function with the names around it; `owner` is the class that it is a method of, `around` the function."""

    function: Function
    names: Names
    program: Program
    owner: ClassIn | None = None
    around: Closure | None = None

    @property
    def home(self) -> str:
        """The name of the module's top level behind which the function stands."""
        if self.around is not None:
            return self.around.home
        return self.function.name if self.owner is None else self.owner.home


@dataclass(slots=True, eq=False)
class ClassIn:
    """A class; `fields` are what its body and its `__init__` give its objects, once that is known."""

    definition: Class
    program: Program
    names: Names
    methods: dict[str, Closure] = field(default_factory=dict)
    fields: dict[str, Expression] | None = None
    wants_callers: bool = False
    """Whether a field is made of what `__init__` is given, and its callers have not been asked yet."""
    changed: frozenset[str] | None = None
    """Fields that other methods than `__init__` set."""

    @property
    def home(self) -> str:
        """The name of the module's top level behind which the class stands."""
        around = None if self.names.outer is None else self.names.outer.enclosing_class()
        return self.definition.name if around is None else around.home


@dataclass(slots=True)
class Names:
    """One scope. Values of attributes stand under their dotted path: "self.messages"."""

    outer: Names | None = None
    values: dict[str, Expression] = field(default_factory=dict)
    functions: dict[str, Closure] = field(default_factory=dict)
    classes: dict[str, ClassIn] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Local name to (module, name in it); the name "" is the module itself."""
    owner: ClassIn | None = None
    own: frozenset[str] = frozenset()
    """Names that are this scope's own although nothing is known about them: parameters."""

    def copy(self) -> Names:
        return Names(
            self.outer,
            dict(self.values),
            dict(self.functions),
            dict(self.classes),
            dict(self.imports),
            self.owner,
            self.own,
        )

    def value(self, name: str) -> Expression | None:
        scope: Names | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            if name.split(".")[0] in scope.own:
                return None
            scope = scope.outer
        return None

    def function(self, name: str) -> Closure | None:
        scope: Names | None = self
        while scope is not None:
            if name in scope.functions:
                return scope.functions[name]
            if name in scope.values or name in scope.own:
                return None
            scope = scope.outer
        return None

    def class_of(self, name: str) -> ClassIn | None:
        scope: Names | None = self
        while scope is not None:
            if name in scope.classes:
                return scope.classes[name]
            if name in scope.values or name in scope.own:
                return None
            scope = scope.outer
        return None

    def imported(self, name: str) -> tuple[str, str] | None:
        scope: Names | None = self
        while scope is not None:
            if name in scope.imports:
                return scope.imports[name]
            if name in scope.values or name in scope.own:
                return None
            scope = scope.outer
        return None

    def is_own(self, name: str) -> bool:
        """Whether a name is a parameter of this scope or one around."""
        scope: Names | None = self
        while scope is not None:
            if name in scope.own:
                return True
            scope = scope.outer
        return False

    def enclosing_class(self) -> ClassIn | None:
        scope: Names | None = self
        while scope is not None:
            if scope.owner is not None:
                return scope.owner
            scope = scope.outer
        return None

    def public(self) -> list[str]:
        """What `import *` takes."""
        found = (*self.values, *self.functions, *self.classes, *self.imports)
        return [name for name in found if not name.startswith("_") and "." not in name]

    def bind(self, name: str, value: Expression) -> None:
        """Give a name a value; what was known of its attributes is forgotten."""
        self.functions.pop(name, None)
        below = f"{name}."
        for known in [known for known in self.values if known.startswith(below)]:
            del self.values[known]
        self.values[name] = value


def place_of(target: Expression) -> str:
    """The dotted path under which a target's value is kept; empty for one that has none."""
    match target:
        case Name(id=name):
            return name
        case Attribute(of=of, name=name) | Index(of=of, key=Literal(value=str() as name)):
            head = place_of(of)
            return f"{head}.{name}" if head else ""
    return ""


def uses_names(value: Expression, wanted: frozenset[str]) -> bool:
    """Whether a value is made of names that are wanted, which nothing is known about."""
    return any(name.id in wanted for name in names(value))


def parts_in(value: Expression, source: Source) -> Iterator[tuple[Expression, Source]]:
    """What a value in a source is made of, each part once, with the source that its span points into."""
    left, seen = [(value, source)], set[int]()
    while left:
        part, where = left.pop()
        if id(part) not in seen:
            seen.add(id(part))
            yield part, where
            inner = part.source if isinstance(part, Bound) else where
            left.extend((child, inner) for child in children(part))
