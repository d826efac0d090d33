from collections.abc import Iterator
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.dialects import handlebars
from promptlint.expression import Attribute, Call, Compare, Expression, Literal, Name, Truth, Unknown, path
from promptlint.source import Span
from promptlint.template import Branch, Emit, Include, Loop, Node, PieceKind, Role, Scoped, Set, Template
from promptlint.traversal import names

BRACES = st.sampled_from(["{{", "}}", "{{{", "}}}", "--}}", "~}}", "=}}", "{{{{raw}}}}", "{{{{/raw}}}}"])
SIGILS = st.sampled_from(["{{#", "{{/", "{{^", "{{>", "{{!", "{{!--", "{{~", "{{="])
TAGS = st.sampled_from(["{{#if x}}", "{{/if}}", "{{else}}", "{{#each xs}}", "{{/each}}", "{{role 'user'}}", "{{> p}}"])
INSIDE = st.sampled_from(["if ", "each ", "with ", "x", "y.z", "../", "@index", " as |a b|", '"s"', "'", "(", ")", "="])
AROUND = st.sampled_from(["\\", " ", "\n", "\r\n", "\t", "é"])
WORDS = st.one_of(BRACES, SIGILS, TAGS, INSIDE, AROUND)


def cut(text: str) -> Template:
    return handlebars.cut(text, 0, len(text))


def holes(text: str) -> list[Expression | None]:
    return [piece.expression for piece in cut(text).pieces if piece.kind is PieceKind.HOLE]


def texts(template: Template) -> str:
    return "".join(piece.text for piece in template.pieces)


def emitted(body: tuple[Node, ...]) -> Iterator[int]:
    for node in body:
        match node:
            case Emit(piece=piece):
                yield piece
            case Branch(arms=arms):
                for arm in arms:
                    yield from emitted(arm.body)
            case Loop(body=inner, otherwise=otherwise):
                yield from emitted(inner)
                yield from emitted(otherwise)
            case Scoped(body=inner) | Role(body=tuple() as inner):
                yield from emitted(inner)


@pytest.mark.parametrize(
    "text", ["{{x}}", "{{{x}}}", "{{&x}}", "{{& x }}", "{{ x }}", "{{~x~}}", "{{~{x}~}}", "{{../x}}", "{{this.x}}"]
)
def test_values(text: str) -> None:
    at = text.index("x")
    assert holes(text) == [Name("x", Span(at, at + 1))]
    assert [piece.span for piece in cut(text).pieces] == [Span(0, len(text))]


def test_paths() -> None:
    assert holes("{{x.y}}") == [Attribute(Name("x", Span(2, 3)), "y", Span(2, 5))]
    values = holes("{{a/b}}{{a.[b-c]}}{{@state.name}}{{@root.x}}{{./y}}{{../../z}}")
    assert [path(value) for value in values if value] == [
        ("a", "b"),
        ("a", "b-c"),
        ("@state", "name"),
        ("x",),
        ("y",),
        ("z",),
    ]


def test_this_is_the_element_inside_a_loop() -> None:
    assert holes("{{#each xs}}{{this.n}}{{.}}{{this}}{{n}}{{@index}}{{../d}}{{/each}}") == [
        Attribute(Name("this", Span(14, 18)), "n", Span(14, 20)),
        Name("this", Span(24, 25)),
        Name("this", Span(29, 33)),
        Name("n", Span(37, 38)),
        Name("@index", Span(42, 48)),
        Name("d", Span(55, 56)),
    ]


def test_helpers() -> None:
    (expression,) = holes('{{fmt date "YYYY" tz=zone n=2}}')
    assert expression == Call(
        Name("fmt", Span(2, 5)),
        (Name("date", Span(6, 10)), Literal("YYYY", Span(11, 17))),
        (("tz", Name("zone", Span(21, 25))), ("n", Literal(2, Span(28, 29)))),
        Span(2, 29),
    )


def test_subexpressions() -> None:
    (expression,) = holes("{{json (first (get a b) true)}}")
    assert isinstance(expression, Call)
    assert [name.id for name in names(expression)] == ["json", "first", "get", "a", "b"]


def test_strings_may_hold_braces_and_quotes() -> None:
    (expression,) = holes(r"""{{fmt "}} \" {{" 'it'}}""")
    assert isinstance(expression, Call)
    assert [argument.value for argument in expression.arguments if isinstance(argument, Literal)] == ['}} " {{', "it"]


def test_if_else() -> None:
    template = cut("{{#if a}}1{{else if b}}2{{else unless c}}3{{else}}4{{/if}}")
    (branch,) = template.body
    assert isinstance(branch, Branch)
    assert branch.span == Span(6, 7)
    assert [arm.test for arm in branch.arms] == [
        Truth((Name("a", Span(6, 7)),), Span(6, 7)),
        Truth((Name("b", Span(20, 21)),), Span(20, 21)),
        Truth((Name("c", Span(38, 39)),), Span(38, 39)),
        None,
    ]
    assert [texts(template)[index] for index in range(4)] == ["1", "2", "3", "4"]
    assert [len(arm.body) for arm in branch.arms] == [1, 1, 1, 1]


@pytest.mark.parametrize("text", ["{{#unless a}}1{{/unless}}", "{{^a}}1{{/a}}", "{{^if a}}1{{/if}}"])
def test_conditions_without_else(text: str) -> None:
    (branch,) = cut(text).body
    assert isinstance(branch, Branch)
    (arm,) = branch.arms
    assert isinstance(arm.test, Truth) and [name.id for name in names(arm.test)] == ["a"]


def test_comparing_helpers() -> None:
    (branch,) = cut("{{#if (eq a 'x')}}1{{/if}}").body
    assert isinstance(branch, Branch) and isinstance(branch.arms[0].test, Compare)
    (branch,) = cut("{{#if (and a (gt b 1))}}1{{/if}}").body
    assert isinstance(branch, Branch)
    test = branch.arms[0].test
    assert isinstance(test, Truth) and [type(part) for part in test.parts] == [Truth, Compare]


def test_loops() -> None:
    (loop,) = cut("{{#each xs as |x i|}}a{{else}}b{{/each}}").body
    assert loop == Loop(("this", "x", "i"), Name("xs", Span(8, 10)), Span(8, 10), (Emit(1),), (Emit(3),))
    (loop,) = cut("{{#xs}}a{{/xs}}").body
    assert loop == Loop(("this",), Name("xs", Span(3, 5)), Span(3, 5), (Emit(1),))
    (loop,) = cut("{{#user.items}}a{{^}}b{{/user.items}}").body
    assert isinstance(loop, Loop) and path(loop.iterated) == ("user", "items") and loop.otherwise == (Emit(3),)


def test_else_with_another_block() -> None:
    (loop,) = cut("{{#each xs}}a{{else each ys}}b{{else}}c{{/each}}").body
    assert isinstance(loop, Loop)
    (inner,) = loop.otherwise
    assert isinstance(inner, Loop)
    assert (inner.body, inner.otherwise) == ((Emit(3),), (Emit(5),))


def test_with() -> None:
    (scoped,) = cut("{{#with user as |u|}}{{this.name}}{{/with}}").body
    user = Name("user", Span(8, 12))
    assert scoped == Scoped((Set(("this",), user, user.span), Set(("u",), user, user.span)), (Emit(1),))
    (branch,) = cut("{{#with user}}a{{else}}b{{/with}}").body
    assert isinstance(branch, Branch) and len(branch.arms) == 2


def test_other_helpers_write_their_body() -> None:
    assert cut('{{#bold "x"}}a{{b}}{{/bold}}').body == (Emit(1), Emit(2))
    (branch,) = cut("{{#isToday date}}a{{else}}b{{/isToday}}").body
    assert isinstance(branch, Branch) and len(branch.arms) == 2


def test_partials() -> None:
    assert cut("{{>head}}").body == (Include(("head",), Span(3, 7), optional=True),)
    assert cut('{{> "a/b-c" }}').body == (Include(("a/b-c",), Span(4, 11), optional=True),)
    assert cut("{{> shared/head }}").body == (Include(("shared/head",), Span(4, 15), optional=True),)
    (scoped,) = cut("{{> p item user=u}}").body
    assert isinstance(scoped, Scoped)
    assert [value.names for value in scoped.values] == [("this",), ("user",)]
    (include,) = cut("{{> (lookup . 'name')}}").body
    assert isinstance(include, Include) and include.files == ()
    assert cut("{{#> page}}a{{/page}}").body == (Include(("page",), Span(5, 9), optional=True), Emit(1))


@pytest.mark.parametrize("comment", ["{{! a {{ b }}", "{{!-- {{x}} }} --}}", "{{~! x ~}}", "{{!--\n {{date}}\n--~}}"])
def test_comments(comment: str) -> None:
    template = cut(f"a{comment}b")
    assert [piece.kind.value for piece in template.pieces] == ["text", "markup", "text"]
    assert not template.problems


def test_dotprompt() -> None:
    template = cut('{{role "system"}}a {{history}}{{media url=x}}{{section "out"}}{{#role "user"}}q{{/role}}')
    assert template.body[0] == Role("system", Span(0, 17))
    assert template.body[-1] == Role("user", Span(62, 78), (Emit(6),))
    history, media, section = (piece.expression for piece in template.pieces if piece.kind is PieceKind.HOLE)
    assert history == Name("history", Span(21, 28))
    assert isinstance(media, Call) and media.function == Name("media", Span(32, 37))
    assert isinstance(section, Unknown)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tags_alone_on_their_line_take_it_with_them(end: str) -> None:
    lines = ["a", "  {{#if x}}  ", "b {{! c }}", "\t{{!-- c --}}", "{{else}}", "{{x}}", "{{> p}}", "{{/if}}", "d"]
    template = cut(end.join(lines))
    assert texts(template) == end.join(["a", "b ", "", "d"])
    assert template.pieces[1].span == Span(1 + len(end), 14 + len(end) * 2)


def test_tags_beside_text_leave_the_line() -> None:
    assert texts(cut("a\n{{#if x}} b\n{{/if}} \nc")) == "a\n b\nc"
    assert texts(cut("{{#a}}{{/a}}\nb")) == "\nb"


def test_tildes_take_white_space() -> None:
    template = cut("a \n {{~x~}} \n b")
    assert [(piece.kind.value, piece.span) for piece in template.pieces] == [
        ("text", Span(0, 1)),
        ("markup", Span(1, 4)),
        ("hole", Span(4, 11)),
        ("markup", Span(11, 14)),
        ("text", Span(14, 15)),
    ]


def test_escapes() -> None:
    template = cut(r"a \{{x}} \\{{y}}")
    assert texts(template) == "a {{x}} \\"
    assert holes(r"a \{{x}} \\{{y}}") == [Name("y", Span(13, 14))]


def test_raw_blocks() -> None:
    template = cut("{{{{raw}}}} {{x}} {{{{/raw}}}}{{y}}")
    assert texts(template) == " {{x}} "
    assert len(holes("{{{{raw}}}} {{x}} {{{{/raw}}}}{{y}}")) == 1


def test_delimiter_change() -> None:
    template = cut("{{a}} {{=<% %>=}} <% b %> {{c}}")
    assert [problem.span for problem in template.problems] == [Span(6, 17)]
    assert texts(template) == "  <% b %> {{c}}"


@pytest.mark.parametrize(
    "text, spans, message",
    [
        ("a {{x", [(2, 4)], "not closed"),
        ("{{ a {{x}}", [(0, 2)], "not closed"),
        ("{{#if x}}a", [(0, 9)], "add {{/if}}"),
        ("{{#a}}{{#b}}x{{/a}}", [(6, 12)], "add {{/b}}"),
        ("a{{/b}}", [(1, 7)], "open it with {{#b}}"),
        ("a{{else}}", [(1, 9)], "else"),
        ("{{ a + b }}", [(0, 11)], "not Handlebars"),
        ('{{"a": 1}}', [(0, 10)], "not Handlebars"),
        ("{{!-- x }}", [(0, 2)], "not closed"),
        ("{{(a}}", [(0, 6)], "not Handlebars"),
    ],
)
def test_problems(text: str, spans: list[tuple[int, int]], message: str) -> None:
    template = cut(text)
    assert [problem.span for problem in template.problems] == [Span(*span) for span in spans]
    assert all(message in problem.message for problem in template.problems)


def test_an_unclosed_block_is_still_a_block() -> None:
    (branch,) = cut("{{#if x}}a{{y}}").body
    assert isinstance(branch, Branch) and branch.arms[0].body == (Emit(1), Emit(2))


def test_apostrophes_are_no_strings() -> None:
    assert holes("{{x}} don't {{y}} won't") == [Name("x", Span(2, 3)), Name("y", Span(14, 15))]
    template = cut("{{don't}} and {{y}} isn't")
    assert [problem.span for problem in template.problems] == [Span(0, 9)]
    assert sum(piece.kind is PieceKind.HOLE for piece in template.pieces) == 2


def test_deep_nesting() -> None:
    template = cut("{{#if x}}a" * 10000 + "{{/if}}" * 10000)
    assert len(template.problems) == 1
    assert "flatten" in template.problems[0].message
    assert len(list(emitted(template.body))) == 10000
    assert cut("{{#a}}{{/b}}{{else}}{{#b}}{{else x y}}" * 3000).pieces
    assert cut("{{f " + "(" * 10000 + "}}").problems


@given(st.lists(WORDS, max_size=40).map("".join))
def test_pieces_cover_the_text_and_are_written_once_in_order(text: str) -> None:
    source = f"é{text}}}}}"
    template = handlebars.cut(source, 1, 1 + len(text))
    assert "".join(source[piece.span.start : piece.span.end] for piece in template.pieces) == text
    kept = [at for at, piece in enumerate(template.pieces) if piece.kind is not PieceKind.MARKUP]
    assert list(emitted(template.body)) == kept
    for piece in template.pieces:
        if piece.kind is PieceKind.TEXT:
            assert piece.text == source[piece.span.start : piece.span.end]
        for name in names(piece.expression) if piece.expression else ():
            assert source[name.span.start : name.span.end] == name.id or (name.id == "this")


@pytest.mark.parametrize("text, closer", [("{{! a", "}}"), ("{{!-- a }}", "--}}"), ("{{~!-- a", "--}}")])
def test_an_unclosed_comment_says_what_closes_it(text: str, closer: str) -> None:
    (problem,) = handlebars.cut(text, 0, len(text)).problems
    assert problem.message.endswith(f"add {closer}")


@pytest.mark.parametrize("text", ["{{!" * 60000, "{{!--" * 60000, "{{{{a" * 60000, "{{!-- a --}}" * 9000 + "--~}}"])
def test_unclosed_comments_and_raw_blocks_are_quick(text: str) -> None:
    before = process_time()
    assert handlebars.cut(text, 0, len(text)).pieces[-1].span.end == len(text)
    assert process_time() - before < 5
