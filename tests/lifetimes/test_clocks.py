from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.events import Event
from promptlint.lifetimes import clocktext
from promptlint.lifetimes.clocks import (
    granularity_any,
    granularity_intl,
    granularity_php,
    granularity_strftime,
    granularity_tokens,
)

DIRECTIVES = {
    Event.DEPLOY: ["%Y", "%y", "%m", "%b", "%B", "%Z", "%z", "%:z", "%U", "%V", "%G", "%-m"],
    Event.DAY: ["%d", "%-d", "%#d", "%_d", "%j", "%A", "%a", "%H", "%I", "%-I", "%p", "%x", "%F", "%D", "%e", "%u"],
    Event.REQUEST: ["%M", "%S", "%f", "%X", "%T", "%R", "%c", "%s", "%-M", "%3f", "%.3f"],
}
EVENTS = {directive: event for event, directives in DIRECTIVES.items() for directive in directives}


@pytest.mark.parametrize(("directive", "event"), EVENTS.items())
def test_each_directive_has_its_granularity(directive: str, event: Event) -> None:
    assert granularity_strftime(directive) is event


@given(st.lists(st.sampled_from([*EVENTS, "%%", "%%H", "-", ": ", "at ", "T", "100 "]), max_size=8))
def test_a_strftime_format_is_as_fine_as_its_finest_directive(parts: list[str]) -> None:
    events = [EVENTS[part] for part in parts if part in EVENTS]
    finest = max(events, key=lambda event: event.rank, default=None)
    assert granularity_strftime("".join(parts)) is finest


@pytest.mark.parametrize(
    ("fmt", "event"),
    [
        ("", None),
        ("no clock", None),
        ("100%", None),
        ("%%M", None),
        ("%", None),
        ("%n%t", None),
        ("%Y-%m-%d", Event.DAY),
        ("%B %Y", Event.DEPLOY),
        ("%d %b %Y", Event.DAY),
        ("%H h on %A", Event.DAY),
        ("%I %p", Event.DAY),
        ("%Y-%m-%dT%H:%M:%SZ", Event.REQUEST),
        ("100%% at %H:%M", Event.REQUEST),
    ],
)
def test_strftime(fmt: str, event: Event | None) -> None:
    assert granularity_strftime(fmt) is event


@pytest.mark.parametrize(
    ("fmt", "event"),
    [
        ("yyyy-MM-dd", Event.DAY),
        ("YYYY-MM-DD", Event.DAY),
        ("YYYY-MM-DDTHH:mm:ssZ", Event.REQUEST),
        ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", Event.REQUEST),
        ("MMMM yyyy", Event.DEPLOY),
        ("LLLL yyyy", Event.DEPLOY),
        ("dddd, MMMM Do YYYY", Event.DAY),
        ("EEEE", Event.DAY),
        ("cccc, dd LLL yyyy", Event.DAY),
        ("HH", Event.DAY),
        ("h A", Event.DAY),
        ("HH:mm", Event.REQUEST),
        ("DD.MM.YYYY HH:mm", Event.REQUEST),
        ("X", Event.REQUEST),
        ("x", Event.REQUEST),
        ("LT", Event.REQUEST),
        ("LLL", Event.REQUEST),
        ("LL", Event.DAY),
        ("ff", Event.REQUEST),
        ("T", Event.REQUEST),
        ("[minutes and seconds]", None),
        ("'msg'", None),
        ("yyyy 'mm'", Event.DEPLOY),
        ("", None),
    ],
)
def test_tokens(fmt: str, event: Event | None) -> None:
    assert granularity_tokens(fmt) is event


@pytest.mark.parametrize(
    ("fmt", "event"),
    [
        ("Y-m-d", Event.DAY),
        ("F Y", Event.DEPLOY),
        ("H:i", Event.REQUEST),
        ("D, d M Y H:i:s", Event.REQUEST),
        (r"\i\s Y", Event.DEPLOY),
    ],
)
def test_php(fmt: str, event: Event) -> None:
    assert granularity_php(fmt) is event


@pytest.mark.parametrize(
    ("fmt", "event"),
    [
        ("%H:%M", Event.REQUEST),
        ("Y-m-d", Event.DAY),
        ("Y-m-d H:i", Event.REQUEST),
        ("YYYY-MM-DD", Event.DAY),
        ("d/M/yyyy", Event.DAY),
        ("hh:mm a", Event.REQUEST),
    ],
)
def test_the_letters_tell_the_grammar(fmt: str, event: Event) -> None:
    assert granularity_any(fmt) is event


def test_intl_options() -> None:
    assert granularity_intl({"year": "numeric", "month": "long"}, Event.DAY) is Event.DEPLOY
    assert granularity_intl({"dateStyle": "full", "timeStyle": "short"}, Event.DAY) is Event.REQUEST
    assert granularity_intl({"timeZone": "UTC"}, Event.DAY) is Event.DAY
    assert granularity_intl({"hour": "2-digit"}, Event.REQUEST) is Event.DAY


@pytest.mark.parametrize(
    ("fmt", "start", "stop", "event"),
    [
        (clocktext.ISO, None, 10, Event.DAY),
        (clocktext.ISO, None, 13, Event.DAY),
        (clocktext.ISO, None, 16, Event.REQUEST),
        (clocktext.ISO, None, 7, Event.DEPLOY),
        (clocktext.ISO, 11, 16, Event.REQUEST),
        (clocktext.ISO, 4, 5, None),
        ("%d.%m.%Y", -4, None, Event.DEPLOY),
        ("%H:%M", None, 5, Event.REQUEST),
        ("%H:%M", None, 2, Event.DAY),
        ("%B %d, %H:%M", None, 10, Event.REQUEST),
    ],
)
def test_cutting_text(fmt: str, start: int | None, stop: int | None, event: Event | None) -> None:
    assert clocktext.event_of(clocktext.cut(clocktext.written(fmt), start, stop)) is event


@given(st.lists(st.sampled_from([*EVENTS, "-", " ", "T"]), max_size=6))
def test_uncut_text_is_as_fine_as_its_format(parts: list[str]) -> None:
    fmt = "".join(parts)
    assert clocktext.event_of(clocktext.written(fmt)) is granularity_strftime(fmt)
