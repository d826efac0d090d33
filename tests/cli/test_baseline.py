"""`promptlint baseline` and what `check` makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]

RULES = "You answer questions about gardens.\n"
CLOCK = "It is {{ now() }}.\n" + RULES
FILE = ".promptlint-baseline.json"


@pytest.fixture(autouse=True)
def project(tmp_path: Path) -> Path:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "a.j2").write_text(CLOCK)
    (tmp_path / "prompts" / "b.j2").write_text(CLOCK)
    (tmp_path / "promptlint.toml").write_text(f'baseline = "{FILE}"\n')
    return tmp_path


def known(project: Path) -> list[str]:
    return [row["path"] for row in json.loads((project / FILE).read_text())["findings"]]


def test_only_new_findings_are_reported(promptlint: Run, project: Path) -> None:
    assert promptlint("baseline", "write").stdout == f"{FILE}: 2 findings\n"
    done = promptlint("check")
    assert (done.returncode, done.stdout) == (0, "no findings in 2 prompts, 2 files (2 in the baseline)\n")
    (project / "prompts" / "a.j2").write_text("{{ uuid4() }}\n" + CLOCK)
    done = promptlint("check", "--output-format", "concise")
    assert done.returncode == 1
    assert done.stdout == (
        "prompts/a.j2:1:1: error[random-id-in-prefix] `uuid4()` changes with every request, above text that stays the"
        " same\n1 finding in 2 files (2 in the baseline)\n"
    )
    summary = json.loads(promptlint("check", "--output-format", "json").stdout)["summary"]
    assert (summary["findings"], summary["in_baseline"]) == (1, 2)


def test_what_is_mended_is_said_and_pruned(promptlint: Run, project: Path) -> None:
    promptlint("baseline", "write")
    (project / "prompts" / "a.j2").write_text(RULES)
    done = promptlint("check", "--output-format", "concise")
    assert done.returncode == 0, "mending fails nothing"
    assert f"{FILE}:4:21: note[stale-baseline] the baseline knows a clock-in-prefix in prompts/a.j2" in done.stdout
    assert "stale-baseline" not in promptlint("check", "prompts/b.j2").stdout, "a.j2 was not looked at"
    assert promptlint("baseline", "prune", "prompts/b.j2").stdout == f"{FILE}: 0 taken out, 2 left\n"
    assert promptlint("baseline", "prune").stdout == f"{FILE}: 1 taken out, 1 left\n"
    assert known(project) == ["prompts/b.j2"]
    assert "stale-baseline" not in promptlint("check").stdout


def test_pruning_never_adds(promptlint: Run, project: Path) -> None:
    promptlint("baseline", "write", "prompts/a.j2")
    before = (project / FILE).read_text()
    assert promptlint("baseline", "prune").stdout == f"{FILE}: 0 taken out, 1 left\n"
    assert (project / FILE).read_text() == before


def test_writing_a_part_leaves_the_rest(promptlint: Run, project: Path) -> None:
    promptlint("baseline", "write")
    (project / "prompts" / "a.j2").write_text(RULES)
    (project / "prompts" / "b.j2").write_text(RULES)
    promptlint("baseline", "write", "prompts/a.j2")
    assert known(project) == ["prompts/b.j2"]
    (project / "prompts" / "b.j2").unlink()
    promptlint("baseline", "write", "prompts/a.j2")
    assert known(project) == [], "a file that is gone has no findings"


def test_it_is_the_same_file_from_any_folder(promptlint: Run, project: Path) -> None:
    promptlint("baseline", "write", "prompts")
    first = (project / FILE).read_text()
    promptlint("baseline", "write", str(project / "prompts" / "a.j2"))
    assert (project / FILE).read_text() == first


def test_another_file_and_none_configured(promptlint: Run, project: Path) -> None:
    (project / "promptlint.toml").unlink()
    done = promptlint("baseline", "write")
    assert done.stdout == f'{FILE}: 2 findings\nto use it, add to the configuration: baseline = "{FILE}"\n'
    assert promptlint("check").returncode == 1, "a file that nobody names is not used"
    assert promptlint("check", "--baseline", FILE).returncode == 0
    assert promptlint("baseline", "write", "--baseline", "other.json").stdout == "other.json: 2 findings\n"
    assert promptlint("check", "--baseline", "other.json").returncode == 0


def test_show_lists_what_is_known(promptlint: Run, project: Path) -> None:
    promptlint("baseline", "write")
    rows = json.loads((project / FILE).read_text())["findings"]
    said = "clock-in-prefix  `now()` changes with every request, above text that stays the same"
    assert promptlint("baseline", "show").stdout == (
        f"prompts/a.j2\n  {rows[0]['fingerprint']}  {said}\nprompts/b.j2\n  {rows[1]['fingerprint']}  {said}\n"
        f"2 findings in {FILE}\n"
    )


def test_a_baseline_that_cannot_be_used_ends_the_run(promptlint: Run, project: Path) -> None:
    done = promptlint("check")
    assert done.returncode == 2
    assert f"{FILE}: the baseline cannot be read (no such file or directory); write one with" in done.stderr
    (project / FILE).write_text("<<<<<<< ours")
    for command in (["check"], ["baseline", "prune"], ["baseline", "write"], ["baseline", "show"]):
        done = promptlint(*command)
        assert done.returncode == 2
        assert f"{FILE}:1:1: this is not JSON" in done.stderr
    assert (project / FILE).read_text() == "<<<<<<< ours", "nothing is lost"


def test_secrets_do_not_get_into_the_file(promptlint: Run, project: Path) -> None:
    (project / "prompts" / "a.j2").write_text("{{ lookup('sk-abcdef0123456789') or now() }}\n" + RULES)
    promptlint("baseline", "write")
    assert "sk-abcdef0123456789" not in (project / FILE).read_text()


def test_isolated_knows_no_baseline(promptlint: Run) -> None:
    promptlint("baseline", "write")
    assert promptlint("check", "--isolated").returncode == 1
