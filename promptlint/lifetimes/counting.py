"""Whole quotients of a time that is counted in seconds: days, hours or minutes since some moment."""

from __future__ import annotations

from promptlint.events import Event
from promptlint.expression import Attribute, Bound, Call, Expression, Filter, Index, Literal, Name, Slice, Unknown

_PER_SECOND = {
    **dict.fromkeys(("getTime", "valueOf", "toMillis", "timestamp_ms"), 1_000),
    **dict.fromkeys(("time_ns", "monotonic_ns", "perf_counter_ns"), 1_000_000_000),
}
_NOT_SECONDS = frozenset({"minute", "second", "millisecond", "microsecond", "nanosecond"})
"""Parts of a moment: their quotients start again with each minute or hour."""

_HOUR, _WEEK = 3_600, 7 * 86_400


def event_of_quotient(quotient: Expression) -> Event:
    """How often `seconds // number` changes; REQUEST where the number that is divided is not known to be seconds."""
    divisor: float = 1
    while True:
        match quotient:
            case Filter(of=of, name="floordiv", arguments=(Literal(value=int() | float() as number),)):
                divisor *= abs(number)
                quotient = of
            case Attribute(name=name) | Name(id=name) | Filter(name=name) if name in _NOT_SECONDS:
                return Event.REQUEST
            case Call(function=Attribute(of=Name(id="Date"), name="now")):
                return _event(divisor / 1_000)
            case Attribute(name=name) | Name(id=name) | Filter(name=name) if name in _PER_SECOND:
                return _event(divisor / _PER_SECOND[name])
            case Unknown(parts=parts) if any(isinstance(part, Literal) for part in parts):
                # It may have been multiplied.
                return Event.REQUEST
            case Call(function=Name(id="int" | "round" | "as_timestamp"), arguments=(of, *_)):
                quotient = of
            case Bound(value=of) | Attribute(of=of) | Filter(of=of) | Index(of=of) | Slice(of=of) | Call(function=of):
                quotient = of
            case _:
                return _event(divisor)


def _event(seconds: float) -> Event:
    if seconds >= _WEEK:
        return Event.DEPLOY
    return Event.DAY if seconds >= _HOUR else Event.REQUEST
