"""Which comments are for promptlint, and what they hide."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from promptlint.engine import Engine, Options
from promptlint.finding import Finding
from promptlint.readers.choose import read
from promptlint.source import Position, Source
from promptlint.suppression.comments import Comment, comments

NOW = "{{ now() }}"
RULES = "You answer questions about gardens. Keep it short.\n"
LONG = " You answer questions about gardens." * 40
CLOCK = f"It is {NOW}.\n{RULES}"
IGNORE = "promptlint: ignore[clock-in-prefix] known"

Found = Callable[..., list[str]]


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Found:
    """Checks a file of that name: the rules that speak, with their lines."""
    monkeypatch.chdir(tmp_path)

    def check(name: str, text: str, config: str = "", **options: object) -> list[str]:
        (tmp_path / "promptlint.toml").write_text(config, encoding="utf-8")
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        run = Engine(Options(**options)).check([Path(name)]).run  # type: ignore[arg-type]
        at = [(finding.place.source.position(finding.place.span.start).line, finding.rule) for finding in run.findings]
        return [f"{line} {rule}" for line, rule in sorted(at)]

    return check


@pytest.mark.parametrize(
    "text",
    [
        f"{{# {IGNORE} #}}\n{CLOCK}",
        f"{{#- {IGNORE} -#}}\n{CLOCK}",
        f"{{# {IGNORE} #}}\n\n{CLOCK}",
        f"  {{# {IGNORE} #}}\r\n{CLOCK}",
        f"{{#\n  {IGNORE}\n#}}\n{CLOCK}",
        f"It is {NOW}. {{# {IGNORE} #}}\n{RULES}",
        f"{{# {IGNORE} #}}It is {NOW}.\n{RULES}",
        f"{{# {IGNORE} #}}\n{{# promptlint: ignore[random-id-in-prefix] #}}\nIt is {NOW} {{{{ uuid4() }}}}.\n{RULES}",
        f"{RULES}{CLOCK}{{# promptlint: ignore-file[clock-in-prefix] #}}\n",
    ],
)
def test_jinja_comments(found: Found, text: str) -> None:
    assert found("a.j2", text) == []


def test_a_comment_speaks_of_one_line(found: Found) -> None:
    text = f"{{# {IGNORE} #}}\n{RULES}{CLOCK}"
    assert found("a.j2", text) == ["1 unused-suppression", "3 clock-in-prefix"]


def test_a_comment_speaks_of_its_rule(found: Found) -> None:
    text = f"{{# promptlint: ignore[date-in-prefix] #}}\n{CLOCK}"
    assert found("a.j2", text) == ["1 unused-suppression", "2 clock-in-prefix"]


def test_each_place_is_hidden_on_its_own(found: Found) -> None:
    text = f"{{# {IGNORE} #}}\n{CLOCK}{CLOCK}{CLOCK}"
    assert found("a.j2", text) == ["4 clock-in-prefix"], "the first of those that are left"


@pytest.mark.parametrize(
    "text",
    [
        f"{{{{!-- {IGNORE} --}}}}\nIt is {{{{current_time}}}}.\n{RULES}",
        f"{{{{! {IGNORE} }}}}\nIt is {{{{current_time}}}}.\n{RULES}",
        f"  {{{{~!-- {IGNORE} --~}}}}\nIt is {{{{current_time}}}}.\n{RULES}",
        f"It is {{{{current_time}}}}.{{{{! {IGNORE} }}}}\n{RULES}",
    ],
)
def test_handlebars_comments(found: Found, text: str) -> None:
    assert found("a.hbs", text) == []


def test_macro_comments(found: Found) -> None:
    text = f"{{{{// {IGNORE} }}}}{{{{char}}}} looks at the clock: {{{{time}}}}.\n{RULES}"
    assert found("a.md", text) == []


YAML = """\
model: gpt-5-mini
messages:
  - role: system
    content: |{end}
      You answer questions about gardens.
      It is {{{{ now() }}}}.
      Keep it short.{inside}
{below}"""


@pytest.mark.parametrize(
    "text",
    [
        f"# {IGNORE.replace('ignore', 'ignore-file')}\n" + YAML.format(end="", inside="", below=""),
        YAML.format(end=f"  # {IGNORE}", inside="", below=""),
        YAML.replace("    content", f"    # {IGNORE}\n    content").format(end="", inside="", below=""),
        YAML.format(end="", inside=f"\n      {{#- {IGNORE} -#}}\n      It is {{{{ now() }}}}.", below="").replace(
            "      It is {{ now() }}.\n      Keep", "      Keep"
        ),
        f'system: "It is {NOW}.{LONG}"  # {IGNORE}\n',
        f"system: 'It is {NOW}.\n  {LONG}'  # {IGNORE}\n",
        f"# {IGNORE}\nsystem: 'It is {NOW}.\n\n  {LONG}'\n",
    ],
)
def test_yaml_comments(found: Found, text: str) -> None:
    assert found("prompts/a.yaml", text) == []


def test_a_comment_in_yaml_does_not_speak_of_the_next_key(found: Found) -> None:
    text = f'model: gpt-5-mini  # {IGNORE}\nsystem: "It is {NOW}.{LONG}"\n'
    assert found("prompts/a.yaml", text) == ["1 unused-suppression", "2 clock-in-prefix"]


def test_a_hash_inside_a_block_scalar_is_text(found: Found) -> None:
    text = YAML.format(end="", inside=f"\n      # {IGNORE}", below="")
    assert found("prompts/a.yaml", text) == ["6 clock-in-prefix", "8 invalid-suppression"]


def test_front_matter_speaks_for_the_whole_file(found: Found) -> None:
    front = "---\nmodel: gpt-5-mini\n# promptlint: ignore-file[clock-in-prefix] known\n---\n"
    text = f'{front}{{{{role "system"}}}}\nIt is {{{{current_time}}}}.\n{RULES}'
    assert found("a.prompt", text) == []
    assert found("a.prompt", text.replace("# promptlint", "# x")) == ["6 clock-in-prefix"]


@pytest.mark.parametrize("name", ["a.md", "a.txt"])
@pytest.mark.parametrize("comment", [f"<!-- {IGNORE} -->", f"# {IGNORE}", f"// {IGNORE}"])
def test_in_plain_text_a_comment_is_sent(found: Found, name: str, comment: str) -> None:
    text = f"{comment}\n{{{{char}}}} looks at the clock: {{{{time}}}}.\n{RULES}"
    assert found(name, text) == ["1 invalid-suppression", "2 clock-in-prefix"]


def test_claude_code_takes_comments_out(found: Found) -> None:
    text = f"<!-- {IGNORE} -->\n{{{{char}}}} looks at the clock: {{{{time}}}}.\n{RULES}"
    macros = 'dialect = "macros"\n'
    assert found("CLAUDE.md", text, macros) == []
    assert found("AGENTS.md", text, macros) == ["1 invalid-suppression", "2 clock-in-prefix"]
    beside = text.replace("-->\n", "--> ")
    assert found("CLAUDE.md", beside, macros) == ["1 clock-in-prefix", "1 invalid-suppression"]


def test_raw_text_is_text(found: Found) -> None:
    text = f"{{% raw %}}{{# {IGNORE} #}}{{% endraw %}}\n{CLOCK}"
    assert found("a.j2", text) == ["1 invalid-suppression", "2 clock-in-prefix"]


def test_json_has_no_comments(found: Found) -> None:
    body = {"model": "gpt-5-mini", "_note": f"# {IGNORE}", "messages": [{"role": "system", "content": CLOCK + LONG}]}
    assert found("prompts/a.json", json.dumps(body)) == ["1 clock-in-prefix"]


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("ignore", "a comment that hides every rule hides too much; name the rules: `promptlint: ignore[rule] reason`"),
        ("ignore[]", "a comment that hides every rule hides too much"),
        ("ignore[all]", "a comment that hides every rule hides too much"),
        ("ignore-file", "name the rules: `promptlint: ignore-file[rule] reason`"),
        ("ignore[values]", "no rule is called 'values'; did you mean "),
        ("ignore[clock-in-prefx]", "no rule is called 'clock-in-prefx'; did you mean 'clock-in-prefix'?"),
        ("disable[clock-in-prefix]", "`promptlint: disable` says nothing; write `promptlint: ignore[rule] reason`"),
        ("", "`promptlint:` alone says nothing"),
    ],
)
def test_mistakes_are_said_and_hide_nothing(tmp_path: Path, comment: str, said: str) -> None:
    path = tmp_path / "a.j2"
    path.write_text(f"{{# promptlint: {comment} #}}\n{CLOCK}", encoding="utf-8")
    findings = {finding.rule: finding.message for finding in Engine(Options()).check([path]).run.findings}
    assert set(findings) == {"clock-in-prefix", "invalid-suppression"}
    assert said in findings["invalid-suppression"]


@pytest.mark.parametrize("reason", ["known", "- known", ": known", "because it is"])
def test_reasons_can_be_required(found: Found, reason: str) -> None:
    asked = "require-reason = true\n"
    assert found("a.j2", f"{{# promptlint: ignore[clock-in-prefix] {reason} #}}\n{CLOCK}", asked) == []
    assert found("a.j2", f"{{# promptlint: ignore[clock-in-prefix] - #}}\n{CLOCK}", asked) == [
        "1 invalid-suppression",
        "2 clock-in-prefix",
    ]


def test_a_finding_in_an_included_file_is_hidden_there(found: Found, tmp_path: Path) -> None:
    (tmp_path / "head.j2").write_text(f"{{# {IGNORE} #}}\nIt is {NOW}.\n", encoding="utf-8")
    assert found("a.j2", f"{{% include 'head.j2' %}}\n{RULES}") == []
    assert found("a.j2", f"{{% include 'head.j2' %}} {{# {IGNORE} #}}\n{RULES}") == ["1 unused-suppression"]


def test_what_cannot_be_read_can_be_hidden(found: Found) -> None:
    text = f"{{# promptlint: ignore[syntax-error] a plug-in's tag #}}\n{{% if x = 1 %}}x{{% endif %}}\n{RULES}"
    assert found("a.j2", text) == []


@pytest.mark.parametrize(
    "options",
    [
        {"horizon": "tomorrow"},
        {"provider": "openai"},
        {"ignore_below": 0},
        {"isolated": True},
        {"dialect": "jinja"},
        {"select": frozenset({"unused-suppression", "date-in-prefix"})},
    ],
)
def test_a_partial_run_calls_nothing_unused(found: Found, options: dict[str, object]) -> None:
    assert found("a.j2", f"{{# promptlint: ignore[random-id-in-prefix] #}}\n{RULES}", **options) == []


def test_suppressed_findings_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.j2"
    path.write_text(f"{{# {IGNORE} #}}\n{CLOCK}", encoding="utf-8")
    run = Engine(Options()).check([path]).run
    assert (run.findings, run.suppressed) == ((), 1)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.j2", f"{{# {IGNORE} #}}\nIt is {NOW}.\n"),
        ("a.j2", f"{{# {IGNORE} #}}\n"),
        ("prompts.yaml", f"# {IGNORE}\nprompt_%d: |\n  It is {NOW}.\n"),
        ("a.py", f"# {IGNORE}\nx = 'It is {{now()}}.'\n"),
    ],
    ids=["jinja", "alone", "yaml", "python"],
)
def test_each_comment_costs_the_same(monkeypatch: pytest.MonkeyPatch, name: str, line: str) -> None:
    looked: Counter[str] = Counter()
    position, whole_line = Source.position, Source.line

    def counted_position(source: Source, offset: int) -> Position:
        looked[source.path] += 1
        return position(source, offset)

    def counted_line(source: Source, number: int) -> str:
        looked[source.path] += 1
        return whole_line(source, number)

    monkeypatch.setattr(Source, "position", counted_position)
    monkeypatch.setattr(Source, "line", counted_line)

    def cost(many: int) -> int:
        unit = read(Source(name, "".join(line.replace("%d", str(number)) for number in range(many))), None)
        looked.clear()
        said = list(comments(unit, {"clock-in-prefix"}))
        assert len(said) == many
        assert all(isinstance(each, Comment) for each in said)
        return looked.total()

    assert cost(200) <= 2 * cost(100)


def test_findings_are_matched_with_comments_of_their_own_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()
    hides = Comment.hides

    def counted(comment: Comment, finding: Finding) -> bool:
        asked["hides"] += 1
        return hides(comment, finding)

    monkeypatch.setattr(Comment, "hides", counted)
    monkeypatch.chdir(tmp_path)
    Path("a.j2").write_text(f"{{# {IGNORE} #}}\nIt is {NOW}.\n" * 40, encoding="utf-8")
    run = Engine(Options()).check([Path("a.j2")]).run
    assert (run.findings, run.suppressed) == ((), 40)
    assert asked["hides"] <= 80
