import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.dialects import plain, strformat
from promptlint.expression import Attribute, Format, Index, Literal, Name, Unknown, path
from promptlint.source import Span
from promptlint.template import Emit, PieceKind, Template
from promptlint.traversal import names

WORDS = st.sampled_from(["{", "}", "{{", "}}", "[", "]", ":", "!", "!r", ".", "a", "name", "0", " ", "\n", "é", "%H"])
TEXTS = st.lists(WORDS, max_size=30).map("".join)


def cut(text: str) -> Template:
    return strformat.cut(text, 0, len(text))


def hole(text: str) -> object:
    (expression,) = (piece.expression for piece in cut(text).pieces if piece.kind is PieceKind.HOLE)
    return expression


def test_plain_text_is_one_piece() -> None:
    template = plain.cut("a {b} {{c}}", 2, 11)
    assert [(piece.kind, piece.span, piece.text) for piece in template.pieces] == [
        (PieceKind.TEXT, Span(2, 11), "{b} {{c}}")
    ]
    assert template.body == (Emit(0),)
    assert plain.cut("abc", 1, 1).pieces == ()


def test_a_name() -> None:
    assert hole("Hi {name}!") == Name("name", Span(4, 8))


def test_attributes_and_keys() -> None:
    expected = Attribute(Index(Name("docs", Span(1, 5)), Literal(0, Span(6, 7)), Span(1, 8)), "text", Span(1, 13))
    assert hole("{docs[0].text}") == expected
    assert hole("{d[key]}") == Index(Name("d", Span(1, 2)), Literal("key", Span(3, 6)), Span(1, 7))
    assert path(hole("{user.name}")) == ("user", "name")  # type: ignore[arg-type]


def test_conversion_is_not_part_of_the_value() -> None:
    assert hole("{x!r}") == Name("x", Span(1, 2))


@pytest.mark.parametrize("text, spec", [("{now:%H:%M}", "%H:%M"), ("{now!s:.10}", ".10"), ("{n:,}", ",")])
def test_specification(text: str, spec: str) -> None:
    expression = hole(text)
    assert isinstance(expression, Format)
    assert expression.spec == spec
    assert expression.span == Span(1, len(text) - 1)


def test_empty_specification_is_none() -> None:
    assert hole("{x:}") == Name("x", Span(1, 2))


def test_nested_fields_are_values_too() -> None:
    expression = hole("{x:{width}.{precision}}")
    assert isinstance(expression, Unknown)
    assert [name.id for name in names(expression)] == ["x", "width", "precision"]


@pytest.mark.parametrize("text, span", [("{}", Span(1, 1)), ("{0}", Span(1, 2)), ("{12:>4}", Span(1, 3))])
def test_positions_are_unknown_and_keep_their_span(text: str, span: Span) -> None:
    expression = hole(text)
    of = expression.of if isinstance(expression, Format) else expression
    assert of == Unknown((), span)


def test_doubled_braces_are_pieces_of_their_own() -> None:
    template = cut('{{"a": {x}}}')
    assert [(piece.kind.value, piece.span, piece.text) for piece in template.pieces] == [
        ("text", Span(0, 2), "{"),
        ("text", Span(2, 7), '"a": '),
        ("hole", Span(7, 10), ""),
        ("text", Span(10, 12), "}"),
    ]
    assert not template.problems


@pytest.mark.parametrize(
    "text, at, holes",
    [
        ("a } b {x}", [2], 1),
        ("a { b", [2], 0),
        ("{x", [0], 0),
        ("{x!rr} {y}", [0], 1),
        ("{a[0} {y}", [0], 1),
        ('{"a": 1} {y}', [0], 1),
        ('{"a": {"b": [{"c": {y}}]}} }', [0, 27], 1),
        ('{"a": {{}}, "b": 1}', [0], 0),
        ('{"a": 1}, {"a": 2}', [0, 10], 0),
        ('{ a {"b": 1} {"c": 1}', [0, 4, 13], 0),
        ("{x}}", [3], 1),
    ],
)
def test_broken_braces_are_text_and_the_outermost_a_problem(text: str, at: list[int], holes: int) -> None:
    template = cut(text)
    assert [problem.span for problem in template.problems] == [Span(place, place + 1) for place in at]
    assert sum(piece.kind is PieceKind.HOLE for piece in template.pieces) == holes
    assert all("write" in problem.message for problem in template.problems)


def test_offsets_are_those_of_the_whole_source() -> None:
    template = strformat.cut("é{no}|{yes}|{no}", 6, 11)
    assert [piece.span for piece in template.pieces] == [Span(6, 11)]
    assert template.pieces[0].expression == Name("yes", Span(7, 10))


def test_long_paths_and_many_broken_braces() -> None:
    assert isinstance(hole("{a" + ".b" * 5000 + "}"), Unknown)
    for text in ("{" * 20000, "}" * 20001, "{[" * 20000, "{a:" * 20000):
        assert cut(text).pieces[-1].span.end == len(text)


@given(TEXTS)
def test_pieces_cover_the_text(text: str) -> None:
    template = cut(text)
    assert "".join(text[piece.span.start : piece.span.end] for piece in template.pieces) == text
    assert template.body == tuple(Emit(at) for at in range(len(template.pieces)))
    for piece in template.pieces:
        for name in names(piece.expression) if piece.expression else ():
            assert text[name.span.start : name.span.end] == name.id


@given(TEXTS)
def test_python_agrees(text: str) -> None:
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        assert cut(text).problems
        return
    template = cut(text)
    if template.problems:
        assert any(field is not None and not field.replace("_", "").isalnum() for _, field, _, _ in parsed)
        return
    written = "".join(piece.text for piece in template.pieces if piece.kind is PieceKind.TEXT)
    assert written == "".join(literal for literal, _, _, _ in parsed)
    holes = [piece for piece in template.pieces if piece.kind is PieceKind.HOLE]
    assert len(holes) == sum(field is not None for _, field, _, _ in parsed)
