"""Formats of clocks: how often the text changes that a format writes.

Every function gives the most frequent event among the format's directives: REQUEST for anything finer than an
hour, DAY for an hour or a day, DEPLOY for anything coarser, None when no directive reads the clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from promptlint.events import Event

_STRFTIME = re.compile(r"%([-_0^#:.EO]*\d*)([A-Za-z%+])")
_STRFTIME_EVENTS = {
    **dict.fromkeys("YyCGgmbBhqUVWZz", Event.DEPLOY),
    **dict.fromkeys("dejaAwuxDFvHIklpP", Event.DAY),
    **dict.fromkeys("MSfLNscrRTX+", Event.REQUEST),
}
"""https://docs.python.org/3/library/datetime.html#format-codes with the extensions of GNU date and chrono."""

_QUOTED = re.compile(r"'[^']*'|\[[^\]]*\]")
_TOKEN = re.compile(r"([A-Za-z])\1*")
_WHOLE_TOKENS = {
    **dict.fromkeys(("LT", "LTS", "LLL", "LLLL", "lll", "llll", "X", "x"), Event.REQUEST),
    **dict.fromkeys(("L", "LL", "l", "ll"), Event.DAY),
}
_LUXON_WHOLE = re.compile(r"[tTfF]{1,4}")
_TOKEN_EVENTS = {
    **dict.fromkeys("yYuGgMLQqwWZzOVvXx", Event.DEPLOY),
    **dict.fromkeys("dDEecHhKkjaAbB", Event.DAY),
    **dict.fromkeys("msS", Event.REQUEST),
}
"""https://www.unicode.org/reports/tr35/tr35-dates.html#Date_Field_Symbol_Table, https://day.js.org/docs/en/display/format
and https://moment.github.io/luxon/#/formatting?id=table-of-tokens agree on all of these but X and x."""

_PHP_EVENTS = {
    **dict.fromkeys("WFmMntLoYyxXeIOpTZ", Event.DEPLOY),
    **dict.fromkeys("dDjlNSwzaAgGhH", Event.DAY),
    **dict.fromkeys("BisuvcrUP", Event.REQUEST),
}
"""https://www.php.net/manual/datetime.format.php; Django's `date` filter adds `P`, a time of day with minutes."""

_INTL_EVENTS = {
    **dict.fromkeys(("era", "year", "month", "timeZoneName"), Event.DEPLOY),
    **dict.fromkeys(("weekday", "day", "dayPeriod", "hour", "dateStyle"), Event.DAY),
    **dict.fromkeys(("minute", "second", "fractionalSecondDigits", "timeStyle"), Event.REQUEST),
}
"""https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Intl/DateTimeFormat/DateTimeFormat"""


def most_frequent(events: Iterable[Event | None]) -> Event | None:
    """The most frequent of the events that are there; None when there is none."""
    return max((event for event in events if event is not None), key=lambda event: event.rank, default=None)


def strftime_parts(fmt: str) -> Iterator[tuple[str, str]]:
    """The format cut into directives and literal text: (letter, "") or ("", text). `%%` is literal text."""
    at = 0
    for directive in _STRFTIME.finditer(fmt):
        if directive.start() > at:
            yield "", fmt[at : directive.start()]
        at = directive.end()
        letter = directive[2]
        if letter == "%":
            yield "", "%"
        elif letter in "nt":
            yield "", " "
        else:
            yield letter, ""
    if at < len(fmt):
        yield "", fmt[at:]


def strftime_event(letter: str) -> Event | None:
    """How often one strftime directive changes; None for a letter that is no directive."""
    return _STRFTIME_EVENTS.get(letter)


def granularity_strftime(fmt: str) -> Event | None:
    """How often the text of a strftime format changes; None when it has no clock directive."""
    return most_frequent(strftime_event(letter) for letter, _ in strftime_parts(fmt))


def granularity_tokens(fmt: str) -> Event | None:
    """How often the text of a format of letters changes: ICU, luxon, day.js, moment.js, date-fns.

    Text in single quotes or square brackets is literal.
    """
    bare = _QUOTED.sub(" ", fmt).strip()
    if (whole := _WHOLE_TOKENS.get(bare)) is not None:
        return whole
    if _LUXON_WHOLE.fullmatch(bare):
        return Event.REQUEST
    return most_frequent(_TOKEN_EVENTS.get(token[1]) for token in _TOKEN.finditer(bare))


def granularity_php(fmt: str) -> Event | None:
    """How often the text of a format of PHP, Twig or Django changes; a backslash makes a letter literal."""
    return most_frequent(_PHP_EVENTS.get(letter) for letter in re.sub(r"\\.", "", fmt))


def granularity_any(fmt: str) -> Event | None:
    """How often the text of a format changes whose grammar its own letters must tell.

    `%` belongs to strftime; letters that all stand alone (`Y-m-d H:i`) to PHP; anything else are tokens.
    """
    if "%" in fmt:
        return granularity_strftime(fmt)
    runs = [token[0] for token in _TOKEN.finditer(_QUOTED.sub(" ", fmt))]
    if len(runs) > 1 and all(len(run) == 1 for run in runs):
        return granularity_php(fmt)
    return granularity_tokens(fmt)


def granularity_intl(options: Mapping[str, object], default: Event) -> Event:
    """How often the text changes that `Intl.DateTimeFormat` options ask for; `default` when they name no field."""
    return most_frequent(_INTL_EVENTS.get(option) for option in options) or default
