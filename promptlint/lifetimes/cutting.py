"""Cutting, splitting and replacing in the text of a clock: which of its parts are left."""

from __future__ import annotations

import re

from promptlint.events import Event
from promptlint.expression import Attribute, Bound, Call, Expression, Filter, Format, Index, Literal, Name, Slice, path
from promptlint.lifetimes import clocktext
from promptlint.lifetimes.clocktext import Text

STRFTIME = frozenset({"strftime", "timestamp_custom", "formatTime"})
"""Methods and filters whose first argument is a strftime format."""

CUTS = frozenset({"slice", "substring", "substr"})
"""Methods that take a part of a text by position."""

_PRECISION = re.compile(r"(?:.?[<>=^])?\d*\.(\d{1,3})s?")
"""https://docs.python.org/3/library/string.html#format-specification-mini-language, as far as it is about texts."""

_ISO_CUTS = {4: Event.DEPLOY, 7: Event.DEPLOY, 10: Event.DAY, 13: Event.DAY}
_LAYOUTS = {
    **dict.fromkeys(("isoformat", "toISOString", "toJSON", "toISO"), clocktext.ISO),
    "toString": clocktext.SHORT,
    "toUTCString": clocktext.HTTP,
    "ctime": "%a %b %d %H:%M:%S %Y",
}


def event_of_cut(operation: Expression) -> Event | None:
    """How often a slice or a field of a clock's text changes; None for a part that never does.

    A text whose layout is not known is taken to be in ISO format where it is cut as dates are.
    """
    if (text := text_of(operation)) is not None:
        return clocktext.event_of(text)
    start, stop = bounds(operation)
    if start in (None, 0) and stop in _ISO_CUTS:
        return _ISO_CUTS[stop]
    return Event.REQUEST


def text_of(expression: Expression) -> Text | None:
    """The text of a clock as far as its layout is known; None for a moment whose text is not yet written."""
    match expression:
        case Bound(value=value):
            return text_of(value)
        case Format(of=of, spec=spec):
            if "%" in spec:
                return clocktext.written(spec)
            text = text_of(of)
            return text if text is None else clocktext.cut(text, None, precision(spec))
        case Filter(name=name, arguments=arguments) if name in STRFTIME:
            return None if (fmt := text_argument(arguments)) is None else clocktext.written(fmt)
        case Filter(of=of, name="string"):
            return text_of(of) or clocktext.written(clocktext.SPACED)
        case Filter(of=of, name="first" | "last" as which):
            return _field(of, 0 if which == "first" else -1)
        case Filter(of=of, name="trim" | "upper" | "lower"):
            return text_of(of)
        case Call(function=Name(id="str"), arguments=(of,)):
            return text_of(of) or clocktext.written(clocktext.SPACED)
        case Call(function=Attribute(of=of, name=name), arguments=arguments):
            return _text_of_method(of, name, arguments, expression)
        case Index(of=of, key=Literal(value=int() as number)):
            return _field(of, number)
        case Slice(of=of):
            text = text_of(of)
            return None if text is None else clocktext.cut(text, expression.start, expression.stop)
    function = path(expression.function) if isinstance(expression, Call) else ()
    if function and function[-1] == "strftime_now" and isinstance(expression, Call):
        return None if (fmt := text_argument(expression.arguments)) is None else clocktext.written(fmt)
    return None


def _text_of_method(of: Expression, name: str, arguments: tuple[Expression, ...], call: Expression) -> Text | None:
    if name in _LAYOUTS:
        return text_of(of) or clocktext.written(_LAYOUTS[name])
    if name in STRFTIME:
        return None if (fmt := text_argument(arguments)) is None else clocktext.written(fmt)
    text = text_of(of)
    if text is None:
        return None
    if name in CUTS:
        return clocktext.cut(text, *bounds(call))
    if name in ("replace", "replaceAll") and len(arguments) == 2:
        old, new = (constant(argument) for argument in arguments)
        return clocktext.replaced(text, old, new) if isinstance(old, str) and isinstance(new, str) else None
    return text if name in ("strip", "trim", "upper", "lower", "rstrip", "lstrip") else None


def _field(of: Expression, number: int) -> Text | None:
    """One field of a text that was split; a moment that is split as text is taken to be in ISO format."""
    match of:
        case Filter(of=Call(function=Attribute(name="split" | "rsplit")) as inner, name="list"):
            of = inner
        case Filter(of=whole, name="split", arguments=arguments):
            of = Call(Attribute(whole, "split", of.span), arguments, (), of.span)
    match of:
        case Call(function=Attribute(of=whole, name="split" | "rsplit"), arguments=arguments):
            separator = constant(arguments[0]) if arguments else None
            if not isinstance(separator, str | None):
                return None
            layout = clocktext.ISO if separator == "T" else clocktext.SPACED
            fields = clocktext.split(text_of(whole) or clocktext.written(layout), separator)
            return fields[number] if -len(fields) <= number < len(fields) else None
    return None


def bounds(operation: Expression) -> tuple[int | None, int | None]:
    """Start and stop of a slice, a precision, or a method that cuts; None where the text does not say."""
    match operation:
        case Slice(start=start, stop=stop):
            return start, stop
        case Format(spec=spec):
            return None, precision(spec)
        case Call(function=Attribute(name=name), arguments=arguments) if name in CUTS:
            numbers = [constant(argument) for argument in arguments]
            start, stop = (number if isinstance(number, int) else None for number in (*numbers, None, None)[:2])
            if name == "substr" and start is not None and stop is not None:
                stop += start
            return start, stop
    return None, None


def precision(spec: str) -> int | None:
    """How many characters of a text a format specification leaves: 10 for `.10`; None for all."""
    found = _PRECISION.fullmatch(spec)
    return int(found[1]) if found else None


def text_argument(arguments: tuple[Expression, ...]) -> str | None:
    """The first argument when it is a text in the source; a name bound to one counts."""
    value = constant(arguments[0]) if arguments else None
    return value if isinstance(value, str) else None


def constant(expression: Expression | None) -> object:
    """The value of a literal, also behind a name, and what `getattr` falls back on; None for anything else."""
    match expression:
        case Call(function=Name(id="getattr"), arguments=(_, _, Literal(value=value))):
            return value
        case Bound(value=value):
            return constant(value)
        case Literal(value=value):
            return value
    return None
