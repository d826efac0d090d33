"""What changes the result of a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from promptlint.events import UNKNOWN, Confidence, Event, Evidence, Lifetime
from promptlint.expression import Attribute, Bound, Call, Expression, Index, Literal, Name, Record, Series, Spread
from promptlint.lifetimes import calls
from promptlint.lifetimes.chains import chains
from promptlint.lifetimes.clocks import granularity_intl, granularity_strftime, granularity_tokens
from promptlint.lifetimes.coarsening import (
    KEPT,
    UNSEEN,
    Grain,
    coarsened,
    formatted,
    grain,
    is_formatting,
    is_part,
    options_of,
)
from promptlint.lifetimes.combining import (
    REDUCING,
    SORTING,
    combined,
    of_row,
    sorted_out,
    windowed,
    without_growth,
    without_place,
    without_spare_ids,
)
from promptlint.lifetimes.cutting import CUTS, STRFTIME, bounds, text_argument
from promptlint.lifetimes.entries import made_objects
from promptlint.lifetimes.filling import filled
from promptlint.lifetimes.handing import guessed, handed_to, is_made, without_names
from promptlint.lifetimes.names import called, names_class, snake
from promptlint.lifetimes.table import Row, Table
from promptlint.source import Source

_INPUTS = frozenset({"input", "history"})
_WRITING = re.compile(r"(?:to|as|render|format|build|compile|dump|invoke|write)(?:_|$)")
"""Methods that write what an object was made with."""

_ASKED = _INPUTS | {"retrieval"}
_TEMPLATE_METHODS = frozenset({"format", "render"})
_OWN_FIELDS = frozenset({"clock", "id", "choice", "counter"})


class Reader(Protocol):
    """What reads the values in a call."""

    @property
    def table(self) -> Table: ...
    def value(self, expression: Expression, source: Source) -> Lifetime: ...
    def all(self, expressions: Iterable[Expression], source: Source) -> list[Lifetime]: ...
    def said(self, expression: Expression, source: Source, called: bool = False) -> Lifetime | None: ...
    def count(self, of: Expression, lifetime: Lifetime, expression: Expression, source: Source) -> Lifetime: ...
    @property
    def asking(self) -> Reader: ...


def call(reader: Reader, expression: Call, source: Source) -> Lifetime:
    """Lifetime of a call's result: from the tables, from its arguments, or from what its name says."""
    if (stated := reader.said(expression.function, source, called=True)) is not None:
        return stated
    paths = [chain.path for chain in chains(expression.function)]
    given = (*expression.arguments, *(value for _, value in expression.keywords))
    if any(is_formatting(path[-1]) for path in paths if len(path) == 1) and len(given) > 1:
        moment = coarsened(reader.value(given[0], source), formatted(expression.arguments))
        return combined([moment, *reader.all(given[1:], source)])
    if any(path[-1] in SORTING for path in paths) and given:
        return sorted_out(combined(reader.all(given, source)))
    if (resolved := _resolved(reader, expression, source, paths)) is not None:
        return resolved
    if paths == [("isinstance",)] and given:
        return reader.value(given[0], source)
    if (entry := _entry(expression)) is not None:
        return combined(without_spare_ids([reader.value(entry, source), *reader.all(expression.arguments[1:], source)]))
    if any(calls.writes_arguments(path, reader.table) for path in paths):
        if paths[0] == ("range",):
            return combined(reader.asking.all(given, source))
        written = combined(reader.all(given, source))
        if paths[0][-1] in REDUCING:
            written = sorted_out(written)
        return reader.count(given[0], written, expression, source) if paths[0] == ("len",) and given else written
    # A new record may be given a new id: what is read from it later is not that id.
    given = (
        *expression.arguments,
        *(value for name, value in expression.keywords if snake(name).split("_")[-1] != "id"),
    )
    if isinstance(expression.function, Attribute):
        made = _method(reader, expression, expression.function, given, source)
    else:
        made = _function(reader, expression, given, source)
    if calls.reads_file(expression.function, reader.table):
        made = without_place(made)
    asks = any(calls.runs_commands(path, reader.table) for path in paths)
    if asks or _makes_record(expression):
        # What a command prints is not what it was asked with, and a field that is new each time says nothing of others.
        return _without(made, _OWN_FIELDS)
    return made


def member_of(made: Lifetime, of: Expression) -> Lifetime:
    """What the causes of a value say of a part of it: little, if it is made of several things given by name."""
    return _without(made, _OWN_FIELDS | {"history"}) if _takes_fields(of) else made


def _without(made: Lifetime, kinds: frozenset[str]) -> Lifetime:
    return replace(made, causes=tuple(cause for cause in made.causes if cause.kind not in kinds))


def _resolved(reader: Reader, expression: Call, source: Source, paths: Sequence[tuple[str, ...]]) -> Lifetime | None:
    """What the tables say: a function that reads something, or a command that is run."""
    table = reader.table
    for dotted in paths:
        if (row := calls.row_of_call(dotted, table)) is not None:
            given = (*expression.arguments, *(value for _, value in expression.keywords))
            if row.kind == "order" and _is_alone(expression):
                continue
            if _is_another_thing(row, expression):
                return replace(combined(reader.all(given, source)), known=False)
            if row.of_input:
                if not any(cause.kind in _INPUTS for value in reader.all(given, source) for cause in value.causes):
                    continue
                return of_row(row, Evidence.NAME, Confidence.MEDIUM, expression, source)
            lifetime = of_row(row, Evidence.CALL, Confidence.HIGH, expression, source)
            if row.kind == "order":
                return combined([lifetime, *reader.all(expression.arguments, source)])
            return coarsened(lifetime, _written_by(row, expression))
        if calls.runs_commands(dotted, table) and (command := calls.row_of_command(expression, table)) is not None:
            row, text = command
            lifetime = of_row(row, Evidence.CALL, Confidence.HIGH, expression, source)
            return coarsened(lifetime, Grain(granularity_strftime(text)) if row.grammar and "%" in text else KEPT)
    return None


def _is_another_thing(row: Row, expression: Call) -> bool:
    """Whether the call is given more or less than the row's functions take. Settings of a clock are no moment."""
    if row.arguments is None:
        return False
    return len(expression.arguments) != row.arguments or bool(row.arguments and expression.keywords)


def _is_alone(expression: Call) -> bool:
    """Whether a set is made of one item, which has no other order."""
    match expression.arguments:
        case (Series(items=(item,)),):
            return not isinstance(item, Spread)
    return False


def _written_by(row: Row, expression: Call) -> Grain:
    if not row.grammar or not expression.arguments:
        return KEPT
    fmt = text_argument(expression.arguments)
    if fmt is None:
        return UNSEEN
    return Grain(granularity_strftime(fmt) if row.grammar == "strftime" else granularity_tokens(fmt))


def _entry(expression: Call) -> Index | None:
    """`values.get("name")` as `values["name"]`."""
    match expression:
        case Call(function=Attribute(of=of, name="get"), arguments=(Literal(value=str()) as key, *_)):
            return Index(of, key, expression.span)
    return None


def _method(
    reader: Reader, expression: Call, function: Attribute, given: Sequence[Expression], source: Source
) -> Lifetime:
    owner = reader.value(function.of, source)
    table = reader.table
    arguments = reader.all(given, source)
    if (fields := filled(expression)) is not None:
        return combined(reader.all(fields, source))
    spread = {id(value) for name, value in expression.keywords if name == "**"}
    if function.name in _TEMPLATE_METHODS and spread:
        # Which of many values a template that is not seen writes is not known.
        pairs = zip(given, arguments, strict=True)
        arguments = [guessed(value, _ASKED) if id(each) in spread else value for each, value in pairs]
    if (options := _intl_options(function)) is not None:
        return combined([coarsened(argument, Grain(options)) for argument in arguments])
    left = grain(expression, table.same_methods)
    if function.name in CUTS:
        return windowed(coarsened(owner, left), bounds(expression)[0])
    if left == UNSEEN and _is_module(function.of, owner) and not (function.name in STRFTIME and len(given) == 1):
        owner = UNKNOWN
    owner = coarsened(owner, left)
    if is_part(function.name):
        arguments = [coarsened(argument, left) for argument in arguments]  # `zone.tzname(now)`
    if left != UNSEEN or function.name in table.same_methods:
        return combined([owner, *arguments])
    if not any(cause.confidence > Confidence.LOW for cause in owner.causes):
        said = reader.said(function, source) or _said_by_name(reader, expression, source)
        owner = said or owner
    made = made_objects(function.of)
    known = any(calls.row_of_call(chain.path, table) for each in made for chain in chains(each.function))
    if not known and not _WRITING.match(snake(function.name)):
        # What an object was made with says nothing about what it finds.
        owner = _without(owner, _OWN_FIELDS) if made else owner
        owner = without_names(owner, _INPUTS) if is_made(function.of) else owner
    # What is made of a history that is handed in is another text each time, and does not only get longer.
    given_to = (handed_to(function.name, without_growth(coarsened(argument, UNSEEN))) for argument in arguments)
    return replace(combined([owner, *given_to]), known=False)


def _is_module(expression: Expression, owner: Lifetime) -> bool:
    """Whether a clock that is known by name alone can be a module or class: `datetime.strptime(...)`."""
    clocks = bool(owner.causes) and all(cause.kind == "clock" for cause in owner.causes)
    return clocks and bool(chains(expression)) and all(cause.evidence is Evidence.NAME for cause in owner.causes)


def _function(reader: Reader, expression: Call, given: Sequence[Expression], source: Source) -> Lifetime:
    names = [chain.path[-1] for chain in chains(expression.function)]
    name = names[0] if names else ""
    arguments = [handed_to(name, coarsened(argument, UNSEEN)) for argument in reader.all(given, source)]
    whole = combined(arguments)
    if not whole.causes and (said := _said_by_name(reader, expression, source)) is not None:
        return said
    return replace(whole, known=False, growing=False)


def _makes_record(expression: Call) -> bool:
    """Whether a class is given several fields by name: `Result(text=..., made_at=...)`."""
    match expression.function:
        case Name(id=name) | Attribute(name=name):
            return len(expression.keywords) > 1 and name.lstrip("_")[:1].isupper()
    return False


def _takes_fields(expression: Expression) -> bool:
    """Whether a value is what a call gives that is handed several values by name: `prepare({messages, usage})`."""
    while isinstance(expression, Bound):
        expression = expression.value
    match expression:
        case Call(arguments=(), keywords=(_, _, *_)) | Call(arguments=(Record(entries=(_, _, *_)),)):
            return True
    return False


def _said_by_name(reader: Reader, expression: Call, source: Source) -> Lifetime | None:
    for chain in chains(expression.function):
        if names_class(chain.path[-1]):
            continue
        if (found := called(chain.path, reader.table)) is not None:
            return of_row(found.row, Evidence.NAME, found.confidence, expression, source)
    return None


def _intl_options(function: Attribute) -> Event | None:
    """How often `Intl.DateTimeFormat(...).format(moment)` changes; None for any other method."""
    match function:
        case Attribute(of=Call(function=made) as formatter, name="format"):
            if any(chain.path[-1] == "DateTimeFormat" for chain in chains(made)):
                return granularity_intl(options_of(formatter), Event.DAY)
    return None
