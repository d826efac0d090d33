"""Which rules speak where: the command line, the configuration, each file's globs, a project's own rules."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from pathspec import GitIgnoreSpec

from promptlint import rulebook
from promptlint.cli import cli
from promptlint.data import UnknownNameError, rules_path
from promptlint.engine import Engine, Options
from promptlint.rulebook import RuleError

RULES = "You answer questions about gardens.\n"
BOTH = "{{ now() }} {{ uuid4() }}\n" + RULES


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "a.j2").write_text(BOTH, encoding="utf-8")
    return tmp_path


def found(project: Path, config: str, **options: object) -> dict[str, str]:
    """Rules that speak, with their severity."""
    (project / "promptlint.toml").write_text(config, encoding="utf-8")
    run = Engine(Options(**options)).check([Path()]).run  # type: ignore[arg-type]
    return {finding.rule: finding.severity.label for finding in run.findings}


CLOCK, ID = "clock-in-prefix", "random-id-in-prefix"


def test_select_and_ignore(project: Path) -> None:
    assert found(project, "") == {CLOCK: "error", ID: "error"}
    assert set(found(project, f'select = ["{CLOCK}"]')) == {CLOCK}
    assert set(found(project, f'ignore = ["{CLOCK}"]')) == {ID}
    assert set(found(project, f'select = ["values"]\nignore = ["{CLOCK}"]')) == {ID}
    assert found(project, 'ignore = ["all"]') == {}


def test_the_command_line_replaces_select_and_adds_to_ignore(project: Path) -> None:
    config = f'select = ["date-in-prefix", "{ID}"]\nignore = ["{ID}"]'
    assert found(project, config) == {}
    assert set(found(project, config, select=frozenset({CLOCK, ID}))) == {CLOCK}
    assert set(found(project, "", ignore=frozenset({CLOCK}))) == {ID}


def test_severities_are_stated_whatever_the_evidence(project: Path) -> None:
    assert found(project, f'[severity]\n{CLOCK} = "note"') == {CLOCK: "note", ID: "error"}


def test_some_rules_say_nothing_about_some_files(project: Path) -> None:
    assert set(found(project, f'[per-file-ignores]\n"prompts/*.j2" = ["{CLOCK}"]')) == {ID}
    assert found(project, '[per-file-ignores]\n"prompts/" = ["values"]') == {}
    assert found(project, '[per-file-ignores]\n"*" = ["all"]') == {}
    assert set(found(project, '[per-file-ignores]\n"other/*" = ["all"]')) == {CLOCK, ID}


def test_the_file_of_the_finding_decides(project: Path) -> None:
    (project / "prompts" / "head.j2").write_text("It is {{ now() }}.\n", encoding="utf-8")
    (project / "prompts" / "a.j2").write_text("{% include 'head.j2' %}\n" + RULES, encoding="utf-8")
    assert set(found(project, '[per-file-ignores]\n"a.j2" = ["all"]')) == {CLOCK}
    assert found(project, '[per-file-ignores]\n"head.j2" = ["all"]') == {}


def test_a_folder_with_a_configuration_of_its_own(project: Path) -> None:
    inner = project / "prompts" / "inner"
    inner.mkdir()
    (inner / "b.j2").write_text(BOTH, encoding="utf-8")
    (inner / "promptlint.toml").write_text(f'ignore = ["{CLOCK}"]', encoding="utf-8")
    (project / "promptlint.toml").write_text(f'ignore = ["{ID}"]', encoding="utf-8")
    run = Engine(Options()).check([Path()]).run
    assert {(finding.path, finding.rule) for finding in run.findings} == {
        ("prompts/a.j2", CLOCK),
        ("prompts/inner/b.j2", ID),
    }
    assert {CLOCK, ID} <= {known.name for known in run.rules}


def own_rule(project: Path, name: str, **replaced: str) -> None:
    """A rule of the project's own, made after the one about clocks."""
    text = (rules_path() / f"{CLOCK}.md").read_text(encoding="utf-8")
    for old, new in {f'name = "{CLOCK}"': f'name = "{name}"', **replaced}.items():
        text = text.replace(old, new)
    (project / "lint").mkdir(exist_ok=True)
    (project / "lint" / f"{name}.md").write_text(text, encoding="utf-8")


def test_a_rule_of_ones_own(project: Path) -> None:
    own_rule(project, "no-clocks", **{'severity = "error"': 'severity = "warning"'})
    assert set(found(project, 'rule-dirs = ["lint"]\nignore = ["clock-in-prefix"]')) == {"no-clocks", ID}
    config = 'rule-dirs = ["lint"]\nselect = ["no-clocks"]\n[severity]\nno-clocks = "note"'
    assert found(project, config) == {"no-clocks": "note"}
    assert set(found(project, 'rule-dirs = ["lint"]', select=frozenset({"no-clocks"}))) == {"no-clocks"}


def test_a_rule_of_ones_own_can_be_suppressed(project: Path) -> None:
    own_rule(project, "no-clocks")
    text = "{# promptlint: ignore[no-clocks, random-id-in-prefix] known #}\n" + BOTH
    (project / "prompts" / "a.j2").write_text(text, encoding="utf-8")
    assert found(project, 'rule-dirs = ["lint"]\nignore = ["clock-in-prefix"]') == {}


def test_names_are_unique(project: Path) -> None:
    own_rule(project, CLOCK)
    with pytest.raises(RuleError, match="another rule is called 'clock-in-prefix'; choose another name"):
        found(project, 'rule-dirs = ["lint"]')


def test_a_name_that_nothing_has(project: Path) -> None:
    with pytest.raises(UnknownNameError, match="no rule is called 'clok'"):
        found(project, "", select=frozenset({"clok"}))


def test_globs_and_rules_are_read_once_whatever_is_found(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_rule(project, "no-clocks")
    config = 'rule-dirs = ["lint"]\n[per-file-ignores]\n"prompts/*.j2" = ["isolation"]\n"z/*" = ["no-clocks"]\n'
    entry = '[[suppress]]\npath = "prompts/*.j2"\nrule = "clock-in-prefix"\n'
    seen: Counter[str] = Counter()
    read, compiled = rulebook.read_rule, GitIgnoreSpec.from_lines

    def reading(path: Path) -> rulebook.Rule:
        seen["read"] += 1
        return read(path)

    def compiling(lines: list[str]) -> GitIgnoreSpec:
        seen["compiled"] += 1
        return compiled(lines)

    monkeypatch.setattr(rulebook, "read_rule", reading)
    monkeypatch.setattr(GitIgnoreSpec, "from_lines", compiling)
    counts = []
    for number in range(3):
        (project / "prompts" / f"{number}.j2").write_text(BOTH, encoding="utf-8")
        seen.clear()
        assert set(found(project, config + entry)) == {ID, "no-clocks"}
        counts.append(dict(seen))
    # The first run compiles for those that follow.
    assert counts[1] == counts[2]
    assert counts[2]["read"] == 3, "by the configuration of each of two folders, and by the run"


SOURCE = """
[[source]]
kind = "session"
events = ["session"]
calls = ["ticket_number"]
why = "our help desk"
"""


def test_a_rule_of_ones_own_may_say_what_values_are(project: Path) -> None:
    (project / "prompts" / "a.j2").write_text("{{ ticket_number() }}\n" + RULES, encoding="utf-8")
    assert found(project, "") == {}
    own_rule(project, "no-clocks")
    path = project / "lint" / "no-clocks.md"
    head, front, body = path.read_text(encoding="utf-8").split("+++\n", 2)
    path.write_text(f"{head}+++\n{front}{SOURCE}+++\n{body}", encoding="utf-8")
    assert found(project, 'rule-dirs = ["lint"]') == {"session-in-prefix": "warning"}
    path.write_text(path.read_text(encoding="utf-8").replace('kind = "session"', 'kind = "sesion"'), encoding="utf-8")
    with pytest.raises(RuleError, match="the rule 'no-clocks': the source row 'our help desk' has no known kind"):
        found(project, 'rule-dirs = ["lint"]')


def test_rule_explains_ones_own(project: Path) -> None:
    own_rule(project, "no-clocks")
    (project / "promptlint.toml").write_text('rule-dirs = ["lint"]', encoding="utf-8")
    assert CliRunner().invoke(cli, ["rule", "no-clocks"]).output.startswith("# no-clocks\n")
    assert "no-clocks" in CliRunner().invoke(cli, ["rule"]).output
    assert (
        "no rule is called 'no-clok'; did you mean 'no-clocks'?" in CliRunner().invoke(cli, ["rule", "no-clok"]).output
    )
