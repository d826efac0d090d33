"""What is left of a clock after an operation on it: a format, a part, a slice of its text."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace

from promptlint.events import Confidence, Event, Lifetime
from promptlint.expression import (
    Attribute,
    Call,
    Expression,
    Filter,
    Format,
    Index,
    Literal,
    Slice,
)
from promptlint.lifetimes.clocks import (
    granularity_any,
    granularity_intl,
    granularity_strftime,
    granularity_tokens,
)
from promptlint.lifetimes.counting import event_of_quotient
from promptlint.lifetimes.cutting import CUTS, STRFTIME, constant, event_of_cut, precision, text_argument
from promptlint.traversal import entries_of

_PARTS = {
    **dict.fromkeys(("year", "month", "quarter", "week", "weekNumber", "weekYear", "tzinfo", "zoneName"), Event.DEPLOY),
    **dict.fromkeys(("tzname", "utcoffset", "offset", "getFullYear", "getUTCFullYear", "getYear"), Event.DEPLOY),
    **dict.fromkeys(("getMonth", "getUTCMonth", "getTimezoneOffset", "month_name", "monthLong"), Event.DEPLOY),
    **dict.fromkeys(("date", "day", "hour", "weekday", "isoweekday", "isocalendar", "toordinal"), Event.DAY),
    **dict.fromkeys(("day_of_week", "dayOfWeek", "day_name", "day_of_year", "dayOfYear", "ordinal"), Event.DAY),
    **dict.fromkeys(("weekdayLong", "weekdayShort", "getDate", "getUTCDate", "getDay", "getUTCDay"), Event.DAY),
    **dict.fromkeys(("getHours", "getUTCHours", "toDateString", "toISODate", "toISOWeekDate"), Event.DAY),
    **dict.fromkeys(("to_date_string", "toSQLDate", "toPlainDate"), Event.DAY),
    **dict.fromkeys(("minute", "second", "millisecond", "microsecond", "nanosecond"), Event.REQUEST),
    **dict.fromkeys(("time", "timetz", "timestamp", "fromNow", "toRelative", "diff"), Event.REQUEST),
}
"""Attributes and methods that take a part of a moment: Python, pandas, pendulum, JavaScript, luxon, day.js."""

_UNITS = {"year": Event.DEPLOY, "quarter": Event.DEPLOY, "month": Event.DEPLOY, "week": Event.DEPLOY}
_UNITS.update({"isoWeek": Event.DEPLOY, "day": Event.DAY, "date": Event.DAY, "hour": Event.DAY})

_TOKENS = frozenset({"format", "toFormat", "tz_format"})
_LOCALE = {"toLocaleDateString": Event.DAY, "toLocaleTimeString": Event.REQUEST, "toLocaleString": Event.REQUEST}
_ANY = frozenset(
    {"date", "format_date", "date_format", "dateformat", "formatDate", "dateFormat", "datetimeformat"}
    | {"format_datetime", "formatDateTime", "format_time", "format", "formatInTimeZone", "lightFormat"}
)
"""Filters and functions that take a moment and a format."""


@dataclass(frozen=True, slots=True)
class Grain:
    """How often what is left changes, None for never; `seen` is false where the operation cannot be followed."""

    event: Event | None = Event.REQUEST
    seen: bool = True


KEPT = Grain()
UNSEEN = Grain(seen=False)


def coarsened(lifetime: Lifetime, grain: Grain) -> Lifetime:
    """The lifetime with its clocks made as coarse as the grain; other causes stay as they are."""
    if grain == KEPT:
        return lifetime
    causes = []
    for cause in lifetime.causes:
        if cause.kind != "clock":
            causes.append(cause)
        elif grain.event is not None:
            events = frozenset(min(event, grain.event, key=lambda one: one.rank) for event in cause.events)
            confidence = cause.confidence
            if not grain.seen and Event.REQUEST in events:
                confidence = min(confidence, Confidence.MEDIUM)
            causes.append(replace(cause, events=events, confidence=confidence))
    return replace(lifetime, causes=tuple(causes))


def is_formatting(function: str) -> bool:
    """Whether a function of this name takes a moment and a format."""
    return function in _ANY


def grain(operation: Expression, harmless: Set[str] = frozenset()) -> Grain:
    """What the outermost operation of an expression leaves of a clock in it.

    `harmless` are methods and filters that write a value as it is.
    """
    match operation:
        case Attribute(name=name):
            return _part(name, harmless)
        case Format(spec=spec):
            if "%" in spec:
                return Grain(granularity_strftime(spec))
            return KEPT if precision(spec) is None else Grain(event_of_cut(operation))
        case Filter(name=name, arguments=arguments):
            return _filter(name, arguments, operation, harmless)
        case Call(function=Attribute(name=name)):
            return _method(name, operation, harmless)
        case Slice() | Index():
            return Grain(event_of_cut(operation))
    return UNSEEN


def is_part(name: str) -> bool:
    """Whether an attribute of this name is a part of a moment."""
    return name in _PARTS


def formatted(arguments: tuple[Expression, ...]) -> Grain:
    """What a function that takes a moment and then a format leaves of the moment."""
    formats = [argument.value for argument in arguments[1:] if isinstance(argument, Literal)]
    texts = [value for value in formats if isinstance(value, str)]
    if not texts:
        return UNSEEN
    # date-fns puts a time zone before the format (formatInTimeZone): the format is the last text.
    return Grain(granularity_strftime(texts[-1]) if "%" in texts[-1] else granularity_tokens(texts[-1]))


def _part(name: str, harmless: Set[str]) -> Grain:
    if (event := _PARTS.get(name)) is not None:
        return Grain(event)
    return KEPT if name in harmless else UNSEEN


def _filter(name: str, arguments: tuple[Expression, ...], operation: Expression, harmless: Set[str]) -> Grain:
    if name in STRFTIME or name in _ANY:
        fmt = text_argument(arguments)
        if fmt is None:
            return Grain(Event.DAY) if name == "date" and not arguments else UNSEEN
        return Grain(granularity_strftime(fmt) if name in STRFTIME else granularity_any(fmt))
    if name in ("first", "last"):
        return Grain(event_of_cut(operation))
    if name == "floordiv":
        return Grain(event_of_quotient(operation))
    return KEPT if name in harmless else UNSEEN


def options_of(call: Call) -> dict[str, Expression]:
    """What a call is given by name, also in an object behind its arguments, as JavaScript does it."""
    found = dict(call.keywords)
    last: Expression | None = call.arguments[-1] if call.arguments else None
    return found | ({} if last is None else entries_of(last))


def _method(name: str, call: Call, harmless: Set[str]) -> Grain:
    keywords = options_of(call)
    if name in STRFTIME or name in _TOKENS:
        fmt = text_argument(call.arguments)
        if fmt is None:
            return UNSEEN
        return Grain(granularity_strftime(fmt) if "%" in fmt or name in STRFTIME else granularity_tokens(fmt))
    if name in _LOCALE:
        hidden = len(call.arguments) > 1 and not keywords and name != "toLocaleDateString"
        return UNSEEN if hidden else Grain(granularity_intl(keywords, _LOCALE[name]))
    if name == "startOf":
        return Grain(_UNITS.get((text_argument(call.arguments) or "").removesuffix("s"), Event.REQUEST))
    if name == "replace" and {"minute", "second", "microsecond"} <= keywords.keys():
        return Grain(Event.DAY)
    if name == "isoformat" and (precision := constant(keywords.get("timespec"))) is not None:
        return Grain(Event.DAY) if precision == "hours" else KEPT
    if name in CUTS:
        return Grain(event_of_cut(call))
    return _part(name, harmless)
