"""Lines that `--fix --unsafe-fixes` moves below text that stays the same."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptlint.engine import Engine, Options, Outcome
from promptlint.fixing import fixed

OPTIONS = Options(ignore_below=0)
RULES = "You answer letters for a garden club. Keep it short.\nNever promise a visit.\n"


def _moved(folder: Path, name: str, text: str) -> str:
    """The text of a file once it is fixed; what it is when nothing is."""
    (folder / name).write_bytes(text.encode())
    engine = Engine(OPTIONS)
    return next((each.after for each in fixed(engine, engine.check([folder]), OPTIONS, unsafe=True)), text)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("system.j2", f"Time: {{{{ now() }}}}\n{RULES}", f"{RULES}Time: {{{{ now() }}}}\n"),
        ("system.j2", f"Time: {{{{ now() }}}}\n\n{RULES}", f"{RULES}\nTime: {{{{ now() }}}}\n"),
        ("system.j2", f"It is {{{{ now() }}}}.\r\n\r\n{RULES[:-1]}", f"{RULES[:-1]}\r\n\r\nIt is {{{{ now() }}}}."),
        ("system.hbs", f"Time: {{{{currentTime}}}}\n{RULES}", f"{RULES}Time: {{{{currentTime}}}}\n"),
        ("system_prompt.md", f"Time: {{{{time}}}}\n\n# Rules\n- {RULES}", f"# Rules\n- {RULES}\nTime: {{{{time}}}}\n"),
        ("system_prompt.txt", f"Time: {{current_time}}\n{RULES}", f"{RULES}Time: {{current_time}}\n"),
        (
            "system_prompt.yaml",
            "system: |\n  It is {{ now() }}.\n\n  Be kind to all.\n\n  Keep it short.\nmodel: m\n",
            "system: |\n  Be kind to all.\n\n  Keep it short.\n\n  It is {{ now() }}.\nmodel: m\n",
        ),
        (
            "system_prompt.yaml",
            "system: |-\n  It is {{ now() }}.\n  Be kind to all.\n  Keep it short.",
            "system: |-\n  Be kind to all.\n  Keep it short.\n  It is {{ now() }}.",
        ),
        (
            "system.j2",
            f"Use these:\n\n{{{{ retrieved_context }}}}\n\n{RULES}",
            f"{RULES}\nUse these:\n\n{{{{ retrieved_context }}}}\n",
        ),
        (
            "system.j2",
            f"- Time: {{{{ now() }}}}\n- Session: {{{{ session_id }}}}\n\n{RULES}",
            f"{RULES}\n- Time: {{{{ now() }}}}\n- Session: {{{{ session_id }}}}\n",
        ),
        (
            "system.j2",
            f"# Now\n- Time: {{{{ now() }}}}\n- Host: {{{{ hostname }}}}\n\n# Role\n{RULES}",
            f"# Role\n{RULES}\n# Now\n- Time: {{{{ now() }}}}\n- Host: {{{{ hostname }}}}\n",
        ),
        (
            "system.j2",
            f"<now>\n  {{{{ now() }}}}\n</now>\n<role>\n{RULES}</role>\n",
            f"<role>\n{RULES}</role>\n\n<now>\n  {{{{ now() }}}}\n</now>\n",
        ),
        (
            "system.j2",
            "{% if late %}\nTime: {{ now() }}\nSay good night to all.\n{% endif %}\nNever promise a visit.\n",
            "{% if late %}\nSay good night to all.\nTime: {{ now() }}\n{% endif %}\nNever promise a visit.\n",
        ),
        (
            "system.j2",
            f"Day: {{{{ today() }}}}\n{RULES}Time: {{{{ now() }}}}\nThe club meets in the hall.\n",
            f"{RULES}The club meets in the hall.\nDay: {{{{ today() }}}}\nTime: {{{{ now() }}}}\n",
        ),
        (
            "system.j2",
            f"Time: {{{{ now() }}}}\n{RULES}# Question\n{{{{ question }}}}\n",
            f"{RULES}Time: {{{{ now() }}}}\n\n# Question\n{{{{ question }}}}\n",
        ),
    ],
)
def test_a_line_goes_below_what_stays(tmp_path: Path, name: str, before: str, after: str) -> None:
    assert _moved(tmp_path, name, before) == after


_STAY = {
    "a line without an end": f"It is {{{{ now() }}}} and\n{RULES}",
    "a line without a beginning": f"Letters came in\nat {{{{ now() }}}}.\n{RULES}",
    "an item of a list": f"- Be kind.\n- It is {{{{ now() }}}}.\n- Be short.\n{RULES}",
    "one of several sentences": f"Be kind. It is {{{{ now() }}}}.\n{RULES}",
    "code": f"```\n{{{{ now() }}}}\n```\n{RULES}",
    "a heading": f"# Letters of {{{{ now() }}}}\n{RULES}",
    "the first line under a heading": f"# Clock\nIt is {{{{ now() }}}}.\n\n{RULES}",
    "a table": f"| time |\n|---|\n| {{{{ now() }}}} |\n\n{RULES}",
    "a quotation": f"> It is {{{{ now() }}}}.\n\n{RULES}",
    "part of an element": f"<now>\nThe clock of the hall shows\n{{{{ now() }}}}\n</now>\n{RULES}",
    "text spoken of below": f"It is {{{{ now() }}}}.\nThis is when the letter came.\n{RULES}",
    "text spoken of further below": f"It is {{{{ now() }}}}.\n{RULES}Use the time above.\n",
    "text that speaks of what is above": f"{RULES}The letter above came at {{{{ now() }}}}.\n{RULES}",
    "who the model is": f"You write for {{{{ user_name }}}}.\n{RULES}",
    "a line that a comment speaks of": f"{{# the clock of the hall #}}\nIt is {{{{ now() }}}}.\n{RULES}",
    "what stands beside markup": f"{{% if a %}}It is {{{{ now() }}}}.\n{RULES}{{% endif %}}\n",
    "blanks that are taken away": f"It is {{{{- now() -}}}}.\n{RULES}",
    "what the loop below it would list": "It is {{ now() }}.\nFlowers:\n{% for x in all %}\n- {{ x }}\n{% endfor %}",
}


@pytest.mark.parametrize("text", _STAY.values(), ids=_STAY)
def test_what_may_be_part_of_something_stays(tmp_path: Path, text: str) -> None:
    (tmp_path / "system.j2").write_text(text, encoding="utf-8")
    assert Engine(OPTIONS).check([tmp_path]).run.findings, "there is something to fix"
    assert _moved(tmp_path, "system.j2", text) == text


def _program(literal: str) -> str:
    return (
        "from time import time\nfrom textwrap import dedent\n\n\ndef ask(client, q):\n"
        f"    system = {literal}\n"
        '    return client.messages.create(model="m", system=system, messages=[{"role": "user", "content": q}])\n'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'f"""It is {time()}.\nBe kind to {{all}}.\n\nKeep it short."""',
            'f"""Be kind to {{all}}.\n\nKeep it short.\n\nIt is {time()}."""',
        ),
        (
            'dedent(f"""\n        It is {time()}.\n        Be kind to all.\n        """)',
            'dedent(f"""\n        Be kind to all.\n        It is {time()}.\n        """)',
        ),
        ('f"""It is {time()}.\\nBe kind.\nKeep it short."""', None),
        ('f"""It is {time()}.\n    Be kind to all.\n    """', None),
        ('f"It is {time()}.\\n" "Be kind to all.\\n"', None),
        ('f"""It is {time()}. \\\nBe kind to all.\nKeep it short."""', None),
    ],
)
def test_a_line_moves_inside_one_literal(tmp_path: Path, before: str, after: str | None) -> None:
    before, after = _program(before), _program(before if after is None else after)
    (tmp_path / "a.py").write_text(before, encoding="utf-8")
    assert Engine(OPTIONS).check([tmp_path]).run.findings, "there is something to fix"
    assert _moved(tmp_path, "a.py", before) == after
    ast.parse(after)


def test_a_template_literal_of_typescript(tmp_path: Path) -> None:
    program = (
        "export function ask(client: Client, q: string) {{\n  const system = `{}`;\n"
        '  return client.messages.create({{ model: "m", system, messages: [{{ role: "user", content: q }}] }});\n}}\n'
    )
    before = program.format("It is ${Date.now()}.\n\nBe kind to all.\nKeep it short.\n")
    after = program.format("Be kind to all.\nKeep it short.\n\nIt is ${Date.now()}.\n")
    assert _moved(tmp_path, "a.ts", before) == after


def test_a_request_that_was_sent_is_no_template(tmp_path: Path) -> None:
    text = '{"model": "m", "messages": [{"role": "system", "content": "It is 2026-01-02T10:11:12Z.\\nBe kind."}]}'
    assert Engine(OPTIONS).check([tmp_path]).run.findings == ()
    assert _moved(tmp_path, "request.json", text) == text


_STABLE = [f"Letter kind {number} goes to the board of the club." for number in range(12)]
_WRAPPED = ["Answer in the language\nof the guest.", "It is {{ now() }} here, where\nthe flowers are.\n"]
_LIST = "- Roses need sun.\n- Ferns need rain, and it is {{ now() }}.\n- Moss needs nothing."
_FENCE = "```\nTime: {{ now() }}\n\nlog\n```"
_FIXED = [*_WRAPPED, _LIST, _FENCE]
_LEAF = st.sampled_from(
    [
        *_STABLE,
        *_FIXED,
        "Time: {{ now() }}",
        "It is {{ now() }}.\n",
        "Session: {{ session_id }}",
        "Use these letters:\n{{ retrieved_context }}\n",
        "# Letters",
        "<now>\nThe hall says {{ now() }}.\n</now>",
        "Ask {{ who }}.",
        "",
        "{{ question }}",
        "Names: {{- now() -}}",
    ]
)


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, min_size=1, max_size=4).map("\n".join)
    tags = st.sampled_from(
        [("{% if a %}", "{% endif %}"), ("{% for x in xs %}", "{% endfor %}"), ("<rule>", "</rule>")]
    )
    return st.tuples(tags, body).map(lambda pair: f"{pair[0][0]}\n{pair[1]}\n{pair[0][1]}")


_BODY = st.lists(st.recursive(_LEAF, _nested, max_leaves=6), min_size=2, max_size=8).map("\n".join)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=_BODY, end=st.sampled_from(["\n", ""]))
def test_a_move_keeps_every_piece_whole_and_in_its_block(tmp_path: Path, body: str, end: str) -> None:
    _moves_well(tmp_path, body + end)


@pytest.mark.long
@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=_BODY, end=st.sampled_from(["\n", ""]))
def test_many_moves_keep_every_piece_whole_and_in_its_block(tmp_path: Path, body: str, end: str) -> None:
    _moves_well(tmp_path, body + end)


def _moves_well(folder: Path, before: str) -> None:
    after = _moved(folder, "system.j2", before)
    was = Engine(OPTIONS).check([folder])
    assert _blocks(after) == _blocks(before), "no line leaves its block, none is lost or cut"
    for whole in _FIXED:
        assert after.count(whole) == before.count(whole), "sentences, lists and code stay as they are"
    if after != before:
        (folder / "system.j2").write_text(after, encoding="utf-8")
        now = Engine(OPTIONS).check([folder])
        assert not any(finding.rule == "syntax-error" for finding in now.run.findings)
        assert _blocked(now) < _blocked(was)
        for one, other in zip(was.run.appraisals, now.run.appraisals, strict=True):
            pairs = zip(one.layouts(None, None), other.layouts(None, None), strict=True)
            assert all(left.now[0] <= right.now[0] for left, right in pairs)
        assert _moved(folder, "system.j2", after) == after, "a second run changes nothing"


def _blocks(text: str) -> Counter[tuple[int, str]]:
    """Each line with the block that it stands in: which tags of Jinja stand above it, and are not closed."""
    found: Counter[tuple[int, str]] = Counter()
    opened, blocks = 0, [0]
    for line in text.splitlines():
        if re.match(r"\{% end", line):
            blocks.pop()
        if line.strip():
            found[blocks[-1], line] += 1
        if re.match(r"\{% (?:if|for)", line):
            opened += 1
            blocks.append(opened)
    return found


def _blocked(outcome: Outcome) -> int:
    every = (*outcome.parts, *outcome.run.findings)
    return sum({(each.rule, each.place): each.blocked for each in every}.values())
