from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptlint.engine import Engine, Options
from promptlint.fixing import Fixed, fixed
from promptlint.project import project
from promptlint.readers.choose import read
from promptlint.readers.opening import Opened, Unreadable, open_source
from promptlint.source import Source
from promptlint.template import PieceKind

OPTIONS = Options(ignore_below=0)
YAML = "system: |\n  You answer questions about gardens for {{ guests }}.\n  Keep it short.\n"
RULES = "You are a helper for gardens and answer short. Keep it short and never invent anything."


def _fixed(folder: Path, *, unsafe: bool = True, options: Options = OPTIONS) -> list[Fixed]:
    engine = Engine(options)
    return list(fixed(engine, engine.check([folder]), options, unsafe=unsafe))


def _after(folder: Path, name: str, text: str, *, unsafe: bool = True, options: Options = OPTIONS) -> str:
    """The text of a file once it is fixed; what it is when nothing is."""
    (folder / name).write_bytes(text.encode())
    return next((each.after for each in _fixed(folder, unsafe=unsafe, options=options)), text)


def _program(system: str, content: str = "q") -> str:
    return (
        "import json\nfrom datetime import datetime\n\n\ndef ask(client, q, names, call):\n"
        f"    system = {system}\n"
        '    messages = [{"role": "user", "content": q}, {"role": "assistant", "content": ' + content + "}]\n"
        '    return client.messages.create(model="claude-sonnet-4-5", system=system, messages=messages)\n'
    )


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("f\"{', '.join(set(names))}. {R}\"", "f\"{', '.join(sorted(set(names)))}. {R}\""),
        ("f\"{', '.join({n.low for n in names})}. {R}\"", "f\"{', '.join(sorted({n.low for n in names}))}. {R}\""),
    ],
)
def test_what_is_joined_is_sorted(tmp_path: Path, system: str, expected: str) -> None:
    before, after = (_program(text.replace("{R}", RULES)) for text in (system, expected))
    assert _after(tmp_path, "a.py", before, unsafe=False) == after
    ast.parse(after)


def test_members_that_may_have_no_order_are_no_safe_fix(tmp_path: Path) -> None:
    before = _program(f'f"{{set(names)}}. {RULES}"')
    assert _after(tmp_path, "a.py", before, unsafe=False) == before
    assert _after(tmp_path, "a.py", before) == _program(f'f"{{sorted(set(names))}}. {RULES}"')


def test_a_set_that_has_a_name_stays_one(tmp_path: Path) -> None:
    before = _program(f"f\"{{', '.join(names)}}. {RULES}\"").replace("    system", "    names = set(names)\n    system")
    assert any(finding.rule == "unordered-data" for finding in _checked(tmp_path, "a.py", before))
    assert _after(tmp_path, "a.py", before) == before


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("json.dumps(call.args)", "json.dumps(call.args, sort_keys=True)"),
        ("json.dumps(call.args, indent=2,)", "json.dumps(call.args, indent=2, sort_keys=True)"),
        ("json.dumps(call.args, sort_keys=False)", "json.dumps(call.args, sort_keys=False)"),
        ("json.dumps(call.args, **q)", "json.dumps(call.args, **q)"),
    ],
)
def test_keys_are_sorted(tmp_path: Path, call: str, expected: str) -> None:
    assert _after(tmp_path, "a.py", _program("R", call), unsafe=False) == _program("R", expected)


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("datetime.now().strftime('%Y-%m-%d %H:%M')", "datetime.now().strftime('%Y-%m-%d')"),
        ("datetime.now().strftime('%d.%m.%Y, %H:%M:%S')", "datetime.now().strftime('%d.%m.%Y')"),
        ("datetime.now().strftime('%A, %B %d, %Y at %I:%M %p')", "datetime.now().strftime('%A, %B %d, %Y')"),
        ("datetime.now().isoformat()", "datetime.now().date().isoformat()"),
        ("datetime.now().isoformat(timespec='seconds')", "datetime.now().date().isoformat()"),
        ("datetime.now().isoformat()[:16]", "datetime.now().isoformat()[:16]"),
        ("datetime.now()", "datetime.now().date()"),
        ("str(datetime.now())", "str(datetime.now().date())"),
        ("datetime.now():%Y-%m-%d %H:%M", "datetime.now():%Y-%m-%d"),
        ("datetime.now():%H:%M", "datetime.now():%H:%M"),
        ("datetime.now().strftime(q)", "datetime.now().strftime(q)"),
        ("datetime.now().strftime('%H:%M')", "datetime.now().strftime('%H:%M')"),
        ("datetime.now().strftime('%H:%M %d.%m.')", "datetime.now().strftime('%H:%M %d.%m.')"),
    ],
)
def test_a_clock_shows_the_date_alone(tmp_path: Path, clock: str, expected: str) -> None:
    before, after = (_program(f'f"It is {{{text}}}. {RULES}"') for text in (clock, expected))
    assert _after(tmp_path, "a.py", before, unsafe=False) == before, "another text is not for everybody"
    assert _after(tmp_path, "a.py", before) == after


def test_a_template_sorts_with_its_own_filter(tmp_path: Path) -> None:
    before = f'Known: {{{{ set(names) | join(", ") }}}}.\n{RULES}\n'
    after = before.replace("set(names)", "set(names) | sort(case_sensitive=true)")
    assert _after(tmp_path, "system.j2", before, unsafe=False) == before
    assert _after(tmp_path, "system.j2", before) == after


def test_a_template_inside_a_program_is_a_template(tmp_path: Path) -> None:
    text = _program(f"""Template("{{{{ set(names) | join(', ') }}}} {RULES}").render(names=names)""")
    after = _after(tmp_path, "a.py", text)
    assert "sorted(" not in after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (
            "system_prompt.yaml",
            "# promptlint: ignore[clock-in-prefix] why\n" + YAML,
            YAML,
        ),
        ("a.py", "# promptlint: ignore[clock-in-prefix] why\n" + _program("R"), _program("R")),
        ("a.py", _program("R  # promptlint: ignore[clock-in-prefix] why"), _program("R")),
        ("a.j2", "Be {# promptlint: ignore[clock-in-prefix] #}kind.\n", "Be kind.\n"),
        ("a.j2", "{#- promptlint: ignore[clock-in-prefix] -#}\nBe kind.\n", None),
        (
            "a.j2",
            "It is {{ now() }}. {#- promptlint: ignore[clock-in-prefix, date-in-prefix] why -#}\nBe kind.\n",
            "It is {{ now() }}. {#- promptlint: ignore[clock-in-prefix] why -#}\nBe kind.\n",
        ),
    ],
)
def test_comments_of_no_use_go(tmp_path: Path, name: str, before: str, after: str | None) -> None:
    assert any(finding.rule == "unused-suppression" for finding in _checked(tmp_path, name, before, Options()))
    assert _after(tmp_path, name, before, unsafe=False, options=Options()) == (before if after is None else after)


def test_fixes_of_a_file_are_made_together(tmp_path: Path) -> None:
    before = _program(f'f"It is {{datetime.now().isoformat()}}. {RULES}"', "json.dumps(call.args)")
    (tmp_path / "a.py").write_text(before, encoding="utf-8")
    (found,) = _fixed(tmp_path)
    assert (found.count, found.before) == (2, before)
    assert ".date().isoformat()" in found.after and "sort_keys=True" in found.after


def test_a_file_that_is_not_utf8_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbf" + _program("R", "json.dumps(call.args)").encode())
    assert Engine(OPTIONS).check([tmp_path]).run.findings[0].fixes
    assert _fixed(tmp_path) == []


def _checked(folder: Path, name: str, text: str, options: Options = OPTIONS):  # type: ignore[no-untyped-def]
    (folder / name).write_bytes(text.encode())
    return Engine(options).check([folder]).run.findings


_LINES = st.sampled_from(
    [
        RULES,
        "It is {{ datetime.now().strftime('%Y-%m-%d %H:%M') }}.",
        "It is {{ datetime.now().isoformat() }} and {{ now() }}.",
        "Known: {{ set(names) | join(', ') }}, {{ (a + b) | set | join }}.",
        "{% for each in set(names) %}- {{ each }}\n{% endfor %}",
        "{% if night %}It is {{ now().strftime('%d.%m. %H:%M') }}.{% endif %}",
        "Be {# promptlint: ignore[clock-in-prefix] #}kind.",
        "{# promptlint: ignore[unordered-data, clock-in-prefix] #}",
        "Ask {{ question }}.",
        "{% if broken",
    ]
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(_LINES, min_size=1, max_size=6), end=st.sampled_from(["\n", "\r\n"]), unsafe=st.booleans())
def test_a_fixed_template_says_the_same_and_loses_less(
    tmp_path: Path, lines: list[str], end: str, unsafe: bool
) -> None:
    path = tmp_path / "system.j2"
    path.write_bytes((end.join(lines) + end).encode())
    engine, options = Engine(OPTIONS), OPTIONS
    before = engine.check([path])
    for each in fixed(engine, before, options, unsafe=unsafe):
        assert _said(each.before) == _said(each.after)
        path.write_bytes(each.after.encode())
        after = Engine(options).check([path])
        assert len({each.place for each in after.parts}) <= len({each.place for each in before.parts})
        for one, other in zip(before.run.appraisals, after.run.appraisals, strict=True):
            layouts = zip(one.layouts(None, None), other.layouts(None, None), strict=True)
            assert all(was.now[0] <= now.now[0] for was, now in layouts)
    assert _fixed(tmp_path, unsafe=unsafe) == [], "a second run changes nothing"


def _said(text: str) -> Counter[str]:
    """The lines of a template's text, with holes marked."""
    (prompt,) = read(Source("system.j2", text), None).prompts
    pieces = prompt.messages[0].template.pieces
    said = "".join("{}" if piece.kind is PieceKind.HOLE else piece.text for piece in pieces)
    return Counter(line.strip() for line in said.splitlines() if line.strip())


def _tools(names: str, walked: str, made: str = "registry[name]") -> str:
    return (
        f"def ask(client, registry, servers, allowed, messages):\n    names = {names}\n"
        f"    tools = [{made} for name in {walked}]\n"
        '    return client.messages.create(model="claude-sonnet-4-5", tools=tools, messages=messages)\n'
    )


@pytest.mark.parametrize(
    ("names", "walked", "after", "safe"),
    [
        ('{"order", "parts"}', "names", "sorted(names)", True),
        ("frozenset([\"order\", 'parts',])", "names", "sorted(names)", True),
        ("None", '{"order", "parts"}', 'sorted({"order", "parts"})', True),
        ("{tool.name for tool in servers}", "names", "sorted(names)", False),
        ('set(tool["name"] for tool in servers)', "names", "sorted(names)", False),
        ("set(allowed)", "names", "names", False),
        ("{tool for tool in servers}", "names", "names", False),
        ('{"order", 1}', "names", "names", False),
    ],
)
def test_names_of_tools_are_sorted_where_they_are_walked(
    tmp_path: Path, names: str, walked: str, after: str, safe: bool
) -> None:
    before, expected = _tools(names, walked), _tools(names, after)
    assert [finding.rule for finding in _checked(tmp_path, "a.py", before)] == ["unordered-tools"]
    assert _after(tmp_path, "a.py", before, unsafe=False) == (expected if safe else before)
    assert _after(tmp_path, "a.py", before) == expected


@pytest.mark.parametrize(
    ("set_to", "written", "expected"),
    [
        ("datetime.now().strftime('%Y-%m-%d %H:%M UTC')", "{now}", "datetime.now().strftime('%Y-%m-%d')"),
        ("datetime.now().isoformat()", "{now}", "datetime.now().date().isoformat()"),
        ("datetime.now().strftime('%Y-%m-%d %H:%M')", "{now} or {now}", "datetime.now().strftime('%Y-%m-%d %H:%M')"),
        ("datetime.now()", "{now}", "datetime.now()"),
    ],
)
def test_a_clock_with_a_name_of_its_own_shows_the_date_alone(
    tmp_path: Path, set_to: str, written: str, expected: str
) -> None:
    before = _program(f'f"It is {written}. {RULES}"').replace("    system", f"    now = {set_to}\n    system")
    assert any(finding.rule == "clock-in-prefix" for finding in _checked(tmp_path, "a.py", before))
    assert _after(tmp_path, "a.py", before) == before.replace(set_to, expected)


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("new Date().toISOString()", "new Date().toISOString().slice(0, 10)"),
        ("new Date().toLocaleString()", "new Date().toLocaleDateString()"),
        ('new Date().toLocaleString("de")', 'new Date().toLocaleDateString("de")'),
        ("new Date().toString()", "new Date().toDateString()"),
        ('new Date().toISOString().replace("T", " ")', 'new Date().toISOString().replace("T", " ")'),
        (
            'new Date().toLocaleString("de", { timeStyle: "long" })',
            'new Date().toLocaleString("de", { timeStyle: "long" })',
        ),
        ("Date.now()", "Date.now()"),
    ],
)
@pytest.mark.parametrize("named", [False, True])
def test_a_clock_of_typescript_shows_the_date_alone(tmp_path: Path, clock: str, expected: str, named: bool) -> None:
    def program(value: str) -> str:
        first, written = (f"  const now = {value};\n", "now") if named else ("", value)
        return (
            f"export function ask(client: Client, q: string) {{\n{first}"
            f"  const system = `It is ${{{written}}}. {RULES}`;\n"
            '  return client.messages.create({ model: "m", system, messages: [{ role: "user", content: q }] });\n}\n'
        )

    before = program(clock)
    assert [finding.rule for finding in _checked(tmp_path, "a.ts", before)] == ["clock-in-prefix"]
    assert _after(tmp_path, "a.ts", before) == program(expected)


def test_files_are_not_read_again_for_every_fix_that_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    holds = _program(f"f\"{{', '.join(set(names))}}. {RULES}\"")
    many = "".join(holds.replace("def ask(", f"def ask{number}(") for number in range(4))
    Path("promptlint.toml").write_text("", encoding="utf-8")
    Path("prompts.py").write_text(many, encoding="utf-8")
    Path("calling.py").write_text("from prompts import ask0\nprompt = ask0(client, q, [], 1)\n", encoding="utf-8")
    engine = Engine(OPTIONS)
    outcome = engine.check([Path()])
    opened: Counter[str] = Counter()

    def opening(path: Path, shown: str) -> Opened | Unreadable:
        opened[path.name] += 1
        return open_source(path, shown)

    monkeypatch.setattr(project, "open_source", opening)
    assert [each.count for each in fixed(engine, outcome, OPTIONS, unsafe=True)] == [4]
    assert opened["prompts.py"] == 0, "its text is known"
    assert opened["calling.py"] <= 2, "to try fixes, and to see what they leave"
