"""Tokens of texts whose lines repeat: those of each whole text, and only what is new is encoded."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.replay.lines import LEAST, KnownLines, Tokens, parts
from promptlint.tokens.vocabulary import load

NAMES = ["o200k_base", "cl100k_base"]
FRAGMENTS = [
    *[
        "a",
        "word",
        "Word",
        "don't",
        "'",
        "'s",
        "漢",
        "か\u3099",
        "\u0301",
        "7",
        "123",
        ".",
        "!",
        ";",
        "/",
        "//",
        "(",
        "-",
    ],
    *[" ", "  ", "\t", "\n", "\n", "\n", "\n\n", "\r\n", "\r", "\u00a0", "\u2028", "\x1c", "\x85", "\x00"],
    *["\n/", "\n a", "\na", "\n\n\n-", " \n", "👋", "\ud83d", "\udc4b", "<|endoftext|>"],
]
texts = st.lists(st.sampled_from(FRAGMENTS) | st.characters(), max_size=30).map("".join)
PROSE = "\n".join(f"- Line {number} of the prompt: look at it, then answer what was asked." for number in range(400))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=300, deadline=None)
@given(log=st.lists(texts, min_size=1, max_size=4), least=st.integers(1, 12), limit=st.integers(1, 5_000))
def test_the_tokens_are_those_of_the_whole_text(name: str, log: list[str], least: int, limit: int) -> None:
    vocabulary = load(name)
    lines = KnownLines(vocabulary.ids, limit, least)
    for text in log:
        assert lines.encode(text).tolist() == vocabulary.encode(text)


@given(texts, st.integers(1, 12))
def test_parts_are_the_text_and_none_but_the_last_is_short(text: str, least: int) -> None:
    found = list(parts(text, least))
    assert "".join(found) == text
    assert all(len(part) >= least for part in found[:-1])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("now: 2026-03-01T10:00:00Z\n" + PROSE, "now: 2026-03-01T10:00:07Z\n" + PROSE),
        ("user: Ann\n" + PROSE, "user: Maximilian, of the office in Graz, who asks for short answers\n" + PROSE),
        (PROSE, PROSE[:9_000] + "\n\nrun 5f3a\n\n" + PROSE[9_000:]),
        (PROSE, PROSE + "\n" + "more\n" * 20),
    ],
    ids=["clock", "longer first line", "in the middle", "goes on"],
)
def test_only_what_changed_is_encoded_again(before: str, after: str) -> None:
    encoded: list[str] = []

    def encode(text: str) -> Tokens:
        encoded.append(text)
        return np.array([ord(letter) for letter in text], np.uint32)

    lines = KnownLines(encode)
    lines.encode(before)
    encoded.clear()
    assert "".join(map(chr, lines.encode(after))) == after
    assert sum(map(len, encoded)) < 4_000 < 20_000 < len(after)


def test_lines_that_nothing_certain_begins_are_one_part() -> None:
    indented = "".join(f"    line {number}\n" for number in range(1_000))
    assert list(parts(indented, LEAST)) == [indented]
    slashes = indented.replace("    ", "//")
    assert list(parts(slashes, LEAST)) == [slashes]


def test_each_part_begins_a_line() -> None:
    found = list(parts(PROSE, LEAST))
    assert len(found) > 50
    assert all(one.endswith("\n") and other.startswith("-") for one, other in pairwise(found))
