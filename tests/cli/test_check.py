from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess, run

import pytest

from promptlint.unit import Unit

Run = Callable[..., CompletedProcess[str]]

CLOCK = "It is {{ now().strftime('%H:%M') }}.\nYou answer questions about gardens.\n"
CLEAN = "You answer questions about gardens.\nKeep it short.\n"
DATE = "It is {{ now().date() }}.\nYou answer questions about gardens.\n"


def _write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8", newline="")


def test_exit_codes(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, clock__j2=CLOCK, clean__j2=CLEAN, date__j2=DATE)
    assert promptlint("check", "clean.j2").returncode == 0
    assert promptlint("check", "clock.j2").returncode == 1
    assert promptlint("check", "date.j2").returncode == 0, "a note fails nothing"
    assert promptlint("check", "date.j2", "--fail-on", "note").returncode == 1
    assert promptlint("check", "clock.j2", "--fail-on", "never").returncode == 0
    assert promptlint("check", "clock.j2", "--exit-zero").returncode == 0
    assert promptlint("check", "--no-such-option").returncode == 2
    assert promptlint("check", "missing.j2").returncode == 2
    assert promptlint("check", "missing.j2", "--exit-zero").returncode == 2, "it turns findings into none, not errors"


def test_a_path_is_enough(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, clock__j2=CLOCK)
    assert promptlint("clock.j2", "--output-format", "concise").stdout.startswith(
        "clock.j2:1:7: error[clock-in-prefix]"
    )


def test_standard_input(promptlint: Run) -> None:
    done = promptlint("check", "-", "--stdin-filename", "system.j2", "--output-format", "concise", stdin=CLOCK)
    assert done.stdout.startswith("system.j2:1:7: error[clock-in-prefix]")
    assert done.returncode == 1


def test_select_and_ignore(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, both__j2="{{ now() }} {{ uuid4() }}\nYou answer questions.\n")

    def rules(*arguments: str) -> set[str]:
        done = promptlint("check", "both.j2", "--output-format", "json", *arguments)
        return {finding["rule"] for finding in json.loads(done.stdout)["findings"]}

    assert rules() == {"clock-in-prefix", "random-id-in-prefix"}
    assert rules("--select", "clock-in-prefix") == {"clock-in-prefix"}
    assert rules("--ignore", "clock-in-prefix") == {"random-id-in-prefix"}
    assert rules("--ignore", "values") == set()
    assert rules("--select", "all", "--ignore", "clock-in-prefix,random-id-in-prefix") == set()


def test_a_wrong_name_gets_the_nearest(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, clean__j2=CLEAN)
    done = promptlint("check", "clean.j2", "--select", "clock-in-prefx")
    assert (done.returncode, done.stderr) == (
        2,
        "Error: no rule is called 'clock-in-prefx'; did you mean 'clock-in-prefix'?\n",
    )
    done = promptlint("check", "clean.j2", "--provider", "antropic")
    assert (done.returncode, done.stderr) == (2, "Error: no provider is called 'antropic'; did you mean 'anthropic'?\n")


def test_a_wrong_configuration_is_said_with_its_place(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, clean__j2=CLEAN, promptlint__toml='horizon = "tomorow"\n')
    done = promptlint("check", "clean.j2")
    assert done.returncode == 2
    assert done.stderr == "Error: promptlint.toml:1:1: no horizon is called 'tomorow'; did you mean 'tomorrow'?\n"
    assert promptlint("check", "clean.j2", "--isolated").returncode == 0


def test_a_declared_value_overrules_its_name(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, system__j2="Now: {{ current_time }} {{ plan }}\nYou answer questions about gardens.\n")
    assert promptlint("check", "system.j2").returncode == 1
    _write(tmp_path, promptlint__toml='[values]\ncurrent_time = "constant"\nplan = "session"\n')
    done = promptlint("check", "system.j2", "--output-format", "json")
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["rule"], finding["evidence"], finding["confidence"]) == ("session-in-prefix", "declaration", "high")


def test_a_horizon_leaves_out_what_survives_it(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, date__j2=DATE)
    for horizon, found in (("conversation", 0), ("user", 0), ("fleet", 0), ("tomorrow", 1)):
        done = promptlint("check", "date.j2", "--horizon", horizon, "--output-format", "json")
        assert len(json.loads(done.stdout)["findings"]) == found


def test_the_json_of_version_1(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, clock__j2="é " + CLOCK.replace("\n", "\r\n"))
    document = json.loads(promptlint("check", "clock.j2", "--output-format", "json").stdout)
    assert set(document) == {"version", "findings", "prompts", "summary"}
    (finding,) = document["findings"]
    keys = "rule severity confidence path line column end_line end_column message kind events evidence section"
    more = "horizon provider blocked_tokens step_tokens fingerprint related fixes"
    assert set(finding) == {*keys.split(" "), *more.split(" ")}
    where = [finding[key] for key in ("line", "column", "end_line", "end_column")]
    assert where == [1, 9, 1, 9 + len("{{ now().strftime('%H:%M') }}")]
    (related,) = finding["related"]
    assert [related[key] for key in ("line", "column", "end_line", "end_column")] == [2, 1, 2, 36]
    (prompt,) = document["prompts"]
    assert set(prompt["layouts"][0]) == {"provider", "order", "horizon", "now", "now_at_least", "best", "total"}
    assert len(prompt["layouts"]) == 8, "two orders, four horizons"


def test_a_finding_in_an_included_file_stands_there(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, main__j2="You answer.\n{% include 'head.j2' %}\nKeep it short.\n", head__j2="It is {{ now() }}.\n")
    for paths in (["main.j2"], ["head.j2"], ["."]):
        done = promptlint("check", *paths, "--output-format", "json")
        document = json.loads(done.stdout)
        assert [finding["path"] for finding in document["findings"]] == ["head.j2"]
        assert [prompt["path"] for prompt in document["prompts"]] == ["main.j2"], "what is only included is no prompt"


def test_isolated_reads_the_given_paths_only(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, main__j2="You answer.\n{% include 'head.j2' %}\nKeep it short.\n", head__j2="It is {{ now() }}.\n")
    assert promptlint("check", "main.j2", "--isolated").returncode == 0
    assert promptlint("check", "main.j2", "head.j2", "--isolated").returncode == 1


def test_one_cause_in_several_prompts_is_one_finding(promptlint: Run, tmp_path: Path) -> None:
    part = "{% include 'head.j2' %}\n"
    _write(
        tmp_path,
        a__j2=part + "You answer.\n",
        b__j2=part + "You answer at length.\n" * 9,
        head__j2="It is {{ now() }}.\n",
    )
    (finding,) = json.loads(promptlint("check", ".", "--output-format", "json").stdout)["findings"]
    assert finding["blocked_tokens"] > 30, "of the prompt that loses most"
    assert finding["related"][-1]["message"] == "also in 1 other prompt"


BAD = {
    "broken.j2": b"You answer.\n{{ now( }}\n{% if %}\nMore text.\n",
    "unknown.j2": b"{% frobnicate x %}You answer.{% endfrobnicate %}\n",
    "stray.j2": b"You answer.\n{% endif %}\n",
    "binary.j2": b"\x00\x01\x02" * 100,
    "latin.j2": "Sie hei\u00dfen {{ name }}.\n".encode("latin-1"),
    "itself.j2": b"You answer.\n{% include 'itself.j2' %}\n",
    "circle_a.j2": b"A {% include 'circle_b.j2' %}",
    "circle_b.j2": b"B {% include 'circle_a.j2' %}",
    "parent.j2": b"{% extends 'parent.j2' %}{% block a %}x{% endblock %}",
    "brackets.j2": b"{{ " + b"[" * 10_000 + b"]" * 10_000 + b" }}",
    "ifs.j2": b"{% if x %}" * 10_000,
    "macro.j2": b"{% macro m(n) %}{{ m(n) }}{{ m(n) }}{% endmacro %}{{ m(1) }}",
    "sets.j2": b"".join(b"{%% set x%d = x%d ~ x%d %%}" % (n + 1, n, n) for n in range(200)) + b"{{ x200 }}",
    "format.txt": b"Summarise {text} and { broken\n",
    "handlebars.hbs": b"{{#if a}}" * 10_000,
    "empty.j2": b"",
    "bom.j2": b"\xef\xbb\xbfIt is {{ now() }}.\nYou answer.\n",
    "missing.j2": b"{% include 'nowhere.j2' %}{% from 'gone.j2' import x %}{{ x() }}\nYou answer.\n",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_ends_in_a_finding_or_a_line(promptlint: Run, tmp_path: Path, name: str) -> None:
    for each, data in BAD.items():
        if each == name or each.startswith(name.split("_")[0]):
            (tmp_path / each).write_bytes(data)
    done = promptlint("check", name, "--output-format", "json")
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1, 2)
    if name in ("broken.j2", "stray.j2", "brackets.j2", "ifs.j2", "handlebars.hbs", "latin.j2"):
        findings = json.loads(done.stdout)["findings"]
        assert "syntax-error" in {finding["rule"] for finding in findings}
        assert all(finding["line"] >= 1 and finding["column"] >= 1 for finding in findings)
    if name == "binary.j2":
        assert "binary.j2: " in done.stderr


def test_a_stated_dialect_makes_stray_braces_an_error(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "format.txt").write_bytes(BAD["format.txt"])
    assert "no findings" in promptlint("check", "format.txt", "--output-format", "concise").stdout
    done = promptlint("check", "format.txt", "--dialect", "strformat", "--output-format", "concise")
    assert done.stdout.startswith("format.txt:1:22: error[syntax-error]")


def test_programs_are_no_templates(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text("def f(step):\n    return f'It is {now} and {step}'\n")
    assert promptlint("check", "tool.py").returncode == 0
    assert "no findings in 0 prompts" in promptlint("check", "tool.py").stdout
    assert "1 prompt" in promptlint("check", "tool.py", "--dialect", "strformat").stdout, "unless one says so"


def test_a_broken_file_does_not_hide_the_others(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    for name, data in BAD.items():
        (tmp_path / "prompts" / name).write_bytes(data)
    _write(tmp_path / "prompts", clock__j2=CLOCK)
    done = promptlint("check", ".", "--output-format", "concise")
    assert "Traceback" not in done.stderr
    assert "prompts/clock.j2:1:7: error[clock-in-prefix]" in done.stdout


def test_a_defect_of_promptlint_hides_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from promptlint import engine

    _write(tmp_path, clock__j2=CLOCK, odd__j2=CLOCK)
    real = engine.link

    def link(unit: Unit, *rest: object) -> object:
        if unit.source.path.endswith("odd.j2"):
            raise KeyError("odd")
        return real(unit, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "link", link)
    outcome = engine.Engine(engine.Options()).check([tmp_path])
    assert len(outcome.run.findings) == 1
    (line,) = outcome.broken
    assert "odd.j2: internal error (KeyError: 'odd'); please report it" in line


@pytest.mark.parametrize("asked", [(), ("--diff",), ("--fix",), ("--add-ignore",)])
def test_what_cannot_be_looked_at_is_said_whatever_is_asked(
    promptlint: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...]
) -> None:
    from promptlint import engine

    done = promptlint("check", "missing.j2", *asked)
    said = "missing.j2: there is no such file or folder; check the path\n"
    assert (done.returncode, done.stderr) == (2, said)
    _write(tmp_path, clean__j2=CLEAN)
    assert promptlint("check", "clean.j2", "missing.j2", *asked).stderr == said

    def link(*_: object) -> object:
        raise KeyError("odd")

    monkeypatch.setattr(engine, "link", link)
    done = promptlint("check", "clean.j2", *asked)
    assert (done.returncode, done.stderr) == (2, "clean.j2: internal error (KeyError: 'odd'); please report it\n")


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--unsafe-fixes",), "--unsafe-fixes says which fixes to make; name --fix or --diff as well"),
        (("--reason", "known"), "--reason says why findings are suppressed; name --add-ignore as well"),
        (("--stdin-filename", "a.j2"), "--stdin-filename says what to call standard input; name `-` as well"),
        (("-", "--add-ignore"), "--add-ignore are about files, and standard input is none; name paths"),
        (("--diff", "--add-ignore"), "--diff writes nothing, and --add-ignore does; give one of them"),
        (("--diff", "--min-share", "0.9"), "--diff holds no shares to anything"),
        (("--add-ignore", "--compare", "HEAD"), "--add-ignore holds no shares to anything"),
        (("--diff", "-o", "report.txt"), "--diff makes no report, so there is none to write"),
        (("--add-ignore", "--report", "sarif=a.sarif"), "--add-ignore makes no report, so there is none to write"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(
    promptlint: Run, tmp_path: Path, option: tuple[str, ...], said: str
) -> None:
    _write(tmp_path, clean__j2=CLEAN)
    done = promptlint("check", "clean.j2", *option)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_large_file_is_refused_in_a_line(promptlint: Run, tmp_path: Path) -> None:
    with (tmp_path / "large.j2").open("wb") as file:
        file.truncate(50_000_000)
    done = promptlint("check", "large.j2")
    assert (done.returncode, done.stdout.count("Traceback")) == (2, 0)
    assert "large.j2: " in done.stderr
    assert "50" in done.stderr


def test_the_output_is_utf_8_in_any_locale(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, clock__j2="日本 " + CLOCK)
    done = promptlint("check", "clock.j2", LC_ALL="C", PYTHONIOENCODING="ascii")
    assert "日本" in done.stdout


def test_colour_only_where_it_is_wanted(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, clock__j2=CLOCK)
    assert "\x1b[" not in promptlint("check", "clock.j2").stdout
    assert "\x1b[" in promptlint("check", "clock.j2", FORCE_COLOR="1").stdout
    assert "\x1b[" not in promptlint("check", "clock.j2", FORCE_COLOR="1", NO_COLOR="1").stdout


def test_what_a_plain_file_imports(tmp_path: Path) -> None:
    """Start-up is most of a commit hook's time: what one plain file does not need is not imported."""
    _write(tmp_path, system__txt=CLEAN)
    code = (
        "import sys; sys.argv = ['promptlint', 'check', 'system.txt']\n"
        "from promptlint.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    done = run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split("\n")[-2].split())
    assert "promptlint" in loaded
    assert not loaded & {"jinja2", "tiktoken", "regex", "yaml", "tree_sitter", "rich", "msgspec", "pathspec", "asyncio"}


def test_a_persona_of_the_command_line_overrules_the_configuration(promptlint: Run, tmp_path: Path) -> None:
    body = '{"model": "hosted_vllm/m", "user": "{{ user_id }}", "messages": [{"role": "user", "content": "{{ q }}"}]}'
    (tmp_path / "request.json").write_text(body)
    (tmp_path / "promptlint.toml").write_text('persona = "auditor"\n')
    arguments = ("check", "request.json", "--output-format", "concise", "--select", "isolation")
    assert "[unsalted-shared-cache]" in promptlint(*arguments).stdout
    assert "[unsalted-shared-cache]" not in promptlint(*arguments, "--persona", "regular").stdout
    assert "[unsalted-shared-cache]" in promptlint(*arguments, "--isolated", "--persona", "auditor").stdout
    assert "[unsalted-shared-cache]" not in promptlint(*arguments, "--isolated").stdout
