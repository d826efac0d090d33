"""`promptlint check --add-ignore`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]

RULES = "You answer questions about gardens.\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path) -> Path:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "a.j2").write_text("It is {{ now() }}.\n" + RULES)
    (tmp_path / "prompts" / "b.txt").write_text(
        "You are {name}. It is {current_time}.\n" + RULES + "User: {user_query}\n"
    )
    body = {"model": "m", "messages": [{"role": "system", "content": f"é 😀 It is 2026-03-04 10:15:32.\n{RULES * 40}"}]}
    (tmp_path / "prompts" / "c.json").write_text(json.dumps(body, ensure_ascii=False))
    return tmp_path


def test_comments_where_there_are_any_and_entries_elsewhere(promptlint: Run, project: Path) -> None:
    before = {path.name: path.read_bytes() for path in (project / "prompts").iterdir()}
    done = promptlint("check", "--add-ignore", "--reason", 'an "old" one')
    assert done.returncode == 0
    assert done.stdout.startswith("prompts/a.j2: 1 suppressed in comments\npromptlint.toml: ")
    assert promptlint("check").returncode == 0
    assert "error" not in promptlint("check").stdout
    assert '{# promptlint: ignore[clock-in-prefix] an "old" one #}{{ now() }}' in (project / "prompts/a.j2").read_text()
    assert {name for name, data in before.items() if (project / "prompts" / name).read_bytes() != data} == {"a.j2"}
    entries = tomllib.loads((project / "promptlint.toml").read_text())["suppress"]
    assert {entry["reason"] for entry in entries} == {'an "old" one'}
    assert {entry["path"] for entry in entries} == {"prompts/b.txt", "prompts/c.json"}
    assert all("at" in entry for entry in entries if entry["path"].endswith(".json"))
    assert promptlint("check", "--add-ignore").stdout == "", "there is nothing left"


def test_entries_go_behind_what_the_configuration_says(promptlint: Run, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.promptlint]\nhorizon = "user"\n[project]\nname = "x"')
    promptlint("check", "prompts/b.txt", "--add-ignore")
    document = tomllib.loads((project / "pyproject.toml").read_text())
    assert document["project"] == {"name": "x"}
    assert document["tool"]["promptlint"]["horizon"] == "user"
    assert document["tool"]["promptlint"]["suppress"][0]["path"] == "prompts/b.txt"


def test_a_list_that_cannot_grow_is_said_and_left(promptlint: Run, project: Path) -> None:
    text = "suppress = []\n"
    (project / "promptlint.toml").write_text(text)
    done = promptlint("check", "prompts/b.txt", "--add-ignore")
    assert done.returncode == 2
    assert "[[suppress]] cannot be added behind 'suppress = [...]'" in done.stderr
    assert (project / "promptlint.toml").read_text() == text


def test_nothing_is_written_when_something_cannot_be(promptlint: Run, project: Path) -> None:
    (project / "promptlint.toml").write_text("suppress = []\n")
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    done = promptlint("check", "--add-ignore")
    assert (done.returncode, done.stdout) == (2, "")
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", ["promptlint.toml", "pyproject.toml"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_of_the_configuration_stay(promptlint: Run, project: Path, name: str, end: str) -> None:
    table = "[tool.promptlint]\n" if name == "pyproject.toml" else ""
    before = f'# what we know\n{table}horizon = "user"\n'.replace("\n", end).encode()
    (project / name).write_bytes(before)
    assert promptlint("check", "prompts", "--add-ignore").returncode == 0
    after = (project / name).read_bytes()
    assert after.startswith(before)
    assert b"suppress]]" in after and after.count(b"\n") == after.count(end.encode())
    assert promptlint("check", "prompts").returncode == 0


def test_a_new_file_that_is_no_text_is_said(promptlint: Run, project: Path) -> None:
    (project / "promptlint.toml").write_bytes(b"\xff")
    done = promptlint("check", "prompts/b.txt", "--add-ignore", "--isolated")
    assert done.returncode == 2
    assert "promptlint.toml:1:1: [[suppress]] cannot be added" in done.stderr
    assert (project / "promptlint.toml").read_bytes() == b"\xff"


def test_files_that_are_broken_are_to_be_mended(promptlint: Run, project: Path) -> None:
    (project / "prompts" / "a.j2").write_text("{% if x %}\n" + RULES)
    promptlint("check", "--add-ignore")
    done = promptlint("check", "--output-format", "concise")
    assert "prompts/a.j2:1:1: error[syntax-error]" in done.stdout


@pytest.mark.parametrize("reason", ["a #} b", "a }} b", "a\nb", "a ] b"])
def test_a_reason_must_not_end_the_comment(promptlint: Run, reason: str) -> None:
    done = promptlint("check", "--add-ignore", "--reason", reason)
    assert done.returncode == 2
    assert "the reason must not hold" in done.stderr


def test_bytes_that_are_not_plain_utf8_are_not_touched(promptlint: Run, project: Path) -> None:
    file = project / "prompts" / "a.j2"
    data = b"\xef\xbb\xbf" + file.read_bytes()
    file.write_bytes(data)
    promptlint("check", "prompts/a.j2", "--add-ignore")
    assert file.read_bytes() == data
    assert promptlint("check", "prompts/a.j2").returncode == 0
