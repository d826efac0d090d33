"""Deep, long and broken programs: what can be read is, and nothing raises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from promptlint.expression import Join, Literal, Name, Unknown
from promptlint.program import Assign, Define, If, Module

Read = Callable[[str, str], Module]
Parts = Callable[[object], Iterator[Any]]
Facts = Callable[..., list[str]]
MANY = 3000

DEEP_SCRIPTS = {
    "parentheses": "x = " + "(" * MANY + "1" + ")" * MANY,
    "arrows": "x = " + "a => " * MANY + "1",
    "functions": "x = " + "() => { return " * MANY + "1" + "}" * MANY,
    "declarations": "function f() {" * MANY + "}" * MANY,
    "classes": "x = " + "class { a = " * MANY + "1" + "}" * MANY,
    "branches": "if (a) { " * MANY + "}" * MANY,
    "loops": "for (x of y) " * MANY + "z()",
    "arrays": "x = " + "[" * MANY + "]" * MANY,
    "objects": "x = " + "{a:" * MANY + "1" + "}" * MANY,
    "patterns": "const " + "{a:" * MANY + "b" + "}" * MANY + " = x",
    "array patterns": "const " + "[" * MANY + "b" + "]" * MANY + " = x",
    "templates": "x = " + "`${" * MANY + "x" + "}`" * MANY,
    "choices": "x = " + "a ? b : " * MANY + "c",
    "conditions": "if (" + "(a && " * MANY + "x" + ")" * MANY + ") {}",
    "negations": "if (" + "!" * MANY + "x) {}",
    "alternatives": "x = " + " || ".join("a" for _ in range(MANY)),
    "assignments": "x = " * MANY + "1",
    "calls": "x = a" + ".b()" * MANY,
    "markup": "x = " + "<a>" * MANY + "</a>" * MANY,
    "labels": "a: " * MANY + "x()",
}

DEEP_PYTHON = {
    "parentheses": "x = " + "(" * MANY + "1" + ")" * MANY,
    "lambdas": "x = " + "lambda: " * MANY + "1",
    "functions": "".join(" " * at + "def f():\n" for at in range(600)) + " " * 600 + "x",
    "branches": "".join(" " * at + "if a:\n" for at in range(600)) + " " * 600 + "x",
    "tries": "".join(" " * at + "try:\n" for at in range(600)) + " " * 600 + "x",
    "lists": "x = " + "[" * MANY + "]" * MANY,
    "targets": "for " + "(" * MANY + "a" + ")" * MANY + " in x: pass",
    "comprehensions": "x = " + "[y for x in " * MANY + "z" + "]" * MANY,
    "choices": "x = " + "a if b else " * MANY + "c",
    "conditions": "if " + "(a and " * MANY + "x" + ")" * MANY + ": pass",
    "negations": "if " + "not " * MANY + "x: pass",
    "alternatives": "x = " + " or ".join("a" for _ in range(MANY)),
    "assignments": "x = " * MANY + "1",
    "calls": "x = a" + ".b()" * MANY,
    "slices": "x = " + "a[b:" * MANY + "1" + "]" * MANY,
}


@pytest.mark.parametrize("path", ["x.tsx", "x.js"])
@pytest.mark.parametrize("kind", DEEP_SCRIPTS)
def test_a_script_that_is_nested_too_deep_is_read_behind_that(kind: str, path: str, module: Read) -> None:
    assert assigned(module(DEEP_SCRIPTS[kind] + "\nafter = 'é'", path)) == ("after", "é")


@pytest.mark.parametrize("kind", DEEP_PYTHON)
def test_python_that_is_nested_too_deep_is_read_behind_that(kind: str, module: Read) -> None:
    assert assigned(module(DEEP_PYTHON[kind] + "\nafter = 'é'", "x.py")) == ("after", "é")


def assigned(module: Module) -> tuple[str, object]:
    """Name and text of the last statement."""
    last = module.body[-1]
    assert isinstance(last, Assign)
    assert isinstance(last.target, Name)
    assert isinstance(last.value, Literal)
    return last.target.id, last.value.value


@pytest.mark.parametrize("path", ["x.ts", "x.py"])
def test_what_is_too_deep_is_unknown(path: str, module: Read, parts: Parts) -> None:
    found = module("x = " + "[" * 500 + "a" + "]" * 500, path)
    assert sum(isinstance(part, Unknown) for part in parts(found)) == 1


@pytest.mark.parametrize("path", ["x.ts", "x.py"])
def test_a_long_sum_keeps_every_part(path: str, module: Read) -> None:
    (statement,) = module("x = " + " + ".join(f"'a{at}' + b" for at in range(MANY)), path).body
    assert isinstance(statement, Assign)
    assert isinstance(statement.value, Join)
    assert len(statement.value.parts) == 2 * MANY


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("x.ts", "if (a) { x = 0 }" + "".join(f" else if (a) {{ x = {at} }}" for at in range(1, MANY))),
        ("x.ts", "switch (a) {" + "".join(f"case {at}: x = {at}; break;" for at in range(MANY)) + "}"),
        ("x.py", "if a: x = 0" + "".join(f"\nelif a: x = {at}" for at in range(1, MANY))),
        ("x.py", "match a:" + "".join(f"\n case {at}: x = {at}" for at in range(MANY))),
    ],
)
def test_long_rows_of_branches_do_not_nest_without_end(path: str, code: str, module: Read, parts: Parts) -> None:
    found = module(code, path)
    assert sum(isinstance(part, Assign) for part in parts(found)) == MANY

    def depth(statement: object) -> int:
        if not isinstance(statement, If):
            return 0
        return 1 + max(map(depth, statement.otherwise), default=0)

    assert max(map(depth, found.body)) <= 100


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("x.ts", "const a{} = `é ${{b}} ${{f(c, x => x.y)}}`;"),
        ("x.py", "a{} = f'é {{b}} {{f(c, lambda x: x.y)}}'"),
    ],
)
def test_twenty_thousand_lines_are_read(path: str, line: str, module: Read) -> None:
    body = module("\n".join(line.format(at) for at in range(20_000)), path).body
    assert sum(isinstance(statement, Assign) for statement in body) == 20_000
    assert sum(isinstance(statement, Define) for statement in body) == 20_000


BROKEN_SCRIPTS = {
    "let s = `unclosed ${x\nfunction g() { return 'z' }": ["def g() [return 'z']"],
    "function f() { const m = g(`x ${b`) }\nexport function h() { return `é ${c}` }": [
        "def h() [return join('é ', <c>)]"
    ],
    "const m = [{role: 'a', content: 'b' + }];\nconst n = 'c'": [
        "m = [{'role': 'a', 'content': 'b', unknown()}]",
        "n = 'c'",
    ],
    "class A {\n f() { return 'a' }\n g( { return 'b' }\n}\nconst y = 'd'": ["y = 'd'"],
    "const p = `\nimport x\nclass B {\n`;\nfunction f( {\nconst q = 1": [r"p = '\nimport x\nclass B {\n'", "q = 1"],
}

BROKEN_PYTHON = {
    "x = f'a {b\n\ndef g():\n    return 'z'": ["def g() [return 'z']"],
    "m = [{'role': 'a', 'content': 'b' + }]\nn = 'c'": ["m = [{'role': 'a', 'content': 'b', unknown()}]", "n = 'c'"],
    "class A:\n    def f(self):\n        return 'a'\n    def g(self:\n        return 'b'\ny = 'd'": [
        "class A() [def f(self) [return 'a']]",
        "y = 'd'",
    ],
    "p = '''\nimport x\ndef f()\n'''\ndef g(:\n    q = 1\n@a\ndef h(): pass": [
        r"p = '\nimport x\ndef f()\n'",
        "@a def h() []",
    ],
    "x = (1\ny: str = 'é'": ["y = 'é'"],
}


@pytest.mark.parametrize("code", BROKEN_SCRIPTS)
def test_what_is_whole_of_a_broken_script_is_read(code: str, script_facts: Facts) -> None:
    found = script_facts(code)
    assert [fact for fact in BROKEN_SCRIPTS[code] if fact not in found] == []


@pytest.mark.parametrize("code", BROKEN_PYTHON)
def test_what_is_whole_of_broken_python_is_read(code: str, python_facts: Facts) -> None:
    found = python_facts(code)
    assert [fact for fact in BROKEN_PYTHON[code] if fact not in found] == []


@pytest.mark.parametrize("path", ["x.ts", "x.tsx", "x.js", "x.py"])
def test_an_empty_file_says_nothing(path: str, module: Read) -> None:
    assert module("", path).body == ()
