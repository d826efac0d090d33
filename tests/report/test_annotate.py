from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from promptlint.report.annotate import Mark, annotate, gutter, said
from promptlint.report.paint import Paint
from promptlint.source import Place, Source, Span


def shown(text: str, *spans: tuple[int, int, str]) -> str:
    """The annotation of spans, the first one primary, without the line that says where."""
    source = Source("a.j2", text)
    marks = [
        Mark(Place(source, Span(start, end)), label, index == 0) for index, (start, end, label) in enumerate(spans)
    ]
    return "\n".join(["", *list(annotate(marks, str, Paint(False)))[1:], ""])


def test_two_spans_on_a_line_have_their_labels_below_each_other() -> None:
    assert (
        shown("Hello {{ a }} and {{ b }} bye", (6, 13, "first"), (18, 25, "second"))
        == """
   |
 1 | Hello {{ a }} and {{ b }} bye
   |       ^^^^^^^     ------- second
   |       |
   |       first
   |
"""
    )


def test_nested_spans_keep_every_label() -> None:
    assert (
        shown("Hello {{ a }} and {{ b }} bye", (6, 25, "all"), (9, 10, "inner"), (18, 25, "last"))
        == """
   |
 1 | Hello {{ a }} and {{ b }} bye
   |       ^^^^^^^^^^^^^^^^^^^ last
   |       |  |
   |       |  inner
   |       all
   |
"""
    )


def test_two_labels_for_one_span() -> None:
    assert (
        shown("{{ a }}", (0, 7, "one"), (0, 7, "two"))
        == """
   |
 1 | {{ a }}
   | ^^^^^^^ one
   | |
   | two
   |
"""
    )


def test_distant_lines_are_elided_and_a_single_one_is_shown() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 13))
    assert (
        shown(text, (0, 6, "one"), (14, 20, "three"), (71, 78, "eleven"))
        == """
    |
  1 | line 1
    | ^^^^^^ one
  2 | line 2
  3 | line 3
    | ------ three
...
 11 | line 11
    | ------- eleven
    |
"""
    )


def test_a_span_over_several_lines_shows_the_first_and_the_last() -> None:
    assert (
        shown("{% for x in y %}\na\nb\nc\n  {% endfor %}\n", (0, 37, "walks y"))
        == """
   |
 1 | {% for x in y %}
   | ^^^^^^^^^^^^^^^^ walks y
...
 5 |   {% endfor %}
   |   ^^^^^^^^^^^^
   |
"""
    )


def test_blank_lines_around_a_span_are_not_underlined() -> None:
    assert (
        shown("{{ x }}\n\n  Text one\n\n", (7, 21, "stable"))
        == """
   |
 3 |   Text one
   |   ^^^^^^^^ stable
   |
"""
    )


def test_carets_stand_under_tabs_wide_characters_and_escapes() -> None:
    text = "a\tb\t{{ c }}\r\n日本語 {{ d }}\r\ne\u0301 \x1b[31m\u202e {{ e }}\r\n"
    spans = [(text.index(hole), text.index(hole) + 7, hole[3]) for hole in ("{{ c }}", "{{ d }}", "{{ e }}")]
    assert (
        shown(text, *spans)
        == """
   |
 1 | a   b   {{ c }}
   |         ^^^^^^^ c
 2 | 日本語 {{ d }}
   |        ------- d
 3 | e\u0301 \\x1b[31m\\u202e {{ e }}
   |                  ------- e
   |
"""
    )


def test_long_lines_are_cut_around_their_spans() -> None:
    text = "x" * 500 + "{{ now() }}" + "y" * 1000 + "stable" + "z" * 400
    assert (
        shown(text, (500, 511, "changes"), (1511, 1517, "from here on"))
        == """
   |
 1 | …xxxxxxxxxxxxxxxxxxxx{{ now() }}yyyyyyyyyyyyyyyyyyyy…yyyyyyyyyyyyyyyyyyyystablezzzzzzzzzzzzzzzzzzzz…
   |                      ^^^^^^^^^^^                                         ------ from here on
   |                      |
   |                      changes
   |
"""
    )


def test_an_empty_file_and_the_end_of_a_file() -> None:
    empty = "\n   |\n 1 |\n   | ^ nothing here\n   |\n"
    assert shown("", (0, 0, "nothing here")) == empty
    assert shown("abc", (3, 3, "cut off")) == "\n   |\n 1 | abc\n   |    ^ cut off\n   |\n"
    assert shown("abc\n", (4, 4, "more")) == "\n   |\n 2 |\n   | ^ more\n   |\n"


def test_another_file_has_its_own_block() -> None:
    prompt, code = Source("support.j2", "It is {{ clock }}.\n"), Source("app.py", "\n" * 99 + "clock = now()\n")
    marks = [
        Mark(Place(prompt, Span(6, 17)), "changes with every request", primary=True),
        Mark(Place(code, Span(107, 112)), "is set here"),
    ]
    assert gutter(marks) == 3
    assert (
        "\n".join(annotate(marks, str, Paint(False)))
        == """\
    --> support.j2:1:7
     |
   1 | It is {{ clock }}.
     |       ^^^^^^^^^^^ changes with every request
     |
    ::: app.py:100:9
     |
 100 | clock = now()
     |         ----- is set here
     |"""
    )


def test_secrets_are_masked_where_they_span_several_lines() -> None:
    text = "key:\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0B\n-----END PRIVATE KEY-----\n"
    assert "kqhkiG" not in shown(text, (text.index("kqh"), text.index("kqh") + 3, "here"))
    assert said("it holds\n\tsk-abcdef0123456789 \x07") == "it holds sk-a*************** \\x07"


PIECES = st.sampled_from(["a", " ", "\t", "{{ x }}", "\x1b[0m", "\x00", "日", "😀", "\u200d", "é", "\ud800"])


def column_of(line: str, offset: int) -> int:
    """The column where a character of a short line stands, worked out apart from the code under test."""
    at = 0
    for char in line[:offset]:
        if char == "\t":
            at += 4 - at % 4
        elif unicodedata.category(char) in ("Cc", "Cf", "Cs"):
            at += len(ascii(char)) - 2
        else:
            at += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return at


@given(st.lists(PIECES, min_size=1, max_size=15), st.data())
def test_the_caret_stands_where_the_span_starts(pieces: list[str], data: st.DataObject) -> None:
    line = "".join(pieces)
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    rows = shown(f"{line}\r\nlast\n", (start, end, "")).splitlines()
    assert rows[3].index("^") - len("   | ") == column_of(line, start)
    assert rows[3].count("^") == max(1, column_of(line, end) - column_of(line, start))


@given(st.lists(PIECES, min_size=60, max_size=400), st.integers(0, 400))
def test_the_caret_stands_under_the_hole_of_a_cut_line(pieces: list[str], at: int) -> None:
    before = "".join(pieces[:at])
    line = before + "<HOLE>" + "".join(pieces[at:])
    rows = shown(line, (len(before), len(before) + 6, "")).splitlines()
    caret = rows[3].index("^")
    assert column_of(rows[2], rows[2].index("<HOLE>")) == caret
    assert rows[3][caret:] == "^^^^^^"
    assert column_of(rows[2], len(rows[2])) <= 170


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(0, 70), st.integers(0, 20), st.text()), min_size=1))
def test_no_text_and_no_span_is_too_odd(text: str, spans: list[tuple[int, int, str]]) -> None:
    report = shown(text, *((start, start + length, label) for start, length, label in spans))
    assert all(char == "\n" or char.isprintable() or unicodedata.category(char) == "Zs" for char in report)
