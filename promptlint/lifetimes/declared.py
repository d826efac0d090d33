"""What the configuration says about values; it overrides everything else that is known of a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from promptlint.events import FIXED, Cause, Confidence, Event, Evidence, Hop, Lifetime
from promptlint.expression import Expression
from promptlint.lifetimes.combining import shown
from promptlint.lifetimes.names import named
from promptlint.lifetimes.table import Table
from promptlint.source import Place, Source

_KINDS = {
    Event.DEPLOY: "config",
    Event.RESTART: "environment",
    Event.DAY: "clock",
    Event.TENANT: "tenant",
    Event.USER: "identity",
    Event.SESSION: "session",
    Event.TURN: "input",
    Event.REQUEST: "counter",
}
"""The kind of a declared value whose name says none."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The events that change a value, as the configuration states them; none for a constant."""

    events: frozenset[Event]
    place: Place | None = None


def declaration(
    path: Sequence[str], declared: Mapping[str, Declared], expression: Expression, source: Source, table: Table
) -> Lifetime | None:
    """The lifetime that is declared for a dotted name or for what it is an attribute of; None when there is none."""
    for end in range(len(path), 0, -1):
        if (statement := declared.get(".".join(path[:end]))) is not None:
            return _stated(statement, path, expression, source, table)
    return None


def _stated(statement: Declared, path: Sequence[str], expression: Expression, source: Source, table: Table) -> Lifetime:
    if not statement.events:
        return FIXED
    said = named(path, table)
    kind = said.row.kind if said is not None else _KINDS[max(statement.events, key=lambda event: event.rank)]
    hops = () if statement.place is None else (Hop(statement.place, "declared here"),)
    what, place = shown(expression, source), Place(source, expression.span)
    cause = Cause(kind, statement.events, Evidence.DECLARATION, Confidence.HIGH, what, place, hops)
    return Lifetime((cause,), growing=said is not None and said.row.growing, few=said is not None and said.row.few)
