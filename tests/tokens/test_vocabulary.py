import importlib
import itertools
import socket
import subprocess
import sys
import time
import unicodedata
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint.tokens import vocabulary
from promptlint.tokens.vocabulary import Vocabulary, load

NAMES = ["o200k_base", "cl100k_base"]

FRAGMENTS = [
    *["a", "B", "x", "word", "Word", "WORD", "é", "ß", "ſ", "漢", "の", "か\u3099", "ʰ", "ǅ", "ا", "क\u094d", "\u0301"],
    *["0", "7", "123", "²", "٣", "'", "'s", "'R", "'l", "’", ".", ",", "!", "/", "//", '"', "(", "`", "_", "。", "、"],
    *[" ", "  ", "\t", "\n", "\n\n", "\r\n", "\r", "\u00a0", "\u2028", "\x1c", "\x85", "\x00", "\ufeff"],
    *["👋", "👩\u200d💻", "\ud83d", "\udc4b", "\ud800", "\udf30", "ʕ", "\ua7ce", "<|endoftext|>"],
]
CONTINUATIONS = [*FRAGMENTS, "t", "e", "ve", "\u0301a", "d now", "/x", "  \n", " \n a", "\u0345"]

texts = st.lists(st.sampled_from(FRAGMENTS) | st.characters(), max_size=12).map("".join)


def spelled(of: Vocabulary, ids: list[int]) -> list[bytes]:
    return [of.encoding.decode_single_token_bytes(token) for token in ids]


@pytest.fixture(params=NAMES)
def chosen(request: pytest.FixtureRequest) -> Vocabulary:
    return load(request.param)


@pytest.mark.parametrize("name", NAMES)
def test_pattern_and_special_tokens_are_tiktokens(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    openai_public = importlib.import_module("tiktoken_ext.openai_public")

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: {})
    theirs = getattr(openai_public, name)()
    assert vocabulary._PATTERNS[name] == theirs["pat_str"]
    assert vocabulary._SPECIAL[name] == theirs["special_tokens"]


@pytest.mark.parametrize(("name", "ids"), [("o200k_base", [24912, 2375]), ("cl100k_base", [15339, 1917])])
def test_known_ids(name: str, ids: list[int]) -> None:
    assert load(name).encode("hello world") == ids


def test_loading_opens_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert load.__wrapped__("cl100k_base").count("hello world") == 2


def test_importing_loads_nothing_slow() -> None:
    code = "import sys, promptlint.tokens.vocabulary, promptlint.tokens.counter; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"tiktoken", "regex", "requests", "tomllib", "difflib"} & set(run.stdout.split())


@pytest.mark.parametrize(("name", "near"), [("o200k", "o200k_base"), ("CL100K_BASE", "cl100k_base")])
def test_unknown_name_gives_the_nearest(name: str, near: str) -> None:
    with pytest.raises(ValueError, match=f"no vocabulary is called '{name}'; did you mean '{near}'"):
        load(name)


def test_a_special_token_in_text_is_plain_text(chosen: Vocabulary) -> None:
    assert spelled(chosen, chosen.encode("<|endoftext|>"))[0] != b"<|endoftext|>"
    assert chosen.count("<|endoftext|>") > 1


@settings(deadline=None)
@given(texts)
def test_ids_are_tiktokens_whatever_the_text(text: str) -> None:
    ours = load("o200k_base")
    assert ours.encode(text) == ours.encoding.encode_ordinary(text)


@settings(max_examples=200, deadline=None)
@given(texts)
def test_a_token_starts_in_the_character_of_its_first_byte(text: str) -> None:
    for name in NAMES:
        ours = load(name)
        owners: list[int] = []
        at = 0
        while at < len(text):
            pair = "\ud800" <= text[at] <= "\udbff" and "\udc00" <= text[at + 1 : at + 2] <= "\udfff"
            owners += [at] * (4 if pair else len(text[at].encode("utf-8", "surrogatepass")))
            at += 2 if pair else 1
        expected = []
        byte = 0
        for token in spelled(ours, ours.encode(text)):
            expected.append(owners[byte])
            byte += len(token)
        assert byte == len(owners)
        assert ours.starts(text) == expected


def test_starts_of_plain_and_of_split_characters() -> None:
    ours = load("o200k_base")
    assert ours.starts("hello world, again") == [0, 5, 11, 12]
    assert ours.starts("") == []
    assert spelled(ours, ours.encode("a\U00010330b")) == [b"a", b"\xf0", b"\x90", b"\x8c", b"\xb0", b"b"]
    assert ours.starts("a\U00010330b") == [0, 1, 1, 1, 1, 2]
    assert ours.starts("a\ud800\udf30b") == [0, 1, 1, 1, 1, 3]


@settings(max_examples=300, deadline=None)
@given(texts, texts)
def test_stable_tokens_are_the_same_whatever_follows(text: str, random: str) -> None:
    for name in NAMES:
        ours = load(name)
        stable = ours.encode(text)[: ours.stable_prefix(text)]
        assert len(stable) == ours.stable_prefix(text)
        for continuation in ("", random, *CONTINUATIONS):
            assert ours.encode(text + continuation)[: len(stable)] == stable, continuation


@pytest.mark.parametrize(
    ("kept", "dropped"),
    [
        ("", ""),
        ("", "Today"),
        ("Today is", " "),
        ("Today is", "  \n\n "),
        ("Today", " is"),
        ("The user said:", " don't"),
        ("Time", ":"),
        ("Time", ":\n"),
        ("Time:\n-", " "),
        ("<time", ">"),
        ('{"id":', ' "'),
        ("see a", "/"),
        ("build", "7"),
        ("請用中文回答", "。今天是"),
        ("über,", " "),
        ("one\n", "two"),
    ],
)
def test_kept_is_all_before_the_last_certain_cut(chosen: Vocabulary, kept: str, dropped: str) -> None:
    assert chosen.stable_prefix(kept + dropped) == chosen.count(kept)


@pytest.mark.parametrize(("text", "continuation"), [("don'", "t"), ("we'r", "e"), ("漢ABC", "d")])
def test_dropping_the_last_pre_token_is_not_enough(text: str, continuation: str) -> None:
    import regex

    cut = regex.compile(vocabulary._PATTERNS["o200k_base"]).findall
    assert len(cut(text)) == 2
    assert cut(text + continuation) == [text + continuation]
    assert load("o200k_base").stable_prefix(text) == 0


@pytest.mark.parametrize("name", NAMES)
def test_pre_tokens_before_the_cut_are_the_same_whatever_follows(name: str) -> None:
    import regex

    def ends(text: str) -> list[int]:
        return [found.end() for found in pattern.finditer(text)]

    pattern = regex.compile(vocabulary._PATTERNS[name])
    alphabet = ["a", "B", "漢", "\u0301", "1", "'", "s", "r", "!", "/", " ", "\n", "\u00a0", "。"]
    following = ["", *alphabet, "e", "t", "/x", " \n", "\n\n", " a"]
    for length in (1, 2, 3):
        for characters in itertools.product(alphabet, repeat=length):
            text = "".join(characters)
            place = vocabulary._certain_cut().search(text)
            kept = text[: place.start()] if place else ""
            for continuation in following:
                before = [end for end in ends(text + continuation) if end <= len(kept)]
                assert before == ends(kept), (text, continuation)


def test_only_characters_of_settled_kind_make_a_cut() -> None:
    import regex

    def kinds(group: str) -> set[str]:
        found = filter(regex.compile(f"[{group}]").match, map(chr, range(0x110000)))
        return {base.category(one)[0] for one in found for base in (unicodedata, unicodedata.ucd_3_2_0)}

    assert kinds(vocabulary._LETTER) == {"L"}
    assert kinds(vocabulary._SEPARATOR) == {"P", "S", "C"}
    assert not regex.search(rf"[{vocabulary._SEPARATOR}]", "' \t\u3000\u3005\uff10")


@pytest.mark.parametrize("character", ["a", "^", "漢", " ", "\u00a0"])
def test_a_run_of_a_million_characters(chosen: Vocabulary, character: str) -> None:
    began = time.process_time()
    run = character * 1_000_000
    starts = chosen.starts("x." + run + "x")
    assert starts[:2] == [0, 1]
    assert starts == sorted(starts)
    assert starts[-1] >= 999_000
    assert chosen.stable_prefix(run) == 0
    assert time.process_time() - began < 10


def test_long_text_is_not_cut_without_a_long_run_of_blanks(chosen: Vocabulary) -> None:
    text = "You are a helpful assistant.\n\n    Answer in the user's language.\n" * 9_000
    assert len(text) > vocabulary._BLANKS_AT_ONCE
    assert chosen.encode(text) == chosen.encoding.encode_ordinary(text)
