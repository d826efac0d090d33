from __future__ import annotations

import pytest

from promptlint.report.money import money, monthly, rounded


@pytest.mark.parametrize(
    ("dollars", "said"),
    [
        (None, "-"),
        ((0, 0), "0.00"),
        ((1234.4, 1234.4), "1,234"),
        ((0.5, 250), "0.50 to 250"),
        ((99.994, 99.994), "99.99"),
    ],
)
def test_dollars(dollars: tuple[float, float] | None, said: str) -> None:
    assert money(dollars) == said


def test_a_month_and_cents() -> None:
    assert monthly((100, 200), 20_000) == (60, 120)
    assert monthly(None, 20_000) is None
    assert rounded((0.126, 1)) == [0.13, 1]
