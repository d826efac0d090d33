"""Where the characters of a text stand in what was written."""

import pytest

from promptlint.source import alignment


@pytest.mark.parametrize(
    ("written", "text", "offsets"),
    [
        ("ab", "ab", [0, 1, 2]),
        (r"a\nb", "a\nb", [0, 1, 3, 4]),
        (r"a\\b", "a\\b", [0, 1, 3, 4]),
        (r"a\\n", "a\\n", [0, 1, 3, 4]),
        (r"\\\"", '\\"', [0, 2, 4]),
        (r"\\\\", "\\\\", [0, 2, 4]),
        (r"\d\n", "\\d\n", [0, 1, 2, 4]),
        ("a\\\\ \r\nb", "a\\\\\nb", [0, 1, 2, 5, 6, 7]),
        ("  a\n  b", "a\nb", [2, 3, 6, 7]),
    ],
)
def test_characters_are_found_where_they_were_written(written: str, text: str, offsets: list[int]) -> None:
    assert list(alignment(written, text) or ()) == offsets


@pytest.mark.parametrize(("written", "text"), [("ab", "ac"), (r"\x41", "A"), ("a", "ab")])
def test_another_text_is_not_aligned(written: str, text: str) -> None:
    assert alignment(written, text) is None
