from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment, TemplateSyntaxError

from promptlint.dialects.jinja import cut
from promptlint.expression import Expression, Name, Truth, children
from promptlint.source import Span
from promptlint.template import Branch, Emit, PieceKind, Template

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
        Environment(keep_trailing_newline=True, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"]).parse(text)
    except TemplateSyntaxError as error:
        unknown_tag = "unknown tag" in (error.message or "") and (
            "generation" in str(error.message) or "frobnicate" in str(error.message)
        )
        assert cut(text, 0, len(text)).problems or unknown_tag
    else:
        assert not cut(text, 0, len(text)).problems


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ("a {{ b", "{{", "add `}}`"),
        ("a {{ b\nmore {{ c }}", "{{", "add `}}`"),
        ("{% if x\nyes {% endif %}", "{%", "add `%}`"),
        ("a {{ b | }} c", "|", "a filter name is missing after `|`"),
        ("a {{ b is }} c", "is", "the name of a test is missing"),
        ("{{ a. }}", ".", "a name is missing after `.`"),
        ("{% if x %}never closed", "{% if x %}", "add `{% endif %}`"),
        ("{% if x %}{% for y in z %}{% endfor %}", "{% if x %}", "add `{% endif %}`"),
        ("{%- macro m(a) -%} a", "{%- macro m(a) -%}", "add `{% endmacro %}`"),
        ("{% chat role='user' %} a", "{% chat role='user' %}", "add `{% endchat %}`"),
        ("fine\n{% endfor %}", "{% endfor %}", "closes nothing; delete it or open `{% for %}`"),
        ("fine\n{% else %}", "{% else %}", "stands outside of a block"),
        (
            "{% if a %}\r\n{% for b in c %}\r\n{% endif %}",
            "{% endif %}",
            "`{% for %}`, opened 1 line above, is not closed",
        ),
        ("{% if a %}\n\n{% endfor %}", "{% endfor %}", "does not belong to `{% if %}`, opened 2 lines above"),
        ("{% if a %}{% else %}{% elif b %}{% endif %}", "{% elif b %}", "move it above"),
        ("{% if a %}{% else %}b{% else %}{% endif %}", "{% else %}", "has two `{% else %}`"),
        ("{% set x %}", "{% set x %}", "has no value"),
        ("a {{ 'open }}", "'", "a string begins here and is not closed"),
        ("{{ a ? b }}", "?", "`?` means nothing in Jinja"),
        ("{{ \0 }}", "\0", "this character means nothing"),
        ("{{ f(a }}", "}", "`)` is missing before this `}`"),
        ("{{ a ) }}", ")", "this `)` closes nothing"),
        ("{{ }}", "{{", "is empty"),
        ("{{ a if }}", "}", "a value is missing before `}}`"),
        ("{% %}", "{%", "begins no tag"),
        ("{% if a = 1 %}{% endif %}", "=", "write `==` to compare"),
        ("{% if a contains 1 %}{% endif %}", "c", "Jinja cannot read this: expected token"),
        ("{# no end", "{#", "add `#}`"),
        ("{% raw %} no end", "{%", "add `{% endraw %}`"),
        ("{% if a %}{% elseif b %}{% endif %}", "elseif", "no tag is called elseif; did you mean elif?"),
        ("{% if a %}{% elsif b %}{% endif %}", "elsif", "did you mean elif?"),
        ("{% if a %}{% else if b %}{% endif %}", "else if", "did you mean elif?"),
        ("{% for a in b %}{% endfro %}", "endfro", "did you mean endfor?"),
        ("{% fro a in b %}{% endfor %}", "fro", "did you mean for?"),
        ("{% if a %}{% endiff %}", "endiff", "did you mean endif?"),
    ],
)
def test_a_problem_has_a_position_and_says_what_to_do(text: str, where: str, says: str) -> None:
    before = "é{% if %}\r\n"
    (problem,) = cut(before + text, len(before), len(before) + len(text)).problems
    assert says in problem.message
    assert " at " not in problem.message and "You probably" not in problem.message
    at = text.index(where)
    if "two" in says:
        at = text.rindex(where)
    assert problem.span.shifted(-len(before)) == Span(at, at + len(where))


@pytest.mark.parametrize(
    "text",
    [
        "{% trans %}a{% pluralize %}b{% endtrans %}",
        "{% generation %}a{% endgeneration %}",
        "{% cache 'a', 3600 %}b{% endcache %}",
        "{% chat role='user' %}b{% endchat %}",
        "{% let a %}b{% endlet %}",
        "{% form %}b{% endform %}",
        "{% endtrans %}{% endcache %}",
    ],
)
def test_tags_of_extensions_are_no_problem(text: str) -> None:
    assert not cut(text, 0, len(text)).problems


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


@pytest.mark.parametrize(
    ("test", "how", "parts"),
    [
        ("a", "", ["a"]),
        ("not a", "not", ["a"]),
        ("a and b", "and", ["a", "b"]),
        ("a or b", "or", ["a", "b"]),
        ("a is defined", "defined", ["a"]),
        ("a is not none", "not", ["a"]),
    ],
)
def test_a_condition_says_how_its_parts_are_joined(test: str, how: str, parts: list[str]) -> None:
    text = f"{{% if {test} %}}x{{% endif %}}"
    (branch,) = cut(text, 0, len(text)).body
    assert isinstance(branch, Branch)
    condition = branch.arms[0].test
    assert isinstance(condition, Truth)
    assert condition.how == how
    assert [text[part.span.start : part.span.end] for part in condition.parts] == parts
