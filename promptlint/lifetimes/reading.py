"""Reads an expression from the inside out and says what changes its value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from promptlint.events import FIXED, UNKNOWN, Confidence, Event, Evidence, Lifetime
from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Compare,
    Element,
    Entry,
    Expression,
    Filter,
    Format,
    Index,
    Join,
    Kept,
    Literal,
    Name,
    Record,
    Repeat,
    Series,
    Slice,
    Slot,
    Spread,
    Stepped,
    Truth,
    Unknown,
    children,
)
from promptlint.lifetimes import calling
from promptlint.lifetimes.calls import row_of_path
from promptlint.lifetimes.chains import Chain, chains, own_chain
from promptlint.lifetimes.coarsening import coarsened, grain, is_part
from promptlint.lifetimes.combining import (
    REDUCING,
    SORTING,
    combined,
    counted,
    kept,
    of_row,
    opening,
    sorted_out,
    stepped,
    walked,
    windowed,
    with_hop,
    without_growth,
    without_new_ids,
    without_spare_ids,
)
from promptlint.lifetimes.conditions import condition
from promptlint.lifetimes.cutting import bounds
from promptlint.lifetimes.declared import Declared, declaration
from promptlint.lifetimes.entries import entries_at
from promptlint.lifetimes.names import few_valued, is_personal, named, names_class, snake
from promptlint.lifetimes.table import Row, Table
from promptlint.program import is_python, is_script
from promptlint.source import Source
from promptlint.traversal import bare

_COUNTS = frozenset({"length", "count", "wordcount", "size"})
_ENDS = frozenset({"first", "last"})
_BY_ATTRIBUTE = frozenset({"selectattr", "rejectattr", "groupby", "map"})
_DEFAULTS = frozenset({"default", "d"})


@dataclass(slots=True)
class Reading:
    """One walk over an expression. Each node is read once: names that are bound share their values.

    `counting` says that the length of a history is written, as a number that moves; without it, it is asked.
    """

    declared: Mapping[str, Declared]
    table: Table
    counting: bool = True
    _known: dict[tuple[int, int], tuple[Expression, Lifetime]] = field(default_factory=dict)
    _asking: Reading | None = None

    @property
    def asking(self) -> Reading:
        """Reads what is not written: tests, positions and the bounds of ranges, for which a history is one thing."""
        if not self.counting:
            return self
        if self._asking is None:
            self._asking = Reading(self.declared, self.table, counting=False)
        return self._asking

    def value(self, expression: Expression, source: Source) -> Lifetime:
        """Lifetime of an expression whose spans point into `source`."""
        key = (id(expression), id(source))
        if key not in self._known:
            # The node is kept beside its lifetime so that no other one can take its id.
            self._known[key] = (expression, self._read(expression, source))
        return self._known[key][1]

    def all(self, expressions: Iterable[Expression], source: Source) -> list[Lifetime]:
        return [self.value(expression, source) for expression in expressions]

    def said(self, expression: Expression, source: Source, called: bool = False) -> Lifetime | None:
        """What a declaration, a macro table or a name says about a chain of names; None when that is nothing.

        For the function of a call (`called`) only a declaration counts.
        """
        found = chains(expression)
        for chain in found:
            stated = declaration(chain.path, self.declared, expression, source, self.table)
            if stated is not None:
                return _hopped(stated, chain)
        # What a value was given as says more than the name that it was given to.
        for chain in () if called else found[:1]:
            if (lifetime := self._meaning(chain, expression, source)) is not None:
                return _hopped(lifetime, chain)
        return None

    def _meaning(self, chain: Chain, expression: Expression, source: Source) -> Lifetime | None:
        if (row := self.table.macros.get(".".join(chain.path))) is not None:
            return of_row(row, Evidence.MACRO, Confidence.HIGH, expression, source)
        if (row := row_of_path(chain.path, self.table)) is not None:
            return of_row(row, Evidence.CALL, Confidence.HIGH, expression, source)
        if names_class(chain.path[-1]) and (is_python(source.path) or is_script(source.path)):
            return None
        if (found := named(chain.path, self.table)) is not None:
            return of_row(found.row, Evidence.NAME, found.confidence, expression, source)
        return None

    def _read(self, expression: Expression, source: Source) -> Lifetime:
        match expression:
            case Literal():
                return FIXED
            case Name():
                return self.said(expression, source) or UNKNOWN
            case Attribute() | Index():
                return self._member(expression, source)
            case Slice(of=of):
                cut = coarsened(self.value(of, source), grain(expression))
                return windowed(cut, bounds(expression)[0])
            case Call():
                return calling.call(self, expression, source)
            case Filter():
                return self._filter(expression, source)
            case Format(of=of):
                return coarsened(self.value(of, source), grain(expression))
            case Unknown(parts=()):
                return UNKNOWN
            case Join(parts=parts) | Unknown(parts=parts):
                return combined(self.all(parts, source))
            case Choice(test=test, options=options):
                found = self.all(options, source)
                if test is None:
                    return combined(without_spare_ids(found))
                outcome = self.condition(test, source)
                if outcome.few and not all(option == FIXED or option.few for option in found):
                    outcome = replace(outcome, causes=())  # which of a few values it is says nothing about them
                return combined([*found, outcome])
            case Compare() | Truth():
                outcome = self.condition(expression, source)
                return replace(outcome, few=bool(outcome.causes))
            case Element(of=of) | Slot(of=of) | Spread(of=of):
                return self.value(of, source)
            case Repeat(iterated=iterated, body=body, test=test):
                picked = [] if test is None else [self.condition(test, source)]
                return combined([walked(self.value(iterated, source)), self.value(body, source), *picked])
            case Series() | Record() | Entry():
                return combined(self.all(children(expression), source))
            case Kept(of=of, until=until):
                return kept(self.value(of, source), Event(until))
            case Stepped():
                return stepped(expression, source)
            case Bound():
                return self._bound(expression, source)

    def condition(self, test: Expression, source: Source) -> Lifetime:
        """Lifetime of what a test decides."""
        return condition(test, lambda part: self.asking.value(part, source))

    def count(self, of: Expression, lifetime: Lifetime, expression: Expression, source: Source) -> Lifetime:
        """Lifetime of `expression`, the length of a value with a lifetime."""
        if self.counting and _is_whole(of):
            return counted(lifetime, expression, source)
        return without_growth(lifetime)

    def _member(self, expression: Attribute | Index, source: Source) -> Lifetime:
        if (said := self.said(expression, source)) is not None:
            if isinstance(expression, Attribute) and expression.name in _COUNTS:
                return self.count(expression.of, said, expression, source)
            return said
        lifetime = self._part(expression, source)
        if not lifetime.known and not lifetime.causes and (own := own_chain(expression)) is not None:
            meaning = self._meaning(own, expression, source)
            lifetime = lifetime if meaning is None else _hopped(meaning, own)
        return lifetime

    def _part(self, expression: Attribute | Index, source: Source) -> Lifetime:
        owner = calling.member_of(self.value(expression.of, source), expression.of)
        if isinstance(expression, Index):
            return self._item(expression, owner, source)
        name = expression.name
        if all(cause.evidence is Evidence.NAME for cause in owner.causes) and chains(expression.of):
            # A name speaks for its own value: what `date.foo` or `step.description` is, it does not say.
            harmless = name in self.table.same_methods
            clock = bool(owner.causes) and owner.causes[0].kind == "clock"
            if not (clock and (is_part(name) or harmless)):
                return UNKNOWN
        return self._few_valued(coarsened(owner, grain(expression, self.table.same_methods)), name)

    def _few_valued(self, owner: Lifetime, name: str) -> Lifetime:
        """`plan` or `is_admin` of a person has few possible values, however the person is reached."""
        if not owner.causes or not all(is_personal(cause.kind) for cause in owner.causes):
            return owner
        if (row := few_valued(name, self.table)) is None:
            return owner
        causes = tuple(replace(cause, kind=row.kind) for cause in owner.causes)
        return replace(owner, causes=causes, few=True)

    def _item(self, index: Index, owner: Lifetime, source: Source) -> Lifetime:
        item = coarsened(owner, grain(index))
        match index.key:
            case Literal(value=0) if owner.growing:
                return opening(item)
            case Literal(value=int() as number) if entries := entries_at(index.of, number, source):
                return combined([without_growth(self.value(*entry)) for entry in entries])
            case Literal(value=int() as number):
                return windowed(without_growth(item), number)
            case Literal(value=str() as name):
                if owner.causes and chains(index.of) and all(cause.evidence is Evidence.NAME for cause in owner.causes):
                    return UNKNOWN
                if (entries := entries_at(index.of, name, source)) is not None:
                    # An entry that is not among those that are seen is unknown.
                    return combined([self.value(*entry) for entry in entries]) if entries else UNKNOWN
                return self._few_valued(item if "id" in snake(name).split("_") else without_new_ids(item), name)
        if owner.causes and all(is_personal(cause.kind) and cause.evidence is Evidence.NAME for cause in owner.causes):
            return UNKNOWN  # `session.state[key]`: what stands under a key that is not seen may be anything
        # A loop that goes over the messages by their numbers.
        keys = [] if owner.growing and isinstance(bare(index.key), Stepped) else [index.key]
        return combined([without_growth(item), *self.asking.all(keys, source)])

    def _filter(self, expression: Filter, source: Source) -> Lifetime:
        name, of = expression.name, expression.of
        row = self.table.filters.get(name)
        if name == "date" and isinstance(of, Literal) and of.value in ("now", "today"):
            # Twig and Liquid read the clock by filtering these words.
            row = self.table.calls[("now",)]
            clock = of_row(row, Evidence.CALL, Confidence.HIGH, expression, source)
            return coarsened(clock, grain(expression))
        if (said := self._said_by_role(expression, source)) is not None:
            return said
        row = row or self._row_of_items(expression)
        arguments = self.all(expression.arguments, source)
        if row is not None:
            made = of_row(row, Evidence.CALL, Confidence.HIGH, expression, source)
            return combined([made, self.value(of, source), *arguments]) if row.kind == "order" else made
        value = self.value(of, source)
        if name in _DEFAULTS:
            return combined([value, *arguments])
        value = coarsened(value, grain(expression, self.table.same_filters))
        if name in _COUNTS:
            value = sorted_out(self.count(of, value, expression, source))
        elif name in _ENDS:
            value = without_growth(value)
        elif name in SORTING or name in REDUCING:
            value = sorted_out(value)
        return combined([value, *arguments]) if arguments else value

    def _said_by_role(self, expression: Filter, source: Source) -> Lifetime | None:
        """A clock that is a message of its own role: `messages|selectattr("role", "eq", "current_date")`."""
        if expression.name not in _BY_ATTRIBUTE or not self.value(expression.of, source).growing:
            return None
        for argument in expression.arguments:
            if isinstance(argument, Literal) and isinstance(argument.value, str):
                words = argument.value.replace("-", "_").split("_")
                tails = ("_".join(words[at:]) for at in range(len(words)))
                for found in (named((tail,), self.table) for tail in tails):
                    if found is not None and found.row.kind == "clock":
                        return of_row(found.row, Evidence.NAME, found.confidence, expression, source)
        return None

    def _row_of_items(self, expression: Filter) -> Row | None:
        """The row of a list that is known by what its items are filtered by: `states | selectattr('domain', ...)`."""
        match expression:
            case Filter(of=of, arguments=(Literal(value=str() as attribute), *_)) if expression.name in _BY_ATTRIBUTE:
                paths = ((*chain.path, "*", attribute) for chain in chains(of)[:1])
                return next((row for path in paths if (row := row_of_path(path, self.table)) is not None), None)
        return None

    def _bound(self, bound: Bound, source: Source) -> Lifetime:
        stated = declaration((bound.name,), self.declared, bound, bound.source, self.table)
        if stated is not None:
            return stated
        value = self.value(bound.value, bound.source)
        if not value.causes and not value.known and _is_hidden(bound.value):
            found = named((bound.name,), self.table)
            if found is not None and (found.confidence > Confidence.LOW or isinstance(bound.value, Unknown)):
                value = of_row(found.row, Evidence.NAME, found.confidence, bound, bound.source)
        elif not value.known and {cause.kind for cause in value.causes} <= {"input", "history"}:
            value = self._found_for(value, bound)
        return with_hop(value, bound.name, bound.source, bound.span)

    def _found_for(self, value: Lifetime, bound: Bound) -> Lifetime:
        """What something unseen makes of a question is retrieved text where the name that it is given says so."""
        found = named((bound.name,), self.table)
        if found is None or found.row.kind != "retrieval":
            return value
        causes = tuple(replace(cause, kind=found.row.kind, events=found.row.events) for cause in value.causes)
        return replace(value, causes=causes)


def _hopped(lifetime: Lifetime, chain: Chain) -> Lifetime:
    for bound in reversed(chain.bounds):
        lifetime = with_hop(lifetime, bound.name, bound.source, bound.span)
    return lifetime


def _is_hidden(value: Expression) -> bool:
    """Whether nothing of a value can be seen but the name that it is given to."""
    match value:
        case Unknown(parts=()) | Call(arguments=(), keywords=()):
            return True
        case Choice(test=None, options=options):
            # A parameter that its callers fill with other names.
            return all(isinstance(option, Bound | Name) or _is_hidden(option) for option in options)
    return False


def _is_whole(expression: Expression) -> bool:
    """Whether a value is not an item of a loop, whose length is fixed once it is written."""
    while True:
        match expression:
            case Element():
                return False
            case Bound(value=of) | Attribute(of=of) | Index(of=of) | Slice(of=of) | Filter(of=of):
                expression = of
            case Call(function=Attribute() as of) | Call(arguments=(of, *_)):
                expression = of
            case _:
                return True
