"""The lifetime of an expression: what changes its value, how often, and how that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from promptlint.events import UNKNOWN, Lifetime
from promptlint.expression import Expression
from promptlint.lifetimes.combining import walked
from promptlint.lifetimes.declared import Declared
from promptlint.lifetimes.reading import Reading
from promptlint.lifetimes.table import Table, shipped
from promptlint.source import Source

__all__ = ["Classifier", "Declared", "lifetime_of"]

_NOTHING: Mapping[str, Declared] = {}


class Classifier:
    """Lifetimes of the expressions of one prompt. What they share is read once.

    Without `table` the tables that come with promptlint are used. An expression that is nested too deeply to be
    followed gives UNKNOWN.
    """

    def __init__(self, declared: Mapping[str, Declared] = _NOTHING, table: Table | None = None) -> None:
        self._reading = Reading(declared, table or shipped())

    def lifetime(self, expression: Expression, source: Source) -> Lifetime:
        """What changes the value of an expression whose spans point into `source`."""
        try:
            return self._reading.value(expression, source)
        except RecursionError:
            return UNKNOWN

    def walk(self, iterated: Expression, source: Source) -> Lifetime:
        """What changes how often a loop over a value runs, and over what."""
        return walked(self.lifetime(iterated, source))

    def condition(self, test: Expression, source: Source) -> Lifetime:
        """What changes the outcome of a test; `few` for one that makes a few variants, stable in a conversation."""
        try:
            return self._reading.condition(test, source)
        except RecursionError:
            return replace(UNKNOWN, few=True)


def lifetime_of(
    expression: Expression,
    source: Source,
    declared: Mapping[str, Declared] = _NOTHING,
    table: Table | None = None,
) -> Lifetime:
    """What changes the value of one expression whose spans point into `source`."""
    return Classifier(declared, table).lifetime(expression, source)
