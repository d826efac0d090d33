"""Findings and appraisals made by hand, for every test of the reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from promptlint.events import FIXED, Cause, Confidence, Event, Evidence, Lifetime
from promptlint.finding import Cost, Finding, Related, Severity
from promptlint.layout.appraisal import Appraisal, Layout
from promptlint.layout.horizons import horizons
from promptlint.prompt import Field, Prompt, Section, Segment
from promptlint.source import Place, Source, Span

CLOCK = '{{ now().strftime("%H:%M:%S") }}'
REST = "You are the voice of a smart home."
ORDERS = (("tools", "system", "messages"), ("system", "tools", "messages"))


def place_of(source: Source, text: str) -> Place:
    start = source.text.index(text)
    return Place(source, Span(start, start + len(text)))


def segments_of(source: Source) -> tuple[Segment, ...]:
    """Text, a clock, text."""
    hole = place_of(source, CLOCK)
    cause = Cause("clock", frozenset({Event.REQUEST}), Evidence.CALL, Confidence.HIGH, "`now()`")
    clock = Segment(Section.SYSTEM, Field.SYSTEM, 0, Lifetime((cause,)), hole, None)
    before, after = (
        Segment(Section.SYSTEM, Field.SYSTEM, 0, FIXED, place, place.text)
        for place in (
            Place(source, Span(0, hole.span.start)),
            Place(source, Span(hole.span.end, len(source.text))),
        )
    )
    return before, clock, after


@pytest.fixture
def place() -> Callable[[Source, str], Place]:
    """Where a text stands in a source."""
    return place_of


@pytest.fixture
def support() -> Source:
    return Source("prompts/support.j2", f"The clock says {CLOCK}.\n{REST}\n")


@pytest.fixture
def finding(support: Source) -> Finding:
    fresh = Related(place_of(support, REST), "1,840 stable tokens from here on are fresh on every request")
    return Finding(
        rule="clock-in-prefix",
        severity=Severity.ERROR,
        confidence=Confidence.HIGH,
        message="a clock that changes with every request stands above text that never changes",
        place=place_of(support, CLOCK),
        label="changes with every request",
        related=(fresh,),
        cost=Cost(
            provider="generic",
            order="",
            horizon="conversation",
            counter="o200k_base",
            blocked=1840,
            step=(1844, 1844),
            now=(2, 2),
            best=(1846, 1846),
            total=1858,
        ),
        advice="Coarsen it to the date, or put it after the last stable section. In the newest user turn it helps only "
        "if that text is stored and replayed unchanged in later turns.",
        kind="clock",
        events=("request",),
        evidence="call",
        section="system",
        fingerprint="0123456789abcdef",
    )


@pytest.fixture
def appraise() -> Callable[..., Appraisal]:
    """Makes the appraisal of a prompt.

    `figures` give, for each render order, the tokens now, now at least and at best by horizon; further keywords are
    the prompt's.
    """

    def build(
        source: Source,
        *figures: dict[str, tuple[int, int, int]],
        total: int = 100,
        ends: Sequence[int] = (1, 1),
        name: str = "",
        segments: tuple[Segment, ...] | None = None,
        **prompt: Any,
    ) -> Appraisal:
        def layouts(provider: Any, horizon: str | None, model: str | None = None) -> tuple[Layout, ...]:
            return tuple(
                Layout(
                    provider=provider or generic,
                    order=order,
                    horizon=known,
                    total=total,
                    now=(now, now),
                    now_at_least=(least, least),
                    best=(best, best),
                    boundaries="none",
                    end=end,
                )
                for order, end, by_horizon in zip(ORDERS, ends, figures, strict=False)
                for known in horizons()
                if known.name in by_horizon and horizon in (None, known.name)
                for now, least, best in [by_horizon[known.name]]
            )

        generic: Any = SimpleNamespace(name="generic", title="Generic")
        counter: Any = SimpleNamespace(name="o200k", label="o200k_base", exact=True)
        segments = segments_of(source) if segments is None else segments
        return Appraisal(
            prompt=Prompt(source.path, name, segments, **prompt),
            culprits=(),
            provider=generic,
            provider_known=False,
            ignore_below=100,
            counter=counter,
            layouts=layouts,
            prices=lambda _: (),
            tokens=lambda: tuple(range(4, 4 + len(segments))),
        )

    return build
