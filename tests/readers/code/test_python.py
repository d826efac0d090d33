"""Python as facts: each form of the language, and what it means for text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

VALUES = {
    "x = self.a.b": "x = self.a.b",
    "x = [True, None, 1_000, 0x10, 1.5, 2j]": "x = [True, None, 1000, 16, 1.5, unknown()]",
    "x = 'it\\'s\\n\"' 'b' f'{c}' f''": r"""x = join('it\'s\n"', 'b', <c>)""",
    r'x = "a\x41\u00e9\N{BULLET}\101\ab\d"': r"x = join('a', 'A', 'é', '•', 'A', '\x07', 'b\\d')",
    "x = 'a\\\nb'": "x = join('a', 'b')",
    r'x = r"\n" + rf"\d{a}{{}}" + b"\t"': r"x = join('\\n', '\\d', <a>, '{', '}', '\t')",
    "x = '''a\r\nb'''": r"x = 'a\nb'",
    r"x = '\r\n'": r"x = '\r\n'",
    "x = f'a{{b}}{c!r}{d:%H}{e:>{f}}{g=}{h!s}'": (
        "x = join('a{', 'b}', <c|repr>, <d:%H>, <unknown(e, f)>, 'g=', <g>, <h>)"
    ),
    "x = f'a {f\"b {c}\"}'": "x = join('a ', <join('b ', <c>)>)",
    "x = t'a {b}'": "x = join('a ', <b>)",
    "x = ('a'  # b\n     f'{c}')": "x = join('a', <c>)",
    "x = a + b + 'c' + f'{d}'": "x = join(<a>, <b>, 'c', <d>)",
    "x = a % b // c / d": "x = a.%(b).//(c)./(d)",
    "x = a * b - c": "x = unknown(unknown(a, b), c)",
    "x = [-1, -y, ~y]": "x = [-1, -(y), ~(y)]",
    "x = a if b else c": "x = (b | a | c)",
    "x = a or b": "x = (? | a | b)",
    "x = a and b": "x = (a | b | '')",
    "x = not a": "x = truth(a)",
    "x = a <= b in c": "x = compare(a, b, c)",
    "x = [a, *b]": "x = [a, *b]",
    "x = a, b": "x = [a, b]",
    "x = {a, b}": "x = set([a, b])",
    "x = {'a': 1, **b}": "x = {'a': 1, *b}",
    "x = [a for b, c in d if e]": "x = [*a for b, c in d if truth(e)]",
    "x = {a: b for c in d}": "x = dict([*[a, b] for c in d])",
    "x = f(a for b in c for d in e)": "x = f([*a for d in e for b in c])",
    "f(a, *b, c=d, **e)": "f(a, *b, c=d, **=e)",
    "x = a['b'][1:2][:-1][:n]": "x = a['b'][1:2][:-1].slice(None, n)",
    "x = await a": "x = a",
}

STATEMENTS = {
    "a = b = c": ["b = c", "a = b"],
    "a, (b, *c) = d": ["[a, [b, *c]] = d"],
    "d: str = e; h: int": ["d = e"],
    "f += g; f -= g": ["f += g", "f += unknown(g)"],
    "x = (y := z)": ["y = z", "x = y"],
    "x = lambda a, b=1: a": ["def <function 1>(a, b=1) [return a]", "x = <function 1>"],
    "def f(a, b: str = 'c', /, *d, e=1, **g): return a": ["def f(a, b='c', *d, key e=1, **g) [return a]"],
    "def f(*, a): return": ["def f(key a) [return]"],
    "async def f():\n yield a\n raise E(b)": ["def f() [yield a; E(b); leave]"],
    "@a\n@b(c)\nclass D(E):\n g = 1\n @h\n def i(self): pass": ["@a @b(c) class D(E) [g = 1; @h def i(self) []]"],
    "if a and not b: c()\nelif d: e()\nelse: f()": ["if truth(a, truth(b)) [c()] else [if d [e()] else [f()]]"],
    "match a:\n case 1: b()\n case _ if c: d()\n case _: e()": [
        "if compare(a) [b()] else [if compare(a) [d()] else [e()]]"
    ],
    "for a, (b, c) in d: e()\nelse: f()": ["for a, b, c in d [e()]", "f()"],
    "while (a := b()): c()": ["for [a = b(); c()]"],
    "for a in b:\n if c: continue\n break": ["for a in b [if c [leave]; leave]"],
    "with a as b, c: d()": ["b = a", "c", "d()"],
    "try: a()\nexcept E as e: b()\nelse: c()\nfinally: d()": ["a()", "if ? [b()]", "c()", "d()"],
    "import a.b as c, d.e": ["import * as c from a.b", "import * as d from d"],
    "from . import f": ["import f as f from ."],
    "from ..g import h as i, j": ["import h as i, j as j from ..g"],
    "from k import *": ["import * as * from k"],
}


@pytest.mark.parametrize("code", VALUES)
def test_a_value_is_read(code: str, python_facts: Callable[[str], list[str]]) -> None:
    assert python_facts(code) == [VALUES[code]]


@pytest.mark.parametrize("code", STATEMENTS)
def test_a_statement_is_read(code: str, python_facts: Callable[[str], list[str]]) -> None:
    assert python_facts(code) == STATEMENTS[code]
