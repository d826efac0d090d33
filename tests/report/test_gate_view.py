from __future__ import annotations

from collections.abc import Callable

import pytest

from promptlint.gate import Gate, Movement, Share, movements, share
from promptlint.layout.appraisal import Appraisal
from promptlint.report.gate_view import gate_lines
from promptlint.source import Source


def _share(now: int, path: str = "a.j2", name: str = "", total: int = 100) -> Share:
    return Share(path, name, now, total, total)


def test_several_prompts_of_one_name_are_matched_in_their_order() -> None:
    found = movements([_share(1, name="x"), _share(2, name="x")], [_share(3, name="x"), _share(4, name="x"), _share(5)])
    assert [(each.before and each.before.now, each.now and each.now.now) for each in found] == [
        (5, None),
        (3, 1),
        (4, 2),
    ]


@pytest.mark.parametrize(("now", "fails"), [(79, True), (80, False), (81, False)])
def test_a_share_that_is_equal_to_the_least_one_passes(now: int, fails: bool) -> None:
    assert Gate("user", movements([_share(now)]), least=0.8).fails is fails


@pytest.mark.parametrize(("now", "fails"), [(6, True), (7, False), (9, False)])
def test_a_share_may_fall_by_as_much_as_is_let_pass(now: int, fails: bool) -> None:
    assert Gate("user", movements([_share(now)], [_share(8)]), revision="HEAD", drop=1.0).fails is fails


def test_no_tokens_lose_nothing() -> None:
    assert not Gate("user", movements([_share(0, total=0)]), least=1.0).fails


def test_the_order_that_reuses_least_counts(appraise: Callable[..., Appraisal]) -> None:
    appraisal = appraise(Source("a.j2", "{{ now() }}"), {"user": (60, 60, 90)}, {"user": (20, 20, 80)}, segments=())
    assert share(appraisal, "user") == Share("a.j2", "", 20, 80, 100)


def test_prompts_of_one_file_are_told_apart() -> None:
    gate = Gate("user", (Movement(None, _share(1, name="x")), Movement(None, _share(99, name="y"))), least=0.8)
    assert list(gate_lines(gate)) == [
        "a.j2 (x): cached-token share 1.0 % is below 80 % (100.0 % at best)",
        "gate: 1 of 2 prompts failed (at least 80 % at horizon user)",
    ]
