"""Breakpoints that messages, blocks and tools carry in a program, and what carries them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.expression import Call, Entry, Expression, Literal, Record
from promptlint.flow.lists import entry_of
from promptlint.flow.table import Sinks
from promptlint.source import Span
from promptlint.traversal import bare, entries_of

_PER_PROVIDER = frozenset({"providerOptions", "provider_options", "providerMetadata", "experimental_providerMetadata"})
"""Entries whose own entries are options of one provider each."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A breakpoint where it is written. `site` is what carries it, by the names of `rules/data/breakpoints.toml`."""

    span: Span
    ttl: str | None
    site: str


def marks(value: Record | Call, sinks: Sinks, *, made: bool = False) -> Iterator[Mark]:
    """Breakpoints in a record, or among what a constructor is given. `made`: a constructor makes the message."""
    site = "block"
    if made and isinstance(value, Record):
        kind = entry_of(value, "type")
        site = "langchain tool_use" if isinstance(kind, Literal) and kind.value == "tool_use" else site
    for name, given, span in _given(value):
        if sinks.fields.get(name) == "marker":
            yield Mark(span, _ttl(given), site)
        elif name == "additional_kwargs":
            yield from _inner(given, sinks, "langchain additional_kwargs")
        elif name in _PER_PROVIDER:
            for options in entries_of(given).values():
                yield from _inner(options, sinks, site)


def _given(value: Record | Call) -> Iterator[tuple[str, Expression, Span]]:
    if isinstance(value, Call):
        yield from ((name, given, given.span) for name, given in value.keywords)
        records = (bare(argument) for argument in value.arguments)
        value = next((record for record in records if isinstance(record, Record)), Record((), value.span))
    for entry in value.entries:
        match entry:
            case Entry(key=Literal(value=str() as name), value=given, span=span):
                yield name, given, span


def _inner(value: Expression, sinks: Sinks, site: str) -> Iterator[Mark]:
    record = bare(value)
    for name, given, span in _given(record) if isinstance(record, Record) else ():
        if sinks.fields.get(name) == "marker":
            yield Mark(span, _ttl(given), site)


def _ttl(value: Expression) -> str | None:
    marker = bare(value)
    ttl = entry_of(marker, "ttl") if isinstance(marker, Record) else None
    return ttl.value if isinstance(ttl, Literal) and isinstance(ttl.value, str) else None
