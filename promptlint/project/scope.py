"""Names and what they stand for while a template is written out."""

from __future__ import annotations

from dataclasses import dataclass, field

from promptlint.expression import Attribute, Bound, Call, Choice, Expression, Name, Unknown, path
from promptlint.source import Source, Span
from promptlint.template import Import, Macro, Node, Template
from promptlint.traversal import rebuild, weight

_MOST_NODES = 400
"""An expression that grows past this while names are replaced is cut to unknown: work per hole stays bounded."""


@dataclass(frozen=True, slots=True)
class File:
    """A template with the source that its spans point into."""

    source: Source
    template: Template


@dataclass(frozen=True, slots=True)
class Text:
    """A name whose value is a written body: `{% set x %}...{% endset %}`, or `caller()` of a macro."""

    body: tuple[Node, ...]
    file: File
    scope: Scope


@dataclass(frozen=True, slots=True)
class MacroIn:
    """A macro with the file that it stands in and the names it sees."""

    macro: Macro
    file: File
    scope: Scope


@dataclass(slots=True)
class Scope:
    values: dict[str, Expression] = field(default_factory=dict)
    texts: dict[str, Text] = field(default_factory=dict)
    macros: dict[str, MacroIn] = field(default_factory=dict)

    def copy(self) -> Scope:
        return Scope(dict(self.values), dict(self.texts), dict(self.macros))

    def namespaces(self) -> Scope:
        """Only the fields of namespaces: what a loop sets in one outlives the loop."""
        return Scope({name: value for name, value in self.values.items() if "." in name})

    def bind(self, name: str, value: Expression, source: Source, span: Span) -> None:
        self.texts.pop(name, None)
        if weight(value, _MOST_NODES) > _MOST_NODES:
            value = Unknown((), span)
        self.values[name] = Bound(name, value, source, span)

    def resolve(self, expression: Expression) -> Expression:
        """The expression with every name that is known here replaced by its value."""
        match expression:
            case Name(id=name) if name in self.values:
                return self.values[name]
            case Attribute() if (dotted := ".".join(path(expression))) in self.values:
                return self.values[dotted]
            case Bound():
                return expression
        return rebuild(expression, self.resolve)

    def text_of(self, expression: Expression) -> Text | None:
        """The body that a hole writes: a name set to a body, or a call of `caller()`."""
        match expression:
            case Name(id=name) | Call(function=Name(id=name), arguments=()):
                return self.texts.get(name)
        return None

    def macro_of(self, expression: Expression) -> tuple[MacroIn, Call] | None:
        match expression:
            case Call(function=function) if (found := self.macros.get(".".join(path(function)))) is not None:
                return found, expression
        return None

    def take(self, other: Scope, node: Import) -> None:
        """Names of an imported file: all of them below an alias, or the ones asked for."""
        if node.alias is not None:
            self.macros.update({f"{node.alias}.{name}": macro for name, macro in other.macros.items()})
            self.values.update({f"{node.alias}.{name}": value for name, value in other.values.items()})
        for name, alias in node.names:
            if name in other.macros:
                self.macros[alias] = other.macros[name]
            if name in other.values:
                self.values[alias] = other.values[name]


def merge(before: Scope, arms: list[Scope], covers_all: bool, tests: tuple[Expression, ...] = ()) -> None:
    """After a branch on `tests`: a name has one of the values that its arms gave it; `before` is changed in place.

    `{% if x is not defined %}{% set x = d %}{% endif %}` gives x its default: the caller's value is not visible,
    and the author's default says what kind of value it is.
    """
    changed = {name for arm in arms for name, value in arm.values.items() if before.values.get(name) is not value}
    for name in sorted(changed):
        options: dict[Expression, None] = {}
        for arm in arms:
            if name in arm.values:
                options[arm.values[name]] = None
        if not covers_all and name in before.values:
            options[before.values[name]] = None
        chosen = tuple(options)
        span = chosen[0].span
        before.values[name] = chosen[0] if len(chosen) == 1 else Choice(None, chosen, span, tests)
    for arm in arms:
        before.macros.update(arm.macros)
        for name, text in arm.texts.items():
            before.texts.setdefault(name, text)
