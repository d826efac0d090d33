"""Exact token counts, offline: tiktoken encodes with ranks that ship with promptlint.

The patterns and special tokens are those of `tiktoken_ext/openai_public.py` in tiktoken 0.14; `data/NOTICE.md` says
where the ranks come from. Text that looks like a special token counts as the plain text it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from promptlint.data import unknown
from promptlint.tokens.packed import unpack

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import regex
    import tiktoken

_CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_PATTERNS = {
    "o200k_base": "|".join(
        [
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + _CONTRACTION,
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*" + _CONTRACTION,
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    ),
    "cl100k_base": "|".join(
        [
            r"'(?i:[sdmt]|ll|ve|re)",
            r"[^\r\n\p{L}\p{N}]?+\p{L}++",
            r"\p{N}{1,3}+",
            r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
            r"\s++$",
            r"\s*[\r\n]",
            r"\s+(?!\S)",
            r"\s",
        ]
    ),
}
_SPECIAL = {
    "o200k_base": {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    "cl100k_base": {
        "<|endoftext|>": 100257,
        "<|fim_prefix|>": 100258,
        "<|fim_middle|>": 100259,
        "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    },
}

# tiktoken takes long runs of any other character from 0.13 on, but 0.14 still panics, with a trace on stderr, on
# 999,999 blanks in a row. A run that comes near this is encoded in parts.
_BLANKS_AT_ONCE = 500_000

_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))
_STARTS_CHARACTER = bytes(byte not in _CONTINUATION_BYTES for byte in range(256))

_UNIT = re.compile("[\ud800-\udbff][\udc00-\udfff]|.", re.DOTALL)

# Only characters that have been letters, or neither letters nor marks nor numbers, in every Unicode version since 3.2:
# two tables differ on none of them.
_LETTER = "A-Za-zÀ-ÖØ-öø-ſΑ-ΡΣ-ωЁА-яёぁ-んァ-ヶ一-龥가-힣"
_SEPARATOR = r"\r\n!-&(-/:-@\[-`{-~、-〃「-】！-／：-＠"


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """One tokenizer. All methods take any `str`; a lone surrogate counts as U+FFFD, a pair as its character.

    A run of more than 500,000 blanks is encoded in parts, so that its count may be off by a token a part.
    """

    name: str
    encoding: tiktoken.Encoding = field(repr=False)
    lengths: bytes = field(repr=False)
    """Bytes of each token, by rank."""

    def encode(self, text: str) -> list[int]:
        """The token ids of `text`."""
        valid = _joined(text)
        if len(valid) <= _BLANKS_AT_ONCE:
            return self.encoding.encode_ordinary(valid)
        return [token for part in _parts(valid) for token in self.encoding.encode_ordinary(part)]

    def ids(self, text: str) -> npt.NDArray[np.uint32]:
        """The token ids of `text` as an array, which takes less time than a list. Needs numpy."""
        import numpy

        valid = _joined(text)
        if len(valid) <= _BLANKS_AT_ONCE:
            return self.encoding.encode_to_numpy(valid, disallowed_special=())
        found = [self.encoding.encode_to_numpy(part, disallowed_special=()) for part in _parts(valid)]
        return numpy.concatenate(found)

    def count(self, text: str) -> int:
        """How many tokens `text` is."""
        return len(self.encode(text))

    def starts(self, text: str) -> list[int]:
        """For each token, the offset in `text` of the character in which its first byte lies."""
        valid = _joined(text)
        ends = list(accumulate(map(self.lengths.__getitem__, self.encode(valid)), initial=0))
        del ends[-1]
        if valid.isascii():
            return ends
        characters = list(accumulate(valid.encode().translate(_STARTS_CHARACTER)))
        offsets = [characters[end] - 1 for end in ends]
        if valid is text:
            return offsets
        units = [unit.start() for unit in _UNIT.finditer(text)]
        return [units[offset] for offset in offsets]

    def stable_prefix(self, text: str) -> int:
        """How many tokens of `text`, from the first on, are the same whatever text follows; never too many.

        A tokenizer first cuts text into pre-tokens with its pattern, then merges bytes inside each of them. Counted
        are the tokens before the last place where both patterns cut for certain, by what stands on either side of it:

        - something visible, then a blank that is not a line end: no pre-token holds these two in a row;
        - a line end, then something visible but "/", which o200k_base takes along after punctuation;
        - a letter or digit, then a line end, or ASCII or CJK punctuation but the apostrophe; a letter, then a digit.

        The pre-tokens before such a place were matched without a look past the character that stands after it.

        To drop only the last pre-token, found with the pattern, is not enough for o200k_base: "don" and "'" become one
        when "t" follows; "漢" and "ABC" become one when "d" follows, because letters without case stand in both of its
        letter classes. Nor do the Unicode tables of `regex` and of tiktoken agree on recent letters.
        """
        cut = _certain_cut().search(text)
        return self.count(text[: cut.start()]) if cut else 0


@cache
def load(name: str) -> Vocabulary:
    """The vocabulary "o200k_base" or "cl100k_base"; about 0.2 s of CPU time, once. Never touches the network.

    Raises ValueError that names the nearest vocabulary when there is none of that name.
    """
    if name not in _PATTERNS:
        raise unknown("vocabulary", name, _PATTERNS)
    import tiktoken

    ranks = unpack((Path(__file__).parent / "data" / f"{name}.bin").read_bytes())
    encoding = tiktoken.Encoding(
        f"promptlint/{name}", pat_str=_PATTERNS[name], mergeable_ranks=ranks, special_tokens=_SPECIAL[name]
    )
    # Not Encoding.token_byte_values: that list is sorted by byte string, not by rank.
    return Vocabulary(name, encoding, bytes(map(len, ranks)))


@cache
def _certain_cut() -> regex.Pattern[str]:
    """Finds, from the end of a text backwards, the last place described at `Vocabulary.stable_prefix`."""
    import regex

    return regex.compile(
        rf"(?r)(?<=\S)(?=[^\S\r\n])|(?<=[\r\n])(?=[^\s/])|(?<=[{_LETTER}0-9])(?=[{_SEPARATOR}])|(?<=[{_LETTER}])(?=[0-9])"
    )


def _joined(text: str) -> str:
    """`text` as tiktoken reads it: surrogate pairs joined, lone surrogates replaced. The same object if it has none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _parts(text: str) -> Iterator[str]:
    at = 0
    for blanks in re.finditer(r"\s+", text):
        for cut in range(blanks.start() + _BLANKS_AT_ONCE, blanks.end(), _BLANKS_AT_ONCE):
            yield text[at:cut]
            at = cut
    yield text[at:]
