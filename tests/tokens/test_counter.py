import datetime

import pytest

from promptlint.data import data_path, load_toml, rules_path
from promptlint.tokens.counter import Counter, counter_for
from promptlint.tokens.vocabulary import load

TOKENIZERS = load_toml("tokenizers.toml")["tokenizers"]
SIZES = load_toml("sizes.toml")["sizes"]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("o200k_base", "o200k_base"),
        ("cl100k_base", "cl100k_base"),
        ("generic", "o200k_base"),
        ("claude", "estimated from o200k_base x1.2 [1.1, 1.4]"),
        ("claude-4.7", "estimated from o200k_base x1.5 [1.25, 1.85]"),
        ("gemini", "estimated from o200k_base x1.15 [0.9, 1.4]"),
        ("llama3", "estimated from o200k_base x1 [0.99, 1.01]"),
    ],
)
def test_label_says_what_was_counted_and_how_it_was_scaled(name: str, label: str) -> None:
    assert counter_for(name).label == label


def test_only_openai_is_exact() -> None:
    assert {name for name in TOKENIZERS if counter_for(name).exact} == {"o200k_base", "cl100k_base"}


def test_scaled_counts_are_rounded() -> None:
    counter = counter_for("claude-4.7")
    assert counter.scale(1001) == 1502
    assert counter.band(1001) == (1251, 1852)
    assert counter_for("generic").scale(7) == 7
    assert counter_for("generic").band(7) == (7, 7)


@pytest.mark.parametrize("tokens", [0, 1, 2, 3, 5, 10, 999, 123_457])
@pytest.mark.parametrize("name", TOKENIZERS)
def test_the_band_holds_the_scaled_count(name: str, tokens: int) -> None:
    low, high = counter_for(name).band(tokens)
    assert low <= counter_for(name).scale(tokens) <= high


@pytest.mark.parametrize(("name", "near"), [("claude-4-7", "claude-4.7"), ("Gemini2", "gemini"), ("gwen", "qwen")])
def test_unknown_name_gives_the_nearest(name: str, near: str) -> None:
    with pytest.raises(ValueError, match=f"no tokenizer is called '{name}'; did you mean '{near}'"):
        counter_for(name)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_tokenizer_has_a_source_a_date_and_a_vocabulary(name: str) -> None:
    row = TOKENIZERS[name]
    assert row["source"] and row["note"]
    assert isinstance(row["checked_on"], datetime.date)
    assert load(row["vocabulary"]).name == row["vocabulary"]
    assert row["low"] <= row["ratio"] <= row["high"]
    assert not row["exact"] or counter_for(name) == Counter(name, name, 1.0, 1.0, 1.0, True, row["note"])


@pytest.mark.parametrize("kind", SIZES)
def test_every_size_has_a_reason_and_is_that_of_its_sample(kind: str) -> None:
    row = SIZES[kind]
    assert row["why"] and "\n" not in row["why"]
    assert row["tokens"] > 0
    assert "sample" in row or row["why"].startswith("assumed: ")
    assert "sample" not in row or row["tokens"] == load("o200k_base").count(row["sample"])


def test_tables_are_below_the_rules() -> None:
    assert data_path("sources", "x.toml") == rules_path() / "data" / "sources" / "x.toml"
    assert data_path("tokenizers.toml").is_file()
    assert load_toml("tokenizers.toml") is load_toml("tokenizers.toml")
    with pytest.raises(FileNotFoundError):
        load_toml("none.toml")
