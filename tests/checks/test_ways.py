"""The places that a finding shows between the prompt and the source of its value."""

from __future__ import annotations

from promptlint.checks.ways import ways
from promptlint.events import Cause, Confidence, Event, Evidence, Hop
from promptlint.source import Place, Source, Span

SOURCE = Source("a.py", "x" * 200)


def cause(*starts: int) -> Cause:
    hops = tuple(Hop(Place(SOURCE, Span(start, start + 1)), f"{start}") for start in starts)
    return Cause("clock", frozenset({Event.REQUEST}), Evidence.CALL, Confidence.HIGH, "`now()`", None, hops)


def shown(*causes: Cause) -> list[str]:
    return [related.message for related in ways(causes)]


def test_a_short_way_is_shown_whole() -> None:
    assert shown(cause(3, 1, 2)) == ["3", "1", "2"]
    assert shown(cause()) == []


def test_of_a_long_way_both_ends_are_shown() -> None:
    last = [*(str(number) for number in range(15, 19)), "19, on its way through 10 more places"]
    assert shown(cause(*range(20))) == [*"01234", *last]


def test_of_many_ways_the_first_are_shown_and_no_place_twice() -> None:
    assert shown(cause(1, 2), cause(1, 3)) == ["1", "2", "3"]
    many = [cause(0, number) for number in range(1, 14)]
    assert shown(*many)[-1] == "11, on its way through 2 more places"
    assert shown(*many[:12])[-1] == "11, on its way through 1 more place"
