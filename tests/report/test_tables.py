from __future__ import annotations

from promptlint.report.tables import table


def test_columns_are_aligned_by_width() -> None:
    rows = table(["name", "n"], [["日本", "1"], ["a", "1,000"]], right=(1,))
    assert list(rows) == ["name      n", "日本      1", "a     1,000"]


def test_no_blanks_at_line_ends() -> None:
    assert list(table(["a", "b"], [["1", ""]])) == ["a  b", "1"]
