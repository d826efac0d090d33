"""What a value that differs is called, and the rule that owns it."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.events import Event
from promptlint.rulebook import rules


@dataclass(frozen=True, slots=True)
class Named:
    """A word of `difference` as a subject ("a clock"), and the kind and event that its value has when the text around
    it says no more."""

    subject: str
    kind: str
    event: Event


VALUES = {
    "time": Named("a clock", "clock", Event.REQUEST),
    "epoch": Named("a time since 1970", "clock", Event.REQUEST),
    "date": Named("a date", "clock", Event.DAY),
    "uuid": Named("a UUID", "id", Event.REQUEST),
    "ulid": Named("a ULID", "id", Event.REQUEST),
    "hash": Named("a hash", "id", Event.REQUEST),
    "id": Named("an id", "id", Event.REQUEST),
    "path": Named("a path", "id", Event.SESSION),
    "counter": Named("a counter", "counter", Event.REQUEST),
    "number": Named("a number", "counter", Event.REQUEST),
}
"""The words of `difference` that name a value."""


def owner(kind: str, event: Event) -> str:
    """The rule about values of a kind that an event changes; "prefix-divergence" when none is."""
    owners = (each.name for each in rules() if each.when and kind in each.when.kinds and event in each.when.events)
    return next(owners, "prefix-divergence")
