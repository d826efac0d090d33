import base64
import hashlib
import importlib.util
import re
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import promptlint.tokens
from promptlint.tokens.packed import pack, unpack

SHIPPED = Path(promptlint.tokens.__file__).parent / "data"


def tiktokens_hash(name: str) -> str:
    """The sha256 of the rank file that the installed tiktoken expects, from its source."""
    spec = importlib.util.find_spec("tiktoken_ext.openai_public")
    assert spec is not None and spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    found = re.search(rf'encodings/{name}\.tiktoken",\s*expected_hash="([0-9a-f]{{64}})"', source)
    assert found is not None
    return found.group(1)


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_shipped_ranks_are_the_original_ones(name: str) -> None:
    ranks = unpack((SHIPPED / f"{name}.bin").read_bytes())
    text = b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())
    assert hashlib.sha256(text).hexdigest() == tiktokens_hash(name)


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_notice_names_the_hash_of_every_shipped_file(name: str) -> None:
    notice = (SHIPPED / "NOTICE.md").read_text(encoding="utf-8")
    row = next(line for line in notice.splitlines() if line.startswith(f"| `{name}.bin`"))
    assert tiktokens_hash(name) in row


@given(st.lists(st.binary(min_size=1, max_size=255), unique=True))
def test_unpacking_gives_back_what_was_packed(tokens: list[bytes]) -> None:
    ranks = {token: rank for rank, token in enumerate(tokens)}
    assert unpack(pack(ranks)) == ranks


def test_tokens_come_back_in_rank_order() -> None:
    assert list(unpack(pack({b"last": 2, b"first": 0, b"second": 1}))) == [b"first", b"second", b"last"]


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        ({b"a": 0, b"b": 2}, "without a gap"),
        ({b"a": 1}, "without a gap"),
        ({b"a": 0, b"b": 0}, "without a gap"),
        ({b"": 0}, "empty"),
        ({b"a" * 256: 0}, "longer than 255 bytes"),
    ],
)
def test_ranks_that_cannot_be_packed(ranks: dict[bytes, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pack(ranks)


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"not zlib",
        pack({b"ab": 0, b"c": 1})[:-1],
        zlib.compress(b"\x01\x00\x00\x00\x02a"),
        zlib.compress(b"\x01\x00\x00\x00\x01ab"),
        zlib.compress(b"\x09\x00\x00\x00\x01a"),
        zlib.compress(b"\x02\x00\x00\x00\x01\x01aa"),
    ],
    ids=["nothing", "not zlib", "cut short", "byte missing", "byte too many", "count too high", "token twice"],
)
def test_damage_is_noticed(packed: bytes) -> None:
    with pytest.raises(ValueError, match="damaged"):
        unpack(packed)
