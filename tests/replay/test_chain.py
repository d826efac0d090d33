"""Hashes of prefixes: equal where the prefixes are, whatever was hashed before."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.replay.chain import FRAME, Chained, Chainer, Text, Texts, block_hashes, setting
from promptlint.replay.lines import Tokens
from promptlint.replay.recent import Recent

UNIT = 4
texts = st.lists(
    st.tuples(st.sampled_from(["", "user", "system"]), st.text("ab ", min_size=1, max_size=12)), min_size=1, max_size=6
)


def encode(text: str) -> Tokens:
    return np.array([ord(letter) for letter in text], np.uint32)


def pieces(of: Texts, request: list[tuple[str, str]]) -> list[Text]:
    return [of.of(role, text)[0] for role, text in request]


def fresh(request: list[tuple[str, str]]) -> Chained:
    """The request by itself: nothing was hashed before it."""
    return Chainer(UNIT).chained(pieces(Texts(encode), request))


@settings(max_examples=80, deadline=None)
@given(st.lists(texts, min_size=1, max_size=8), st.integers(1, 3_000))
def test_what_was_hashed_before_changes_nothing(log: list[list[tuple[str, str]]], limit: int) -> None:
    of, chainer = Texts(encode, limit=limit), Chainer(UNIT, limit=limit)
    for request in log:
        found, alone = chainer.chained(pieces(of, request)), fresh(request)
        assert found.blocks.tolist() == alone.blocks.tolist()
        assert found.chain.tolist() == alone.chain.tolist()
        assert found.ends.tolist() == alone.ends.tolist()


@settings(max_examples=80, deadline=None)
@given(texts)
def test_blocks_are_those_of_all_tokens_in_a_row(request_: list[tuple[str, str]]) -> None:
    found = fresh(request_)
    tokens = np.concatenate([piece.tokens for piece in pieces(Texts(encode), request_)])
    assert found.tokens == len(tokens)
    assert found.blocks.tolist() == block_hashes(tokens[: len(tokens) // UNIT * UNIT], UNIT)[1].tolist()


@settings(max_examples=80, deadline=None)
@given(texts, texts)
def test_equal_hashes_mean_equal_prefixes(one: list[tuple[str, str]], other: list[tuple[str, str]]) -> None:
    left, right = (np.concatenate([piece.tokens for piece in pieces(Texts(encode), each)]) for each in (one, other))
    common = next(
        (at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    blocks = zip(fresh(one).blocks, fresh(other).blocks, strict=False)
    assert sum(a == b for a, b in blocks) == common // UNIT


def test_a_role_opens_a_message_with_tokens_of_its_own() -> None:
    of = Texts(encode)
    assert len(of.of("user", "ab")[0].tokens) == FRAME + 2
    assert of.of("user", "ab")[0].key != of.of("assistant", "ab")[0].key
    assert of.of("user", "ab") == (of.of("user", "ab")[0], False)


def test_a_setting_has_no_tokens_and_changes_what_stands_behind_it() -> None:
    of, chainer = Texts(encode), Chainer(UNIT)
    before, behind = of.of("", "abcdefgh")[0], of.of("", "ijklmnop")[0]
    low, high = (chainer.chained([before, setting("effort", value), behind]) for value in ("low", "high"))
    assert low.tokens == high.tokens == 16
    assert low.blocks[:2].tolist() == high.blocks[:2].tolist()
    assert not set(low.blocks[2:].tolist()) & set(high.blocks[2:].tolist())


def test_a_secret_makes_hashes_that_nobody_else_can_make() -> None:
    request = [("user", "abcdefgh" * 8)]
    plain, first, second = (
        Chainer(UNIT, secret).chained(pieces(Texts(encode, secret), request)) for secret in (b"", b"one", b"two")
    )
    assert not set(plain.blocks.tolist()) & set(first.blocks.tolist())
    assert not set(first.blocks.tolist()) & set(second.blocks.tolist())
    assert first.chain[0] != second.chain[0]
    keys = {Texts(encode, secret).of("user", "ab")[0].key for secret in (b"", b"one", b"two")}
    assert len(keys) == 3


def test_texts_that_end_alike_have_one_tail() -> None:
    of = Texts(encode)
    end = "the same end of a text that is long enough to have a tail of its own"
    assert of.of("user", "one " + end)[0].tail == of.of("user", "another " + end)[0].tail != 0
    assert of.of("user", "short")[0].tail == 0


def test_what_is_asked_for_stays() -> None:
    recent: Recent[int, int] = Recent(10)
    for number in range(100):
        recent.put(number, number, 1)
        assert recent.get(number) == number
        assert recent.get(0) == 0
    assert recent.get(50) is None
    assert recent.get(95) == 95


def test_many_keys_are_kept_as_if_put_one_by_one_and_count_once() -> None:
    recent: Recent[int, int] = Recent(10)
    for number in range(50):
        recent.put_all([0, 1, 2], number)
        recent.put(3, number, 1)
    assert [recent.get(key) for key in range(4)] == [49] * 4
    recent.put_all(range(10, 16), 7)
    recent.put(20, 7, 1)
    assert recent.get(0) == 49, "ten of them are ten, however often they were put"
    recent.put_all(range(30, 40), 7)
    recent.put(50, 7, 1)
    assert recent.get(1) is None
