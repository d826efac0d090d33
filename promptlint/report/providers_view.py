"""What the registry knows about who caches: one line for each, or a page about one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from textwrap import wrap

from promptlint.providers.isolation import attacks_on
from promptlint.providers.prices import Price, prices_of
from promptlint.providers.row import UNBOUNDED, Interval, Provider
from promptlint.providers.table import sources, stale_after_days
from promptlint.report.paint import Paint
from promptlint.report.summary import counted, interval
from promptlint.report.tables import table

_WIDTH = 110
_LABEL = 12
_RULES = {
    "block": "block: the longest common prefix, rounded down to whole units",
    "token": "token: the longest common prefix, to the token",
    "boundary": "boundary: only a boundary that an earlier request wrote can be read",
    "object": "object: a cache that is created beforehand and named in the request",
    "unknown": "unknown: anything from nothing to the longest common prefix",
}
_PLACES = {"tools": "the end of the tools", "system": "the end of the system text", "message": "the end of the request"}


def providers_table(providers: Sequence[Provider], today: date, paint: Paint) -> Iterator[str]:
    """One line a provider. Rows that are due to be checked again say so."""
    head, *lines = table(
        ["provider", "rule", "unit", "minimum", "markers", "look-back", "TTL", "shared by", "checked"],
        [_line(provider, today) for provider in providers],
    )
    yield paint.dim(head)
    yield from lines


def provider_page(provider: Provider, today: date, paint: Paint) -> Iterator[str]:
    """Everything about one provider, with where it is from and how old it is."""
    also = f", also {', '.join(provider.aliases)}" if provider.aliases else ""
    yield f"{paint.bold(provider.title)} ({provider.name}{also}): {provider.kind}"
    for label, texts in _facts(provider, today).items():
        for index, text in enumerate(texts):
            lines = wrap(text, _WIDTH - _LABEL - 2, break_long_words=False, break_on_hyphens=False)
            for number, line in enumerate(lines):
                yield f"  {(label if index == number == 0 else ''):<{_LABEL}}{line}"


def age(checked_on: date, today: date) -> str:
    """How old a fact is; a fact past the registry's limit asks to be checked."""
    days = max(0, (today - checked_on).days)
    said = f"{checked_on.isoformat()}, {'today' if not days else counted(days, 'day') + ' ago'}"
    return f"{said}: check this" if days > stale_after_days() else said


def figure(ends: Interval) -> str:
    """Tokens, a range of them, or that nobody states them."""
    return "unknown" if ends[1] == UNBOUNDED else interval(ends)


def sources_of(names: Sequence[str]) -> list[str]:
    """A line for each source: where it is, its own date, when it was read."""
    found = (sources()[name] for name in names)
    return [f"{each.url} ({each.kind}, {each.dated}; read {each.checked_on.isoformat()})" for each in found]


def _line(provider: Provider, today: date) -> list[str]:
    return [
        provider.name,
        provider.match,
        "-" if provider.match in ("boundary", "object") and provider.unit[1] == 1 else figure(provider.unit),
        figure(provider.minimum),
        _markers(provider),
        f"{provider.lookback}" if provider.lookback else "-",
        _ttl(provider),
        provider.scope,
        age(provider.checked_on, today),
    ]


def _markers(provider: Provider) -> str:
    if not provider.max_breakpoints:
        return "-"
    return f"{provider.max_breakpoints}, needed" if provider.marked_only else f"{provider.max_breakpoints}"


def _ttl(provider: Provider) -> str:
    if provider.ttl is None:
        return "unknown"
    return ", ".join(ttl.name for ttl in provider.ttl) or "until evicted"


def _facts(provider: Provider, today: date) -> Mapping[str, list[str]]:
    facts = {
        "rule": [_RULES[provider.match]],
        "unit": [_unit(provider)],
        "minimum": [_tokens(provider.minimum), *_by_model(provider)],
        "written": [_written(provider)],
        "look-back": [f"{provider.lookback} positions, a marker's own included"] if provider.lookback else [],
        "TTL": [_lifetimes(provider)],
        "order": [" or ".join(", ".join(order) for order in provider.orders)],
        "breaks": _breaks(provider),
        "shared by": [provider.scope],
        "salts": [", ".join(provider.salts)] if provider.salts else [],
        "keys": [f"{', '.join(provider.cache_keys)}: where requests are routed"] if provider.cache_keys else [],
        "attacks": [f"{attack.name} ({attack.year}): {attack.what}" for attack in attacks_on(provider)],
        "usage": _usage(provider),
        "prices": _prices(provider, today),
        "notes": [" ".join(provider.notes.split())] if provider.notes else [],
        "sources": sources_of(provider.sources),
        "checked": [f"{age(provider.checked_on, today)}; confidence {provider.confidence}"],
    }
    return {label: texts for label, texts in facts.items() if texts}


def _unit(provider: Provider) -> str:
    if provider.match in ("boundary", "object"):
        return "nothing but boundaries" if provider.unit == (1, 1) else "unknown: more boundaries than are published"
    parts = ["; a block that matches in part can be read in part"] if provider.partial_blocks else []
    if provider.whole_prompt_minus_one:
        parts.append("; the last token is always computed")
    if provider.resumes == "checkpoints":
        parts.append("; models with windows or a recurrent state resume at checkpoints only")
    return f"{_tokens(provider.unit)}{''.join(parts)}"


def _tokens(ends: Interval) -> str:
    if ends[1] == UNBOUNDED:
        return "unknown"
    return counted(ends[0], "token") if ends[0] == ends[1] else f"{interval(ends)} tokens"


def _by_model(provider: Provider) -> list[str]:
    by_size: dict[Interval, list[str]] = {}
    for glob, ends in provider.minimum_by_model.items():
        by_size.setdefault(ends, []).append(glob)
    return [f"{figure(ends)}: {', '.join(globs)}" for ends, globs in sorted(by_size.items())]


def _written(provider: Provider) -> str:
    """At which places entries are written."""
    if provider.match in ("block", "token"):
        return "every whole unit of a request"
    places = [_PLACES[place] for place in provider.automatic]
    if provider.max_breakpoints:
        more = ", more are refused" if provider.excess == "refused" else ""
        places.append(f"{'only ' if provider.marked_only else ''}at markers, {provider.max_breakpoints} at most{more}")
    return "; ".join(places) or "unknown"


def _lifetimes(provider: Provider) -> str:
    if not provider.ttl:
        return _ttl(provider)
    named = [f"{ttl.name} ({interval(ttl.seconds)} seconds)" for ttl in provider.ttl]
    since = {"start": "from the start of a request", "last use": "from the last use", "write": "from the write"}
    return f"{', '.join(named)}, {since.get(provider.ttl_from, 'counted from where is unknown')}"


def _breaks(provider: Provider) -> list[str]:
    """What besides text loses a prefix, by the first field that is lost."""
    by_field: dict[str, list[str]] = {}
    for parameter, lost in provider.breaks.items():
        by_field.setdefault(lost, []).append(parameter)
    said = {
        "all": "loses everything",
        "tools": "loses tools and what follows",
        "system": "loses system text and what follows",
        "messages": "loses the messages",
        "none": "loses nothing",
        "unknown": "loses something, where is unknown",
    }
    return [f"{', '.join(names)}: {said[lost]}" for lost, names in by_field.items()]


def _usage(provider: Provider) -> list[str]:
    usage = provider.usage
    if not usage.read:
        return []
    total = " or ".join(usage.total) or "the sum of the others"
    parts = {"total": total, "read": " or ".join(usage.read), "written": " or ".join(usage.write)}
    if usage.uncached:
        parts["fresh"] = " or ".join(usage.uncached)
    return [f"{name}: {paths}" for name, paths in parts.items() if paths]


def _prices(provider: Provider, today: date) -> list[str]:
    known = prices_of(provider, today)
    return [f"US dollars per million tokens, {known[0].source}", *map(_price, known)] if known else []


def _price(price: Price) -> str:
    figures = {
        "fresh": price.fresh,
        "read": price.read,
        **{f"written {ttl}": each for ttl, each in price.write.items()},
    }
    parts = (f"{name} {low:g}" + (f" to {high:g}" if high != low else "") for name, (low, high) in figures.items())
    return f"{price.model}: {', '.join(parts)}"
