"""Files that are nested deeper than anybody writes: read, or refused with a place and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from promptlint.engine import Engine, Options

_TEMPLATE = "You are a bot. {{{{ now() }}}}\n{}\nKeep it short please.\n"
_PYTHON = (
    "def f(client, a, b, q):\n    s = {}\n"
    '    return client.messages.create(model="m", system=s, messages=[{{"role": "user", "content": q}}])\n'
)
_TYPESCRIPT = (
    "export function f(client: Client, a: string, q: string) {{\n  let s = {};\n"
    '  return client.messages.create({{ model: "m", system: s, messages: [{{ role: "user", content: q }}] }});\n}}\n'
)
_REQUEST = '{{"model": "m", "messages": [{{"role": "user", "content": "It is {{{{ now() }}}}. Be good."}}], "x": {}}}'
_YAML = "system: |\n  It is {{{{ now() }}}}.\n\n  Be good to all.\n  Keep it short.\nx: {}\n"


def _around(before: str, inner: str, after: str) -> Callable[[int], str]:
    return lambda depth: before * depth + inner + after * depth


def _joined(part: str, by: str) -> Callable[[int], str]:
    return lambda depth: by.join([part] * depth)


_SHAPES: dict[str, tuple[str, str, Callable[[int], str]]] = {
    "blocks of Jinja": ("a.j2", _TEMPLATE, _around("{% if a %}", "x", "{% endif %}")),
    "loops of Jinja": ("a.j2", _TEMPLATE, _around("{% for a in b %}", "x", "{% endfor %}")),
    "branches of Jinja": ("a.j2", _TEMPLATE, lambda n: "{% if a %}" + "{% elif b %}x" * n + "{% endif %}"),
    "parentheses of Jinja": ("a.j2", _TEMPLATE, lambda n: "{{ " + "(" * n + "a" + ")" * n + " }}"),
    "a sum of Jinja": ("a.j2", _TEMPLATE, lambda n: "{{ " + " + ".join(["a"] * n) + " }}"),
    "filters of Jinja": ("a.j2", _TEMPLATE, lambda n: "{{ a" + " | trim" * n + " }}"),
    "attributes of Jinja": ("a.j2", _TEMPLATE, lambda n: "{{ a" + ".b" * n + " }}"),
    "blocks of Handlebars": ("a.hbs", "You are a bot.\n{}\n", _around("{{#if a}}", "x", "{{/if}}")),
    "subexpressions": ("a.hbs", "You are a bot.\n{}\n", lambda n: "{{x " + "(a " * n + "b" + ")" * n + "}}"),
    "braces": ("a_prompt.txt", "You are a bot.\n{}\n", _around("{", "a", "}")),
    "elements": ("a.j2", _TEMPLATE, _around("<a>\n", "x", "</a>\n")),
    "lists of JSON": ("a.json", _REQUEST, _around("[", "", "]")),
    "objects of JSON": ("a.json", _REQUEST, _around('{"a":', "1", "}")),
    "lists of YAML": ("a_prompt.yaml", _YAML, _around("[", "", "]")),
    "mappings of YAML": ("a_prompt.yaml", _YAML, _around("{a: ", "1", "}")),
    "parentheses of Python": ("a.py", _PYTHON, _around("(", "a", ")")),
    "lists of Python": ("a.py", _PYTHON, _around("[", "a", "]")),
    "calls of Python": ("a.py", _PYTHON, _around("str(", "a", ")")),
    "f-strings": ("a.py", _PYTHON, _around("f'{", "a", "}'")),
    "a sum of Python": ("a.py", _PYTHON, _joined("a", " + ")),
    "methods of Python": ("a.py", _PYTHON, lambda n: "a" + ".strip()" * n),
    "conditions of Python": ("a.py", _PYTHON, lambda n: "a if b else " * n + "'c'"),
    "text that grows": ("a.py", _PYTHON, lambda n: "''\n" + "    s = f'{s}{a} x'\n" * n),
    "parentheses of TypeScript": ("a.ts", _TYPESCRIPT, _around("(", "a", ")")),
    "calls of TypeScript": ("a.ts", _TYPESCRIPT, _around("String(", "a", ")")),
    "template literals": ("a.ts", _TYPESCRIPT, _around("`${", "a", "}`")),
    "a sum of TypeScript": ("a.ts", _TYPESCRIPT, _joined("a", " + ")),
    "conditions of TypeScript": ("a.ts", _TYPESCRIPT, lambda n: "a ? 'b' : " * n + "'c'"),
    "branches of TypeScript": (
        "a.ts",
        _TYPESCRIPT,
        lambda n: "''; if (a) { s = 'x' }" + " else if (a) { s += 'y' }" * n,
    ),
}


@pytest.mark.parametrize(
    "depth", [650, pytest.param(300, marks=pytest.mark.long), pytest.param(5000, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("shape", _SHAPES)
def test_a_deep_file_is_read_or_refused(tmp_path: Path, shape: str, depth: int) -> None:
    name, around, inner = _SHAPES[shape]
    (tmp_path / name).write_text(around.format(inner(depth)), encoding="utf-8")
    outcome = Engine(Options()).check([tmp_path / name])
    assert not outcome.broken
    for finding in outcome.run.findings:
        if finding.rule == "syntax-error":
            assert "; " in finding.message, "what is wrong, and what to do"
    if "{{{{ now() }}}}" in around and name != "a.json":
        assert outcome.run.findings, "the rest of the file is read, or the file is refused"


def test_what_cannot_be_followed_is_said_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(_PYTHON.format("''\n" + "    s = f'{s}{a} x'\n" * 900), encoding="utf-8")
    (finding,) = Engine(Options()).check([path]).run.findings
    said = "what this file builds is nested too deeply to be followed; flatten it"
    assert (finding.rule, finding.message) == ("syntax-error", said)
    with pytest.raises(OSError, match=f"a.py:1:1: {said}"):
        Engine(Options()).document(path)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RecursionError("deep"), "{}:1:1: what this file builds is nested too deeply to be followed; flatten it"),
        (KeyError("odd"), "{}: internal error (KeyError: 'odd'); please report it"),
    ],
)
def test_what_breaks_while_it_is_followed_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    path = tmp_path / "a.py"
    path.write_text(_PYTHON.format("''"), encoding="utf-8")

    def requests(*_: object) -> object:
        raise error

    monkeypatch.setattr("promptlint.flow.flow.requests", requests)
    outcome = Engine(Options()).check([path])
    found = [f"{each.path}:1:1: {each.message}" for each in outcome.run.findings]
    assert [*outcome.broken, *found] == [said.format(path)]
    assert bool(found) == isinstance(error, RecursionError)
    with pytest.raises(OSError) as caught:
        Engine(Options()).document(path)
    assert str(caught.value) == said.format(path)


def test_a_depth_that_no_rule_speaks_of_is_said_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(_PYTHON.format("''\n" + "    s = f'{s}{a} x'\n" * 900), encoding="utf-8")
    outcome = Engine(Options(ignore=frozenset({"syntax-error"}))).check([path])
    assert outcome.broken == (f"{path}:1:1: what this file builds is nested too deeply to be followed; flatten it",)
    assert not outcome.run.findings
