import pytest

from promptlint.dialects.sniff import sniff

MATTER = "---\nmodel: m\n---\n"


@pytest.mark.parametrize("name", ["a.j2", "a.jinja", "p/a.md.jinja2"])
def test_jinja_by_suffix(name: str) -> None:
    assert sniff(name, "no tags, {x}") == "jinja"


@pytest.mark.parametrize("name", ["a.hbs", "a.handlebars", "a.MUSTACHE"])
def test_handlebars_by_suffix(name: str) -> None:
    assert sniff(name, "{{x}}") == "handlebars"


@pytest.mark.parametrize(
    "text",
    [
        "{% if x %}a{% endif %}",
        "{%- for m in messages -%}{{ m.content }}{%- endfor -%}",
        "{# a comment #} text",
        "Today is {{ now() }}",
        "{{ docs | join(', ') }}",
        "{{ docs|length }}",
        "{{ docs[0] }}",
        "{{ 'a' ~ b }}",
        "{{ a if b else c }}",
        "Hello {{ name }}",
        "Hello {{name}}, you are {{user.role}}",
        "{{ question }} Answer as {format}.",
        "{{name}} is {{role}} at {{company}}. Answer as {format}.",
        "{% if x %}{{#if}} is how Handlebars writes it{% endif %}",
        'Reply with {"answer": "..."} to {{ question }}',
    ],
)
def test_jinja(text: str) -> None:
    assert sniff("prompts/a.md", text) == "jinja"


@pytest.mark.parametrize(
    "text",
    [
        "{{#if x}}a{{/if}}",
        "{{#each xs}}{{this}}{{/each}}",
        "{{^x}}none{{/x}}",
        "{{> header}} {{x}}",
        "{{#xs}}{{.}}{{/xs}}",
        '{{role "system"}} You are {{name}}',
        "{{{x}}}",
        '{{formatDate date "YYYY"}}',
        "{{! a comment }} {{x}}",
        "{{@state.name}}",
        "{{#if a}}b{{else}}c{{/if}} {subject}",
    ],
)
def test_handlebars(text: str) -> None:
    assert sniff("prompts/a.txt", text) == "handlebars"


def test_plain_values_depend_on_the_file() -> None:
    assert sniff("a.prompt", f"{MATTER}Hello {{{{name}}}}") == "handlebars"
    assert sniff("a.prompt", "Hello {{name}}") == "jinja"
    assert sniff("a.txt", f"{MATTER}Hello {{{{name}}}}") == "jinja"
    assert sniff("a.prompt", f"{MATTER}Tell a joke about {{subject}}") == "none"
    assert sniff("a.prompty", f"{MATTER}system:\nHi {{{{name}}}}") == "jinja"


@pytest.mark.parametrize(
    "text",
    [
        "It is {{CURRENT_DATE}}.",
        "{{random::a::b}}",
        "{{random:a,b}}",
        "You rolled {{roll:d20}}",
        "{{pick::a::b}} {{char}}",
        "{{$input}} is the text",
        "{{ $now }}",
        "{{time_UTC+2}}",
        "{{datetimeformat YYYY-MM-DD}}",
        "{{// hidden}} {{user}}",
        "{{#sys.query#}} and {{#context#}}",
        "{{recall $input}}",
        "It is {{CURRENT_DATE}}; write {answer}.",
    ],
)
def test_macros(text: str) -> None:
    assert sniff("preset.json", text) == "macros"


@pytest.mark.parametrize(
    "text",
    [
        "Answer {question} from {context}.",
        'Answer {question}. Reply in JSON: {{"answer": "..."}}',
        "{user.name} asks {docs[0]} at {now:%H:%M}",
        "<context>{context}</context>",
        'Steps <step_{{number}}> <step_{{number}}> of {max}; {{"go": {{ "url": "x"}}}}',
        "{a} {b} and {{c}}",
        "{today} {{date}}",
        "Write in {language}. A placeholder looks like {{question}} or {{user_input}}.",
        "time={current_time}",
        "Write to /tmp/jobs/{session_id}/x",
        "user@{host} and issue #{number}",
    ],
)
def test_strformat(text: str) -> None:
    assert sniff("prompts/a.md", text) == "strformat"


@pytest.mark.parametrize(
    "text",
    [
        'Mail: {email_body} Answer as {"label": "..."}',
        'Answer in {user.language} as {"a": {"b": {}}}',
        "a {name} and a stray }",
        "{question}: put it into \\boxed{answer} {x: 1}",
        '{{"label": "x"}} {mail} {"a": 1}',
    ],
)
def test_braces(text: str) -> None:
    assert sniff("prompts/a.md", text) == "braces"
    assert sniff("CLAUDE.md", text) == "none"


@pytest.mark.parametrize(
    "text",
    [
        "no braces",
        '{"a": 1, "b": {"c": 2}}',
        "body {color: red; margin: 0}",
        "function f() { return x }",
        "import {foo} from 'bar'",
        "run ${HOME}/bin",
        r"\frac{a}{b}",
        "GET /users/{id}",
        "Use `{name}` for the name",
        "```\n{name}\n```\nafter",
        "{} and {0}",
        "{{ .Name }} and {{ range .Items }}x{{ end }}",
        "{{- range $i, $x := .Items }}{{ $x }}{{ end }}",
        '{{"a": 1}}',
        "a set {x: 1}",
        'Write `{name}` into {"a": 1}',
        '```\n{question}\n``` and {"a": 1}',
        'GET /users/{user_id} answers {"a": 1}',
        "const f = ({props}) => { return {props} }",
        r"\begin{document} {abc} \sum_{total} {a: 1}",
        'import x from "y"\n{props} {"a": 1}',
        ".a { color: red; }\n{content} {",
        '{x} {"a": 1}',
        '{return} {"a": 1}',
        "@{Name} and {",
    ],
)
def test_none(text: str) -> None:
    assert sniff("prompts/a.md", text) == "none"


@pytest.mark.parametrize(
    "name",
    [
        "CLAUDE.md",
        "AGENTS.md",
        "sub/GEMINI.md",
        "skills/x/SKILL.md",
        "a.agent.md",
        "b.instructions.md",
        "README.md",
        "README.zh.md",
        "CHANGELOG.md",
    ],
)
def test_files_for_agents_and_people(name: str) -> None:
    assert sniff(name, "Use {name} and {{x}} and {{#if}}") == "none"
    assert sniff(name, "Write `{% if x %}` or\n```\n{% for x in y %}\n```\n") == "none"
    assert sniff(name, "{% if x %}a{% endif %}") == "jinja"


def test_carriage_returns_and_other_letters() -> None:
    assert sniff("a.md", "```\r\n{x}\r\n```\r\nÜber {thema}\r\n") == "strformat"
    assert sniff("a.md", "```\r\n{x}\r\n```\r\nÜber\r\n") == "none"


def test_long_odd_texts_are_quick() -> None:
    for text in (
        "{" * 50000,
        "{{ a " * 20000,
        "{%" * 30000,
        "{x}" * 30000,
        "`" * 50000,
        "{{#" * 30000,
        "{{ 'a" * 20000,
        "{abc" * 30000,
        "{#abc} {" * 20000,
        "const " * 20000 + '{abc} {"',
        " " * 100000 + '{abc} {"',
    ):
        assert sniff("a.md", text)
