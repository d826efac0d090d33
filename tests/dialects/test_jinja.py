from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, TemplateSyntaxError

from promptlint.dialects.jinja import cut
from promptlint.expression import Expression, Name, children
from promptlint.template import Emit, PieceKind, Template

_SNIPPETS = st.sampled_from(
    [
        "Grüße, ",
        "plain",
        " ",
        "\n",
        "\r\n",
        "\r",
        "日本 ",
        "{{ x }}",
        "{{- x -}}",
        "{{+ x }}",
        "{{ user.name|upper }}",
        "{{ 'lit' + y ~ \"z\" }}",
        "{{ now().strftime('%H:%M') }}",
        "{{ {'a': {'b': 1}}['a'] }}",
        "{% if x is defined %}",
        "{%- if x > 1 -%}",
        "{% elif y %}",
        "{% else %}",
        "{% endif %}",
        "{% for a, b in items %}",
        "{% endfor %}",
        "{% set v = x ~ 1 %}",
        "{% raw %}",
        "{% endraw %}",
        "{# {{ no }} #}",
        "{#- c -#}",
        "{% macro m(a, b=2) %}",
        "{% endmacro %}",
        "{% generation %}",
        "{% frobnicate a=1, b %}",
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "'",
    ]
)
_TEXTS = st.lists(_SNIPPETS, max_size=14).map("".join)


def _covers(text: str, template: Template, start: int = 0) -> None:
    at = start
    for piece in template.pieces:
        assert piece.span.start == at
        at = piece.span.end
    assert at == start + len(text)


def _walk(expression: Expression) -> list[Expression]:
    return [expression, *(inner for child in children(expression) for inner in _walk(child))]


@given(_TEXTS)
def test_pieces_are_contiguous_and_cover_the_text(text: str) -> None:
    _covers(text, cut(text, 0, len(text)))


@given(_TEXTS, _TEXTS)
def test_spans_point_into_the_whole_text(before: str, text: str) -> None:
    alone, inside = cut(text, 0, len(text)), cut(before + text, len(before), len(before) + len(text))
    assert [piece.span.shifted(len(before)) for piece in alone.pieces] == [piece.span for piece in inside.pieces]


@given(_TEXTS)
def test_the_text_at_a_name_is_that_name(text: str) -> None:
    for piece in cut(text, 0, len(text)).pieces:
        if piece.kind is not PieceKind.HOLE or piece.expression is None:
            continue
        assert text[piece.span.start : piece.span.end].strip() == text[piece.span.start : piece.span.end]
        for expression in _walk(piece.expression):
            if isinstance(expression, Name):
                assert text[expression.span.start : expression.span.end] == expression.id


@given(
    st.lists(
        st.sampled_from(
            ["a", "é\n", "\r\n", "{{ x }}", "{{- x }}", "{# c -#}", "{% raw %}{{ r }}{% endraw %}", "{{ 'q\\n' }}"]
        ),
        max_size=10,
    ).map("".join)
)
def test_pieces_write_what_jinja_renders(text: str) -> None:
    template = cut(text, 0, len(text))
    written = "".join(
        piece.text if piece.kind is PieceKind.TEXT else "X"
        for piece in template.pieces
        if piece.kind is not PieceKind.MARKUP
    )
    assert written == Environment(keep_trailing_newline=True).from_string(text).render(x="X")


@given(_TEXTS)
def test_problems_are_where_jinja_has_them(text: str) -> None:
    try:
        Environment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"]).parse(text)
    except TemplateSyntaxError as error:
        unknown_tag = "unknown tag" in (error.message or "") and (
            "generation" in error.message or "frobnicate" in error.message
        )
        assert cut(text, 0, len(text)).problems or unknown_tag
    else:
        assert not cut(text, 0, len(text)).problems


@pytest.mark.parametrize(
    ("text", "at", "says"),
    [
        ("a {{ b", 6, "unexpected"),
        ("a {{ b | }} c", 9, "expected token 'name'"),
        ("{% if x %}never closed", 0, "endif"),
        ("fine\n{% endfor %}", 8, "unknown tag 'endfor'"),
        ("a {{ 'open }}", 5, "unexpected char"),
        ("{# no end", 2, "comment"),
    ],
)
def test_a_problem_has_a_position_and_says_what(text: str, at: int, says: str) -> None:
    (problem,) = cut(text, 0, len(text)).problems
    assert says in problem.message
    assert abs(problem.span.start - at) <= 2 or "Unexpected end" in problem.message or says == "endif"


def test_a_broken_template_still_yields_its_holes() -> None:
    text = "{% if x %}{{ now() }} text {{ broken | }} {{ y }}"
    template = cut(text, 0, len(text))
    assert template.problems
    holes = [text[piece.span.start : piece.span.end] for piece in template.pieces if piece.kind is PieceKind.HOLE]
    assert holes == ["{{ now() }}", "{{ y }}"]
    assert all(isinstance(node, Emit) for node in template.body)


@pytest.mark.parametrize(
    "text",
    [
        "{{ " + "(" * 10_000 + " }}",
        "{{ " + "[" * 10_000,
        "{% if a %}" * 10_000,
        "{{ " + "a." * 10_000 + "b }}",
        "{{ " + "a + " * 10_000 + "'b' }}",
    ],
)
def test_deep_nesting_ends(text: str) -> None:
    _covers(text, cut(text, 0, len(text)))
