import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.dialects.braces import cut
from promptlint.expression import Attribute, Index, Literal, Name
from promptlint.source import Span
from promptlint.template import Emit, PieceKind, Template
from promptlint.traversal import names

WORDS = st.sampled_from(["{", "}", "{{", "}}", "[", "]", ":", "!r", ".", "a", "name", "0", '"', " ", "\n", "é", "{x}"])
TEXTS = st.lists(WORDS, max_size=30).map("".join)


def holes(template: Template) -> list[object]:
    return [piece.expression for piece in template.pieces if piece.kind is PieceKind.HOLE]


def test_names_attributes_and_keys() -> None:
    assert holes(cut("{a} {b.c} {d[0]}", 0, 16)) == [
        Name("a", Span(1, 2)),
        Attribute(Name("b", Span(5, 6)), "c", Span(5, 8)),
        Index(Name("d", Span(11, 12)), Literal(0, Span(13, 14)), Span(11, 15)),
    ]


@pytest.mark.parametrize(
    "text", ['{"a": 1}', "{", "}", "{}", "{0}", "{ a }", "{{a}}", "{a: b}", "{a!r}", "{a, b}", "{{"]
)
def test_every_other_brace_is_text(text: str) -> None:
    template = cut(f"x{text}y", 1, 1 + len(text))
    assert [(piece.kind, piece.text) for piece in template.pieces] == [(PieceKind.TEXT, text)]
    assert not template.problems


def test_fields_in_json() -> None:
    template = cut('{"a": {name}, "b": {"c": "{other}"}}', 0, 36)
    assert [name.id for hole in holes(template) for name in names(hole)] == ["name", "other"]  # type: ignore[arg-type]


@given(TEXTS, TEXTS)
def test_pieces_cover_the_text_and_names_are_where_they_say(before: str, inner: str) -> None:
    text = before + inner + "{x}"
    template = cut(text, len(before), len(before + inner))
    assert "".join(text[piece.span.start : piece.span.end] for piece in template.pieces) == inner
    assert template.body == tuple(Emit(at) for at in range(len(template.pieces)))
    assert not template.problems
    for piece in template.pieces:
        shown = text[piece.span.start : piece.span.end]
        if piece.kind is PieceKind.TEXT:
            assert piece.text == shown
        else:
            assert shown[0] + shown[-1] == "{}"
        for name in names(piece.expression) if piece.expression else ():
            assert text[name.span.start : name.span.end] == name.id


def test_many_braces_are_quick() -> None:
    for text in ("{" * 50000, "{a" * 50000, "{a." * 30000, "{a[" * 30000):
        assert cut(text, 0, len(text)).pieces[-1].span.end == len(text)
