import pytest

from promptlint.readers.frontmatter import front_matter, inside
from promptlint.source import Span


@pytest.mark.parametrize(
    "block, body",
    [
        ("---\nname: a\n---\n", "body"),
        ("---\r\nname: é\r\n---\r\n", "body\r\n"),
        ("---\n---\n", "body"),
        ("---\nname: a\n---", ""),
        ("---  \nname: a\n---\t\n", "---\nmore: 1\n---\n"),
        ("---\n# a comment\nname: a\nlist:\n- b\n---\n", ""),
        ("---\n\n'quoted key': a\n---\n", "b"),
    ],
)
def test_block_and_body(block: str, body: str) -> None:
    assert front_matter(block + body) == Span(0, len(block))


def test_a_licence_may_stand_above() -> None:
    above = "# Copyright\n#\n# Licence: free\n\n"
    text = f"{above}---\nname: a\ninput:\n  schema:\n    x: string\n---\nbody"
    span = front_matter(text)
    assert span == Span(len(above), len(text) - 4)
    assert text[span.end :] == "body"


def test_byte_order_mark() -> None:
    assert front_matter("\ufeff---\na: b\n---\n") == Span(1, 14)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "body",
        "---",
        "---\nname: a\n",
        "---\nname: a\n----\n",
        "text\n---\nname: a\n---\n",
        "--- # no\na: b\n---\n",
        "---\nJust prose between two breaks.\n---\n",
        "# Title\n\n---\nProse: with a colon.\nAnd a line without.\n---\n",
        "# Title\n---\n---\n",
        "---\nname: a\n  ---\n",
    ],
)
def test_no_block(text: str) -> None:
    assert front_matter(text) is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_inside(end: str) -> None:
    text = end.join(["# x", "---", "a: b", "c: '---'", "---", "body"])
    span = front_matter(text)
    assert span is not None
    within = inside(text, span)
    assert text[within.start : within.end] == f"a: b{end}c: '---'{end}"
