from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from promptlint.engine import Engine

Run = Callable[..., CompletedProcess[str]]

BEFORE = (
    "{# promptlint: ignore[clock-in-prefix, random-id-in-prefix] frozen #}\n"
    'It is {{ now() }}. Known: {{ set(names) | join(", ") }}.\n'
    "You answer questions about gardens. Keep it short.\n"
)
SAFE = BEFORE.replace(", random-id-in-prefix", "")
AFTER = SAFE.replace("set(names)", "set(names) | sort(case_sensitive=true)")
COUNTED = "; [*] 1 fixable with --fix, 1 more with --fix --unsafe-fixes\n"


def _write(folder: Path, text: str = BEFORE) -> Path:
    path = folder / "system.j2"
    path.write_text(text, encoding="utf-8")
    return path


def test_safe_fixes_are_written_and_what_is_left_is_reported(promptlint: Run, tmp_path: Path) -> None:
    path = _write(tmp_path, BEFORE.replace("It is {{ now() }}. ", "").replace("clock-in-prefix", "unordered-data"))
    done = promptlint("check", "--fix")
    assert (done.returncode, done.stderr) == (0, "system.j2: 1 fixed\n")
    assert "ignore[unordered-data] frozen" in path.read_text(encoding="utf-8")
    assert done.stdout == "no findings in 1 prompt, 1 file (1 suppressed)\n"


def test_unsafe_fixes_are_asked_for(promptlint: Run, tmp_path: Path) -> None:
    path = _write(tmp_path)
    assert promptlint("check", "--fix").stderr == "system.j2: 1 fixed\n"
    assert path.read_text(encoding="utf-8") == SAFE
    assert promptlint("check", "--fix", "--unsafe-fixes").stderr == "system.j2: 1 fixed\n"
    assert path.read_text(encoding="utf-8") == AFTER
    assert promptlint("check", "--fix", "--unsafe-fixes").stderr == ""
    assert path.read_text(encoding="utf-8") == AFTER


def test_a_diff_writes_nothing(promptlint: Run, tmp_path: Path) -> None:
    path = _write(tmp_path)
    done = promptlint("check", "--diff", "--unsafe-fixes")
    assert done.returncode == 1
    assert path.read_text(encoding="utf-8") == BEFORE
    assert done.stdout.startswith("--- system.j2\n+++ system.j2\n@@ ")
    removed, added = ([line[1:] for line in done.stdout.splitlines()[3:] if line[0] == sign] for sign in "-+")
    assert removed == BEFORE.splitlines()[:2] and added == AFTER.splitlines()[:2]
    _write(tmp_path, AFTER)
    assert (promptlint("check", "--diff", "--unsafe-fixes").returncode, path.read_text(encoding="utf-8")) == (0, AFTER)


def test_fixes_are_in_json(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path)
    findings = json.loads(promptlint("check", "--output-format", "json").stdout)["findings"]
    (fix,) = next(each["fixes"] for each in findings if each["rule"] == "unordered-data")
    assert fix["safety"] == "unsafe"
    assert fix["edits"][0]["text"] == "set(names) | sort(case_sensitive=true)"


def test_text_says_how_many_can_be_fixed(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path)
    assert promptlint("check", "--output-format", "concise").stdout.endswith(COUNTED)
    assert promptlint("check").stdout.endswith(f"\n{COUNTED[2:]}")


def test_what_nothing_was_written_to_is_checked_once(
    promptlint: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks, real = [], Engine.check
    monkeypatch.setattr(Engine, "check", lambda *given: checks.append(1) or real(*given))  # type: ignore[func-returns-value]
    _write(tmp_path, "Be kind.\n")
    assert promptlint("check", "--fix").returncode == 0
    assert len(checks) == 1


def test_what_a_fix_leaves_broken_is_said_once(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path)
    assert promptlint("check", "system.j2", "missing.j2", "--fix").stderr == (
        "missing.j2: there is no such file or folder; check the path\nsystem.j2: 1 fixed\n"
    )


def test_standard_input_is_no_file(promptlint: Run) -> None:
    done = promptlint("check", "-", "--fix", stdin="Be kind.\n")
    assert done.returncode == 2 and "name paths" in done.stderr
