"""Break-evens, against the sums that they solve."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.checks.multipliers import Multipliers, multipliers
from promptlint.providers.registry import provider

PRICES = Multipliers(0.1, {"5m": 1.25, "1h": 2.0})


def test_multiples_come_from_the_prices_that_ship() -> None:
    usual = multipliers(provider("anthropic"), "claude-opus-5-20260101")
    assert usual is not None and usual.read == pytest.approx(0.1)
    assert usual.write == {"5m": pytest.approx(1.25), "1h": pytest.approx(2)}
    cheap = multipliers(provider("anthropic"), "claude-opus-5-5")
    assert cheap is not None and cheap.read == pytest.approx(0.05)
    assert multipliers(provider("anthropic"), None) is None
    assert multipliers(provider("generic"), "house-model") is None


def test_writing_for_five_minutes_pays_from_the_second_use_and_for_an_hour_from_the_third() -> None:
    # 1.25 + 0.1 < 2, and 2 + 0.1 + 0.1 < 3 but not 2 + 0.1 < 2.
    assert PRICES.uses_to_pay("5m") == 2
    assert PRICES.uses_to_pay("1h") == 3
    assert PRICES.uses_to_pay("2h") is None


def test_the_guides_example_of_padding() -> None:
    # OpenAI's guide: M = 1,024, r = 0.1, w = 1.25, N = 10 give 221 tokens: 1,024 * (0.1 + 1.15 / 10) = 220.2.
    prices = Multipliers(0.1, {"30m": 1.25})
    assert prices.uses_to_pad(221, 1024, "30m") == 10
    assert prices.uses_to_pad(220, 1024, "30m") == 11
    assert prices.uses_to_pad(102, 1024, "30m") is None  # reading 1,024 costs 102.4


@given(st.integers(1, 5000), st.sampled_from([512, 1024, 4096]), st.sampled_from(["5m", "1h"]))
def test_padding_pays_from_the_use_that_is_said_on(tokens: int, minimum: int, ttl: str) -> None:
    def padded(uses: int) -> float:
        return minimum * (PRICES.write[ttl] + (uses - 1) * PRICES.read)

    uses = PRICES.uses_to_pad(tokens, minimum, ttl)
    if uses is None:
        assert tokens <= minimum * PRICES.read
        return
    assert padded(uses) < uses * tokens + 1e-6
    if uses > 1:
        assert padded(uses - 1) >= (uses - 1) * tokens - 1e-6
