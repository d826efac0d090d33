"""Large, broken and circular programs: what can be said is said, soon, and nothing raises."""

from __future__ import annotations

import time

import pytest

from tests.flow.conftest import Follow

HEAD = "import uuid\nfrom datetime import datetime\n"

ASK = """
def ask(client, question%s):
    system = f"You are a desk. It is «{datetime.now().isoformat()}». {rules}"
    return client.chat.completions.create(
        messages=[{"role": "system", "content": system}, {"role": "user", "content": question}]
    )
"""

SCRIPT_ASK = """
export const ask%s = (client, question) => client.chat.completions.create({
  messages: [
    { role: "system", content: `You are a desk. It is «${new Date().toISOString()}». {rules}` },
    { role: "user", content: question },
  ],
});
"""


def test_a_function_that_calls_itself(follow: Follow) -> None:
    text = """
def part(depth):
    if depth == 0:
        return ""
    return part(depth - 1) + "And on. "

def even(number):
    return odd(number)

def odd(number):
    return even(number)

def ask(client, question, depth):
    system = part(depth) + even(3) + "{rules}"
    ask(client, system, depth + 1)
    return client.chat.completions.create(
        messages=[{"role": "system", "content": system}, {"role": "user", "content": question}]
    )
"""
    assert follow({"app.py": text}) == []


def test_parents_and_names_that_stand_for_each_other(follow: Follow) -> None:
    text = """
class A(B):
    pass

class B(A):
    def ask(self, client, question):
        self.text = self.text + self.missing()
        one = two = self.text
        return client.chat.completions.create(
            messages=[{"role": "system", "content": f"{one} {two} {rules}"}, {"role": "user", "content": question}]
        )
"""
    assert follow({"app.py": text}) == []


@pytest.mark.parametrize(
    "value",
    [
        "+".join(["name"] * 2_000),
        "f(" * 80 + "x" + ")" * 80,
        "[" * 80 + "x" + "]" * 80,
        "x if a else " * 80 + "y",
        "x" + ".y()" * 900,
    ],
)
def test_what_is_too_much_is_unknown(follow: Follow, value: str) -> None:
    text = f"""
def ask(client, question, x, name):
    system = "{{rules}}" + str({value}) + "{{rules}}"
    return client.chat.completions.create(
        messages=[{{"role": "system", "content": system}}, {{"role": "user", "content": question}}]
    )
"""
    assert follow({"app.py": text}) == []


GROWING = {
    "names that double": ["t0 = 'a'"] + [f"t{at + 1} = t{at} + t{at}" for at in range(60)],
    "unknown names that double": ["t0 = x"] + [f"t{at + 1} = t{at} + t{at}" for at in range(60)] + ["t = str(t60)"],
    "sums that double": ["t = x['y']"] + ["t += t"] * 60,
    "texts that double": ["t = 'a'"] + ["t += t"] * 60,
    "records that double": ["r0 = {'a': x}"]
    + [f"r{at + 1} = {{'a': r{at}, 'b': r{at}}}" for at in range(60)]
    + ["t = json.dumps(r60)"],
    "messages that double": ["l0 = [{'role': 'user', 'content': x}]"]
    + [f"l{at + 1} = [*l{at}, *l{at}]" for at in range(60)]
    + ["client.chat.completions.create(messages=l60)"],
    "blocks that double": ["l0 = [{'type': 'text', 'text': x}]"]
    + [f"l{at + 1} = [*l{at}, *l{at}]" for at in range(60)]
    + ["client.chat.completions.create(messages=[{'role': 'user', 'content': l60}], tools=l60)"],
    "branches that double": [f"t = (t + 'a') if x{at} else (t + 'b')" for at in range(60)],
    "branches over branches": [line for at in range(60) for line in (f"if x{at}:", "    t = t + 'a'")],
    "ways out": [line for at in range(60) for line in (f"if x{at}:", "    return t + 'a'")],
    "loops in loops": [" " * 4 * at + f"for y{at} in t:" for at in range(15)] + [" " * 60 + "t = t + 'a'"],
    "lists that double": ["l0 = [t]"] + [f"l{at + 1} = l{at} + l{at}" for at in range(60)] + ["t = ''.join(l60)"],
    "calls that double": ["t = one(t)"],
    "formats that double": ["t = '{a}{a}'"] + ["t = t.format(a=t)"] * 40,
}


@pytest.mark.parametrize("kind", GROWING)
def test_what_doubles_ends_soon(follow: Follow, kind: str) -> None:
    calls = "\n".join(
        f"def {name}(t):\n    return {other}(t) + {other}(t)"
        for name, other in (("one", "two"), ("two", "three"), ("three", "four"), ("four", "five"), ("five", "six"))
    )
    body = "\n    ".join(["t = ''", *GROWING[kind]])
    ask = (ASK % ", **x").replace("    system", f"    {body}\n    system", 1).replace('{rules}"', '{rules} {t}"')
    before = time.process_time()
    found = follow({"app.py": HEAD + calls + ask})
    assert found == ["clock-in-prefix"]
    assert time.process_time() - before < 5


@pytest.mark.parametrize("broken", ["def f(:\n    x = [1, (\n", "class A\n  x = = 3\n", 'text = f"{a b}"\n', "if x:\n"])
def test_a_program_with_an_error_in_the_middle(follow: Follow, broken: str) -> None:
    again = (ASK % "").replace("def ask", "def tell").replace("«", "‹").replace("»", "›")
    # The same value at a second place is said with the first one.
    assert follow({"app.py": HEAD + ASK % "" + broken + "\n" + again}) == ["clock-in-prefix"]


@pytest.mark.long
@pytest.mark.parametrize("ending", ["py", "ts"])
def test_twenty_thousand_lines(follow: Follow, ending: str) -> None:
    if ending == "py":
        lines = "\n".join(f"def f{at}(x):\n    return g{at}(x, 'text {at}') + f{at // 2}(x)" for at in range(10_000))
        files = {"app.py": HEAD + lines + ASK % ""}
    else:
        lines = "\n".join(
            f"function f{at}(x) {{\n  return `${{g(x)}} {at}` + f{at // 2}(x); }}" for at in range(10_000)
        )
        files = {"app.ts": lines + SCRIPT_ASK % ""}
    before = time.process_time()
    assert follow(files) == ["clock-in-prefix"]
    assert time.process_time() - before < 60


@pytest.mark.long
def test_what_stands_behind_five_thousand_lines_of_a_function_is_unknown(follow: Follow) -> None:
    body = "\n".join(f"    t{at} = g(t{at - 1}, {{'a': [t0, {at}]}})" for at in range(1, 5_000))
    text = HEAD + (ASK % "").replace("    return", "    t0 = 1\n" + body + "\n    return", 1)
    before = time.process_time()
    assert follow({"app.py": text.replace("«", "").replace("»", "")}) == []
    assert time.process_time() - before < 60


@pytest.mark.long
def test_hundreds_of_modules_that_import_each_other(follow: Follow) -> None:
    files = {
        f"m{at}.py": f"from m{(at + 1) % 300} import *\nfrom m{(at + 7) % 300} import f{(at + 7) % 300}\n"
        f"def f{at}(x):\n    return f{(at + 7) % 300}(x)\n"
        for at in range(300)
    }
    files["app.py"] = "from m0 import *\n" + HEAD + ASK % ""
    before = time.process_time()
    assert follow(files) == ["clock-in-prefix"]
    assert time.process_time() - before < 60


def test_a_test_on_names_that_stand_for_each_other_twice(follow: Follow) -> None:
    """Each line doubles the ways to the first name: 2 to the 40th."""
    doubled = "".join(f"    x{at + 1} = x{at} if x{at} else other(x{at})\n" for at in range(40))
    text = f"""
def ask(client, messages):
    x0 = messages[-1]["place"]
{doubled}
    shown = []
    for message in messages:
        «if message["place"] > x40:
            shown.append({{"role": message["role"], "content": message["content"]}})»
    return client.chat.completions.create(messages=[{{"role": "system", "content": "{{rules}}"}}, *shown])
"""
    assert follow({"app.py": text}) == ["position-dependent-template"]


def test_pairs_that_stand_under_names_in_more_ways_than_can_be_walked(follow: Follow) -> None:
    """Each pair of lines doubles the ways to the first list: 2 to the 30th."""
    crossed = "".join(
        f"    x{at + 1} = x{at} if ready else y{at}\n    y{at + 1} = y{at} if slow else x{at}\n" for at in range(30)
    )
    text = f"""
def ask(client, items, ready, slow):
    x0 = [(item, 1) for item in items]
    y0 = [(item, 2) for item in items]
{crossed}
    lines = ["You sort."]
    for item, score in x30:
        lines.append(f"- {{item}}")
    first = x30[0]
    lines.append(f"{{first[0]}}, {{first['name']}}")
    return client.chat.completions.create(messages=[{{"role": "system", "content": "\\n".join(lines)}}])
"""
    assert follow({"app.py": text}) == []
