"""Which vocabulary counts for a model family, and how far a count may be off."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from promptlint.data import load_toml, unknown


@dataclass(frozen=True, slots=True)
class Counter:
    """How the tokens of a model family are counted: with `vocabulary`, times `ratio`, within `low` and `high`.

    `exact` says that the family reads text with this very vocabulary.
    """

    name: str
    vocabulary: str
    ratio: float
    low: float
    high: float
    exact: bool
    note: str

    @property
    def label(self) -> str:
        """The words shown beside a count: the vocabulary, and the ratio and its band when the count is scaled."""
        if self.low == self.ratio == self.high == 1:
            return self.vocabulary
        return f"estimated from {self.vocabulary} x{self.ratio:g} [{self.low:g}, {self.high:g}]"

    def scale(self, tokens: int) -> int:
        """The family's tokens for so many tokens of the vocabulary, rounded."""
        return round(tokens * self.ratio)

    def band(self, tokens: int) -> tuple[int, int]:
        """The fewest and the most of the family's tokens for so many tokens of the vocabulary, rounded."""
        return round(tokens * self.low), round(tokens * self.high)


@cache
def counter_for(name: str) -> Counter:
    """The counter called `name` in `rules/data/tokenizers.toml`, where each has its source and date.

    Raises ValueError that names the nearest counter when there is none of that name.
    """
    rows = load_toml("tokenizers.toml")["tokenizers"]
    if name not in rows:
        raise unknown("tokenizer", name, rows)
    row = rows[name]
    return Counter(name, row["vocabulary"], row["ratio"], row["low"], row["high"], row["exact"], row["note"])
