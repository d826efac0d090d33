"""What users meet when something is wrong with what they gave, whatever the command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from promptlint import cli as promptlint_cli
from promptlint.data import rules_path

Run = Callable[..., CompletedProcess[str]]

CLOCK = "It is {{ now() }}.\nYou answer questions about gardens.\n"
HOSTILE = "\a\u202eodd.j2"
HARMLESS = "\\x07\\u202eodd.j2"


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", HOSTILE),
        ("check", "missing\a\u202e.j2"),
        ("show", HOSTILE),
        ("diff", HOSTILE, HOSTILE),
        ("audit", HOSTILE),
        ("kv", "--config", HOSTILE),
        ("baseline", "write", HOSTILE),
        ("baseline", "show", "--baseline", HOSTILE),
        ("check", "--select", HOSTILE),
        ("\a\u202e",),
    ],
    ids=lambda arguments: arguments[0].strip("\a\u202e"),
)
def test_errors_are_harmless_to_a_terminal(promptlint: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / HOSTILE).write_bytes(b"\x00\x01\xff")
    done = promptlint(*arguments)
    assert done.returncode == 2
    assert "\\x07\\u202e" in done.stderr
    assert not {"\a", "\u202e"} & set(done.stderr + done.stdout)


def test_what_a_gate_says_is_harmless(promptlint: Run, tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True, capture_output=True)

    git("init", "-q")
    (tmp_path / "a.j2").write_text(CLOCK, encoding="utf-8")
    (tmp_path / HOSTILE).write_bytes(b"\x00\x01\xff")
    git("add", "-A")
    git("-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m")
    (tmp_path / HOSTILE).write_text(CLOCK, encoding="utf-8")
    done = promptlint("check", "--compare", "HEAD")
    assert f"HEAD:{HARMLESS}: this is a binary file" in done.stderr


def test_a_rule_of_ones_own_is_explained_without_harm(promptlint: Run, tmp_path: Path) -> None:
    text = (rules_path() / "clock-in-prefix.md").read_text(encoding="utf-8")
    text = text.replace('name = "clock-in-prefix"', 'name = "own"').replace("## What it does", "## \aWhat it does")
    (tmp_path / "lint").mkdir()
    (tmp_path / "lint" / "own.md").write_text(text, encoding="utf-8")
    (tmp_path / "promptlint.toml").write_text('rule-dirs = ["lint"]', encoding="utf-8")
    assert "## \\x07What it does\n" in promptlint("rule", "own").stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("check", "a.j2"), 1), (("check", "a.j2", "--exit-zero"), 0), (("rule",), 0), (("--help",), 0)],
)
def test_the_exit_code_does_not_depend_on_who_reads(tmp_path: Path, arguments: tuple[str, ...], code: int) -> None:
    (tmp_path / "a.j2").write_text(CLOCK, encoding="utf-8")
    read, written = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "promptlint", *arguments],
            cwd=tmp_path,
            stdout=written,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
    finally:
        os.close(written)
    assert (done.returncode, done.stderr) == (code, "")


def test_a_failure_of_promptlint_is_no_finding(promptlint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(**_: object) -> None:
        raise KeyError("odd")

    monkeypatch.setattr(promptlint_cli, "cli", failing)
    done = promptlint("check")
    assert done.returncode == 2
    assert "KeyError: 'odd'" in done.stderr


def test_a_file_without_prompts_is_not_shown_as_nothing(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    done = promptlint("show", "a.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: a.py: no prompt that promptlint can read; name another file\n"


def test_several_models_need_all_providers(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "a.j2").write_text(CLOCK, encoding="utf-8")
    done = promptlint("show", "a.j2", "--model", "gpt-4o,claude-opus-5")
    assert done.returncode == 2
    assert "several models are compared with --provider all only" in done.stderr


def test_no_baseline_is_written_of_what_is_not_there(promptlint: Run, tmp_path: Path) -> None:
    done = promptlint("baseline", "write", "prmpts")
    assert done.returncode == 2
    assert "prmpts: there is no such file or folder; check the path\n" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("check", "a.j2", "--compare", "HEAD"), ": not a git repository"),
        (("diff", "HEAD:a.j2", "a.j2"), "HEAD:a.j2: "),
    ],
)
def test_outside_of_a_repository(promptlint: Run, tmp_path: Path, command: tuple[str, ...], said: str) -> None:
    (tmp_path / "a.j2").write_text(CLOCK, encoding="utf-8")
    done = promptlint(*command, GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert done.returncode == 2
    assert said in done.stderr and "show-toplevel" not in done.stderr


@pytest.mark.parametrize("name", ["prompts", "a.j2"])
def test_a_link_that_leads_nowhere_is_no_clean_run(promptlint: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to("absent")
    done = promptlint("check", name)
    assert (done.returncode, done.stderr) == (2, f"{name}: this link leads nowhere; check the path\n")
    assert promptlint("check", name, "--only-prompts").returncode == 0, "a commit hook names what changed"


def test_what_the_system_refuses_is_said_in_words(promptlint: Run) -> None:
    name = "x" * 300
    done = promptlint("show", name)
    assert done.returncode == 2
    assert done.stderr.endswith(f"{name}: it cannot be used (file name too long); check the path and its permissions\n")
