import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.dialects import macros
from promptlint.expression import Attribute, Call, Expression, Literal, Name, Unknown, path
from promptlint.source import Span
from promptlint.template import Emit, PieceKind, Template
from promptlint.traversal import names

WORDS = st.sampled_from(["{{", "}}", "{", "}", "random", "::", ":", ",", " ", "//", "!", "$x", "#a.b#", "é", '"', "\n"])


def cut(text: str) -> Template:
    return macros.cut(text, 0, len(text))


def holes(text: str) -> list[Expression | None]:
    return [piece.expression for piece in cut(text).pieces if piece.kind is PieceKind.HOLE]


def literals(expression: Expression | None) -> list[object]:
    assert isinstance(expression, Call)
    return [argument.value for argument in expression.arguments if isinstance(argument, Literal)]


@pytest.mark.parametrize("text", ["{{CURRENT_DATE}}", "{{char}}", "{{ user }}", "{{isotime}}", "{{lastMessage}}"])
def test_a_bare_word_is_a_name(text: str) -> None:
    word = text.strip("{} ")
    at = text.index(word)
    assert holes(text) == [Name(word, Span(at, at + len(word)))]


@pytest.mark.parametrize(
    "text, word, arguments",
    [
        ("{{random::a::b c}}", "random", ["a", "b c"]),
        ("{{random:a,b}}", "random", ["a", "b"]),
        ("{{pick::x::y}}", "pick", ["x", "y"]),
        ("{{roll:d20}}", "roll", ["d20"]),
        ("{{roll 2d6}}", "roll", ["2d6"]),
        ("{{prompt:start:100}}", "prompt", ["start", "100"]),
        ("{{time_UTC+2}}", "time_UTC", ["+2"]),
        ("{{datetimeformat YYYY-MM-DD}}", "datetimeformat", ["YYYY-MM-DD"]),
        ("{{datetimeformat DD.MM.YYYY HH:mm}}", "datetimeformat", ["DD.MM.YYYY HH:mm"]),
        ("{{setvar::mood::}}", "setvar", ["mood", ""]),
    ],
)
def test_a_word_with_arguments_is_a_call(text: str, word: str, arguments: list[str]) -> None:
    (expression,) = holes(text)
    assert isinstance(expression, Call)
    assert expression.function == Name(word, Span(2, 2 + len(word)))
    assert literals(expression) == arguments
    for argument in expression.arguments:
        assert isinstance(argument, Literal)
        assert text[argument.span.start : argument.span.end] == argument.value


def test_variables_lose_their_dollar() -> None:
    assert holes("{{$input}}") == [Name("input", Span(3, 8))]
    assert holes("{{$flow.state.next}}") == [
        Attribute(Attribute(Name("flow", Span(3, 7)), "state", Span(3, 13)), "next", Span(3, 18))
    ]


def test_functions_of_semantic_kernel() -> None:
    text = '{{time.Add $date "1 day" unit=$u}}'
    (expression,) = holes(text)
    assert isinstance(expression, Call)
    assert path(expression.function) == ("time", "Add")
    assert expression.arguments == (Name("date", Span(12, 16)), Literal("1 day", Span(17, 24)))
    assert expression.keywords == (("unit", Name("u", Span(31, 32))),)


def test_dify_variables() -> None:
    (first, second) = holes("{{#sys.query#}}{{#1711528914102.text#}}")
    assert first == Attribute(Name("sys", Span(3, 6)), "query", Span(3, 12))
    assert second is not None and path(second) == ("1711528914102", "text")


@pytest.mark.parametrize("text", ["{{// now()}}", "{{! {{date}} }}", "{{//}}"])
def test_comments_write_nothing(text: str) -> None:
    template = cut(f"a{text}b")
    assert [piece.kind.value for piece in template.pieces] == ["text", "markup", "text"]
    assert template.body == (Emit(0), Emit(2))


def test_macros_inside_macros() -> None:
    text = "{{random::{{char}}::{{user}} and x::z}}"
    (expression,) = holes(text)
    assert isinstance(expression, Call)
    assert [type(argument) for argument in expression.arguments] == [Unknown, Unknown, Literal]
    assert [name.id for name in names(expression)] == ["random", "char", "user"]


@pytest.mark.parametrize("text", ['{{"a": 1}}', "{{}}", "{{ 1 + 2 }}", "{x}", 'x = {"a": {"b": 1}}'])
def test_other_braces_are_text(text: str) -> None:
    template = cut(text)
    assert "".join(piece.text for piece in template.pieces) == text
    assert not template.problems


def test_a_macro_inside_other_braces() -> None:
    assert holes('{{"name": "{{char}}"}}') == [Name("char", Span(13, 17))]


def test_unclosed_braces_are_a_problem_and_the_rest_is_cut() -> None:
    template = cut("{{char is {{date}}")
    assert [problem.span for problem in template.problems] == [Span(0, 2)]
    assert holes("{{char is {{date}}") == [Name("date", Span(12, 16))]


def test_deep_nesting() -> None:
    text = "{{" * 10000 + "x" + "}}" * 10000
    assert holes(text) == [Name("x", Span(20000, 20001))]
    assert cut("{{a::" * 10000 + "}}" * 10000).pieces[-1].span.end == 70000


@given(st.lists(WORDS, max_size=30).map("".join))
def test_pieces_cover_the_text(text: str) -> None:
    template = macros.cut(f"é{text}{{", 1, 1 + len(text))
    assert "".join(f"é{text}"[piece.span.start : piece.span.end] for piece in template.pieces) == text
    kinds = [piece.kind for piece in template.pieces]
    assert template.body == tuple(Emit(at) for at, kind in enumerate(kinds) if kind is not PieceKind.MARKUP)
    for piece in template.pieces:
        for name in names(piece.expression) if piece.expression else ():
            assert f"é{text}"[name.span.start : name.span.end] == name.id
