"""Who shares entries with whom, what keeps them apart, and what was shown about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from promptlint.providers.isolation import attacks, attacks_on
from promptlint.providers.row import Provider
from promptlint.report.paint import Paint
from promptlint.report.providers_view import age, sources_of
from promptlint.report.tables import table


def isolation_table(providers: Sequence[Provider], today: date, paint: Paint) -> Iterator[str]:
    """One line a provider, then the published attacks with their sources."""
    head, *lines = table(
        ["provider", "shared by", "salt", "routing key", "attacks", "confidence"],
        [
            [
                provider.name,
                provider.scope,
                ", ".join(provider.salts) or "-",
                ", ".join(provider.cache_keys) or "-",
                ", ".join(attack.name for attack in attacks_on(provider)) or "-",
                provider.confidence,
            ]
            for provider in providers
        ],
    )
    yield paint.dim(head)
    yield from lines
    yield ""
    for attack in attacks():
        yield f"{paint.bold(attack.name)} ({attack.year}): {attack.what}"
        yield from (f"  {source}" for source in sources_of(attack.sources))
        yield f"  checked {age(attack.checked_on, today)}; confidence {attack.confidence}"
