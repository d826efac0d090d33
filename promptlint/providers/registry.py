"""The providers and engines whose caches are known, by name and by model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache

from promptlint.data import unknown
from promptlint.providers.row import UNBOUNDED as UNBOUNDED
from promptlint.providers.row import Interval as Interval
from promptlint.providers.row import Provider as Provider
from promptlint.providers.row import Usage as Usage
from promptlint.providers.row import folded
from promptlint.providers.table import rows


def providers() -> tuple[Provider, ...]:
    """All providers and engines, in the order of the table; the first is `generic`."""
    return rows()


def provider(name: str) -> Provider:
    """The provider of that name or alias, letter case apart.

    Raises UnknownNameError (a ValueError), with the nearest name, when there is none.
    """
    found = _named().get(name.strip().lower())
    if found is None:
        raise unknown("provider", name, _named())
    return found


def provider_for_model(model: str) -> Provider | None:
    """The provider that serves models of that name, None when the name does not tell.

    The first row with a matching glob wins. A leading provider's name ("anthropic/claude-opus-5") is then tried
    without it.
    """
    for candidate in without_gateways(folded(model)):
        for row in providers():
            if any(fnmatchcase(candidate, glob) for glob in row.models):
                return row
    return None


def serves(of: Provider, model: str) -> bool:
    """Whether a model of that name can run there: engines run whatever no provider's row names."""
    known = provider_for_model(model)
    if known is None:
        return of.kind == "engine"
    return known.name in (of.name, of.variant_of)


def without_gateways(model: str) -> Iterator[str]:
    """The model's name, then without each provider's name in front of it."""
    yield model
    head, slash, rest = model.partition("/")
    if slash and head in _named():
        yield from without_gateways(rest)


@cache
def _named() -> Mapping[str, Provider]:
    return {name: row for row in providers() for name in (row.name, *row.aliases)}
