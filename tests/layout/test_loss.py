"""What must hold of every layout, whatever the prompt."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.layout.appraisal import Appraisal, Culprit
from promptlint.layout.appraise import appraise
from promptlint.layout.horizons import horizons
from promptlint.project.link import Surroundings, link
from promptlint.providers.registry import provider
from promptlint.readers.text import read
from promptlint.source import Source

_HOLES = ["{{ now() }}", "{{ user_name }}", "{{ session_id }}", "{{ today }}", "{{ frob }}", "{{ retrieved_docs }}"]
_LINE = st.one_of(
    st.sampled_from(["You answer questions.\n", "Keep it short. Be kind.\n", "\n", "word word word word\n"]),
    st.builds("Value {} here. And more text.\n".format, st.sampled_from(_HOLES)),
    st.builds("{}{}\n".format, st.sampled_from(_HOLES), st.sampled_from(_HOLES)),
    st.just("{% if user.is_admin %}You may refund.\n{% else %}{{ now() }}\n{% endif %}"),
    st.just("{% for m in chat_history %}{{ m.text }}\n{% endfor %}"),
)
_TEXTS = st.lists(_LINE, max_size=12).map("".join)
_AROUND = st.sampled_from([None, Surroundings(tools=1500, history=900), Surroundings(tools=64, history=0, user=20)])


def _appraised(text: str, around: Surroundings | None, name: str) -> Appraisal:
    unit = read(Source("system.j2", text))
    prompt = link(unit, unit.prompts[0], lambda source, file: None, {}, around)
    return appraise(
        prompt, provider(name), provider_known=True, model="claude-sonnet-4-6" if name == "anthropic" else None
    )


@pytest.mark.parametrize("name", ["generic", "vllm", "anthropic", "openai-5.5", "deepseek"])
@settings(max_examples=60, deadline=None)
@given(text=_TEXTS, around=_AROUND)
def test_figures_are_in_order_and_steps_add_up(name: str, text: str, around: Surroundings | None) -> None:
    appraisal = _appraised(text, around, name)
    for layout in appraisal.layouts(None, None):
        for end in (0, 1):
            assert 0 <= layout.now_at_least[end] <= layout.now[end] <= layout.best[end] <= layout.total
        assert layout.now[0] <= layout.now[1]
    for culprit in appraisal.culprits:
        for layout, price in appraisal.prices(culprit):
            assert price.blocked >= 0
            assert 0 <= price.step[0] <= layout.best[0] - layout.now[0]


@settings(max_examples=100, deadline=None)
@given(text=_TEXTS)
def test_moves_win_together_what_is_lost(text: str) -> None:
    """Of one reading: the steps of all its moves add up to best - now."""
    from promptlint.layout.chunks import chunks_of, counted, longest_arms
    from promptlint.layout.loss import Loss
    from promptlint.layout.reading import Reading, Sheet
    from promptlint.tokens.counter import counter_for

    unit = read(Source("system.j2", text))
    prompt = link(unit, unit.prompts[0], lambda source, file: None, {})
    counter = counter_for("generic")
    chunks = counted(prompt, chunks_of(prompt, {}), counter)
    sheet = Sheet(prompt, chunks, longest_arms(prompt, chunks), counter)
    for over in horizons():
        reading = Reading(sheet, provider("vllm"), ("system", "tools", "messages"), over)
        loss = Loss(reading)
        won = 0
        for rank, stop in enumerate(reading.stops[:-1]):
            chunk = reading.chunks[stop]
            segment = prompt.segments[chunk.segment]
            main = segment.lifetime.main
            assert segment.place is not None
            if main is None:
                continue
            culprit = Culprit((chunk.segment,), main, segment.place, None, over, True, None)
            assert reading.rank_of(culprit.segments) == rank
            won += loss.price(culprit).step[0]
        assert won == loss.layout.best[0] - loss.layout.now[0]


def test_a_culprit_in_the_shorter_arm_is_priced_on_its_own_path() -> None:
    long = "You may refund.\n" * 30
    text = "{% if user.is_admin %}" + long + "{% else %}{{ now() }}\n{% endif %}" + "Keep it short.\n" * 10
    appraisal = _appraised(text, None, "generic")
    (culprit,) = appraisal.culprits
    ((layout, price), _) = appraisal.prices(culprit)
    assert layout.now == (0, 0), "on the path that writes the clock nothing stands above it"
    assert price.blocked == 40, "ten lines of four tokens; the other arm is not written"
    assert all(each.now == each.best for each in appraisal.layouts(None, "user")), "the longest arm has no clock"
