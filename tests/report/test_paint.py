from __future__ import annotations

from promptlint.finding import Severity
from promptlint.report.paint import Paint, escaped, shortened, width


def test_colours_only_when_enabled() -> None:
    assert Paint(True).error("x") == "\x1b[1;31mx\x1b[0m"
    assert Paint(True).dim("") == ""
    for level in Severity:
        assert Paint(False).severity(level, "x") == "x"
        assert Paint(True).severity(level, "x").startswith("\x1b[1;")


def test_control_and_invisible_characters_are_escaped() -> None:
    assert escaped("a\x1b[0m\r\n\u202e\u200b\ud800\x9b é") == "a\\x1b[0m\\r\\n\\u202e\\u200b\\ud800\\x9b é"


def test_width_is_in_columns() -> None:
    assert [width(text) for text in ("", "ab", "日本", "e\u0301", "😀")] == [0, 2, 4, 1, 2]
    assert shortened("short", 5) == "short"
    assert shortened("longer", 5) == "long…"
    assert shortened("日本語日本語", 6) == "日本…"
