"""TypeScript and JavaScript as facts: each form of the language, and what it means for text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from promptlint.program import Module

VALUES = {
    "this.a = this.#tools": "self.a = self.#tools",
    "x = a?.b?.[0]?.(c)!.d": "x = a.b[0](c).d",
    "x = (a as T).b + (c satisfies T) + <T>d": "x = join(<a.b>, <c>, <d>)",
    "x = await (await a).b()": "x = a.b()",
    "x = import.meta.url": "x = import.meta.url",
    "x = [true, false, null, undefined]": "x = [True, False, None, None]",
    "x = [1_000, 0x10, 0b11, 2n, 1.5, 2.0, 1e3, .5]": "x = [1000, 16, 3, 2, 1.5, 2, 1000, 0.5]",
    "x = 017": "x = unknown()",
    "x = '' + \"\" + ``": "x = join('', '', '')",
    r"""x = 'it\'s' + "\"\t\\n" + `\`\${a}`""": r"""x = join("it's", '"\t\\n', '`${a}')""",
    r'x = "a\x41b\u00e9\u{1F600}\0c\vd"': r"x = join('a', 'A', 'b', 'é', '😀', '\x00', 'c', '\x0b', 'd')",
    r'x = "\ud83d\ude00" + "\u{110000}"': r"x = join('😀', '\\u{110000}')",
    "x = `a ${b} c`": "x = join('a ', <b>, ' c')",
    "x = `a ${`b ${c}`}`": "x = join('a ', <join('b ', <c>)>)",
    "x = `a\r\nb`": r"x = 'a\nb'",
    "x = `${}`": "x = join(<unknown()>)",
    "x = dedent`a ${b}`": "x = dedent(join('a ', <b>))",
    "x = a + 'b' + (c + `d${e}`)": "x = join(<a>, 'b', <c>, 'd', <e>)",
    "x = a % b / c": "x = a.%(b)./(c)",
    "x = a * b - c ** d": "x = unknown(unknown(a, b), unknown(c, d))",
    "x = [-1, -y, +y, ~y]": "x = [-1, -(y), unknown(y), unknown(y)]",
    "x = c ? a : b": "x = (c | a | b)",
    "x = a || b ?? c": "x = (? | (? | a | b) | c)",
    "x = a && b": "x = (a | b | '')",
    "x = !a && b === c ? d : e": "x = (truth(truth(a), compare(b, c)) | d | e)",
    "x = [a instanceof B, k in o, a <= b]": "x = [compare(a, B), compare(k, o), compare(a, b)]",
    "x = typeof a": "x = truth(a)",
    "x = /re/g": "x = unknown()",
    "x = void 0": "x = None",
    "x = [a, ...b]": "x = [a, *b]",
    'x = {a: 1, "b-c": 2, 3: d, [k]: e, ...f, g}': "x = {'a': 1, 'b-c': 2, '3': d, k: e, *f, 'g': g}",
    "f(...a, { b })": "f(*a, {'b': b})",
    "x = new Date(1).toISOString().slice(0, 10)": "x = Date(1).toISOString().slice(0, 10)",
    "x = new Date": "x = Date()",
    "x = delete a.b": "x = unknown(a.b)",
}

STATEMENTS = {
    "i++; --j": ["i += unknown()", "j += unknown()"],
    "x += y; x -= y": ["x += y", "x += unknown(y)"],
    "x ??= y; x ||= y": ["x = (? | x | y)", "x = (? | x | y)"],
    "x = y = z": ["y = z", "x = y"],
    "f(x = 1, i++)": ["x = 1", "i += unknown()", "f(x, i)"],
    "x = (f(), g)": ["f()", "x = g"],
    "x = void f()": ["f()", "x = None"],
    "a && b(); a || (c = 1)": ["if a [b()]", "if a [] else [c = 1]"],
    "a ? b() : c()": ["if a [b()] else [c()]"],
    "a(), b()": ["a()", "b()"],
    "!function () { d() }()": ["def <function 1>() [d()]", "<function 1>()"],
    "const a = 1, b = a; let c; var d = b": ["a = 1", "b = a", "d = b"],
    "const self = this": [],
    "const {a, b: c, ['d']: e, 'f-g': h} = v": ["a = v.a", "c = v.b", "e = v['d']", "h = v['f-g']"],
    "const {a = 1, b: {c}, ...d} = v": ["a = (? | v.a | 1)", "c = v.b.c", "d = v"],
    "const {a: [b, {c}] = []} = v": ["[b, unknown()] = (? | v.a | [])", "c = (? | v.a | [])[1].c"],
    "const [a, , b, ...c] = v": ["[a, unknown(), b, *c] = v"],
    "const [a, b = 1, {c}] = v": ["[a, unknown(), unknown()] = v", "b = (? | v[1] | 1)", "c = v[2].c"],
    "({a, b: c.d} = v); [e.f, g[0]] = w": ["a = v.a", "c.d = v.b", "[e.f, g[0]] = w"],
    "if (a) b(); else if (c) { d() } else e()": ["if a [b()] else [if c [d()] else [e()]]"],
    "if ((a && !b) || c === d) e()": ["if truth(truth(a, truth(b)), compare(c, d)) [e()]"],
    "switch (a) { case 1: case 2: b(); break; default: c(); case 3: d() }": [
        "if compare(a, 1, 2) [b()] else [if compare(a, 3) [d()] else [c()]]"
    ],
    "for (;;) { switch (a) { case 1: if (b) break; case 2: continue } }": [
        "for [if compare(a, 1) [if b []] else [if compare(a, 2) [leave]]]"
    ],
    "o: for (;;) { switch (a) { case 1: break o } }": ["for [if compare(a, 1) [leave]]"],
    "for (const a of b) c(a)": ["for a in b [c(a)]"],
    "for await (const [k, v] of o) {}": ["for k, v in o []"],
    "for (const {g, h: i} of j) {}": ["for <item 1> in j [g = <item 1>.g; i = <item 1>.h]"],
    "for (let i = 0; i < n; i++) f(i)": ["i = 0", "for [f(i); i += unknown()]"],
    "while (x = next()) g(x)": ["for [x = next(); g(x)]"],
    "do { h() } while (i)": ["for [h()]"],
    "try { a() } catch (e) { b() } finally { c() }": ["a()", "if ? [b()]", "c()"],
    "with (a) { b() }": ["b()"],
    "function f(a, b = 1, ...c) { return }": ["def f(a, b=1, *c) [return]"],
    "function f() { throw new E(g) }": ["def f() [E(g); leave]"],
    "function* f() { yield a; const b = yield c }": ["def f() [yield a; yield c; b = unknown()]"],
    "f(); function f() {}": ["def f() []", "f()"],
    "x = async (a = 1, ...b) => { await a }": ["def <function 1>(a=1, *b) [a]", "x = <function 1>"],
    "const f = async a => b(a), c = class { d = () => 1 }": [
        "def f(a) [return b(a)]",
        "class c() [def d() [return 1]]",
    ],
    "x = f => g(f)": ["def <function 1>(f) [return g(f)]", "x = <function 1>"],
    "x = () => (y = 1)": ["def <function 1>() [y = 1; return y]", "x = <function 1>"],
    "x = {m() { return 1 }, get n() { return 2 }}": [
        "def <function 1>() [return 1]",
        "def <function 2>() [return 2]",
        "x = {'m': <function 1>, 'n': <function 2>}",
    ],
    "x = ({a, b: c, d = 1}, [e]) => f": [
        "def <function 1>(<param 1>{a, c, d}, <param 2>{e}) "
        "[a = <param 1>.a; c = <param 1>.b; d = (? | <param 1>.d | 1); [e] = <param 2>; return f]",
        "x = <function 1>",
    ],
    "class A extends B<C> implements D { a = 1; static #b = 2; c }": ["class A(B) [a = 1; #b = 2]"],
    "class A { constructor(private readonly llm: LLM, e: string) { f() } }": [
        "class A() [def __init__(llm, e) [self.llm = llm; f()]]"
    ],
    "class A { f() {} static async g() {} static { h() } ['i']() {} }": [
        "class A() [def f() []; def g() []; h(); def ['i']() []]"
    ],
    "class A { get f() { return 1 } set f(v) {} }": ["class A() [@property def f() [return 1]; @f.setter def f(v) []]"],
    "@D(1) export class A { @E f() {} }": ["@D(1) class A() [@E def f() []]"],
    "x = class { a = 1 }": ["class <class 1>() [a = 1]", "x = <class 1>"],
    "enum A { B, C = 'd', 'e-f' = 3 }": ["class A() [B = 0; C = 'd'; e-f = 3]"],
    "namespace A { export const b = 1 }": ["b = 1"],
    "interface A {} type B = 1; declare const c: string; function d(): void": [],
}

IMPORTS = {
    "import a, {b, c as d, type E} from './m'": ["import default as a, b as b, c as d from ./m"],
    "import a, * as b from 'm'": ["import * as b from m", "import default as a from m"],
    "import 'm'; import type A from 'm'; import {type B} from 'm'": [],
    "import a = require('m'); import b = a.c": ["import * as a from m", "b = a.c"],
    "const a = require('./m')": ["import * as a from ./m"],
    "const {a, b: c} = require('m'), d = require('m').e": ["import a as a, b as c from m", "import e as d from m"],
    "const {a} = await import('./m')": ["import a as a from ./m"],
    "export * from 'm'; export * as a from 'm'": ["export * as * from m", "export * as a from m"],
    "export {a, b as c, type D} from 'm'; export type {E} from 'm'": ["export a as a, b as c from m"],
}

EXPORTS = {
    "export const a = 1; export function b() {}": (["def b() []", "a = 1"], ()),
    "export default function f() {}": (["def f() []"], (("default", "f"),)),
    "export default class A {}": (["class A() []"], (("default", "A"),)),
    "export default f": ([], (("default", "f"),)),
    "export = f": ([], (("default", "f"),)),
    "export default {a}": (["default = {'a': a}"], ()),
    "export default () => 1": (["def default() [return 1]"], ()),
    "export default class extends A {}": (["class default(A) []"], ()),
    "module.exports = function () {}": (["def default() []"], ()),
    "export {a as b, c, type D as E}": ([], (("b", "a"),)),
    "module.exports = {a, b: c, d: 'e', f() {}}": (
        ["d = 'e'", "def f() []"],
        (("b", "c"),),
    ),
    "module.exports = A": ([], (("default", "A"),)),
    "exports.a = exports.b = void 0; exports.a = a; exports.b = c; module.exports.d = 1": (["d = 1"], (("b", "c"),)),
}


@pytest.mark.parametrize("code", VALUES)
def test_a_value_is_read(code: str, script_facts: Callable[..., list[str]]) -> None:
    assert script_facts(code) == [VALUES[code]]


@pytest.mark.parametrize("code", STATEMENTS)
def test_a_statement_is_read(code: str, script_facts: Callable[..., list[str]]) -> None:
    assert script_facts(code) == STATEMENTS[code]


@pytest.mark.parametrize("code", IMPORTS)
def test_what_a_module_takes_is_known(code: str, script_facts: Callable[..., list[str]]) -> None:
    assert script_facts(code) == IMPORTS[code]


@pytest.mark.parametrize("code", EXPORTS)
def test_what_a_module_hands_on_is_known(
    code: str, script_facts: Callable[..., list[str]], module: Callable[[str, str], Module]
) -> None:
    assert (script_facts(code), module(code, "x.ts").exports) == EXPORTS[code]


def test_markup_is_unknown_with_what_it_holds(script_facts: Callable[..., list[str]]) -> None:
    code = 'x = <A b={c} {...d} e="f">g {h} <B i={() => j}/> {/* k */}</A>'
    expected = ["def <function 1>() [return j]", "x = unknown(c, *d, h, unknown(<function 1>))"]
    assert script_facts(code, "x.tsx") == expected
    assert script_facts(code, "x.jsx") == expected


@pytest.mark.parametrize(
    ("path", "language"),
    [("a.ts", "typescript"), ("a.mts", "typescript"), ("A.CTS", "typescript"), ("a.tsx", "typescript")]
    + [(f"a.{suffix}", "javascript") for suffix in ("js", "jsx", "mjs", "cjs")],
)
def test_the_ending_chooses_the_grammar(path: str, language: str, module: Callable[[str, str], Module]) -> None:
    assert module("#!/usr/bin/env node\nx = 1", path).language == language


def test_types_are_read_in_typescript_alone(script_facts: Callable[..., list[str]]) -> None:
    assert script_facts("const a: string = b as C", "x.ts") == ["a = b"]
    assert script_facts("const a = <T>b", "x.ts") == ["a = b"]
    assert script_facts("@d class A { @e f() {} static g = 1 }", "x.js") == ["@d class A() [@e def f() []; g = 1]"]
