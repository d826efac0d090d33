from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]

CLOCK = "It is {{ now() }}.\nYou answer questions about gardens.\n"


@pytest.fixture(autouse=True)
def clock(tmp_path: Path) -> None:
    (tmp_path / "clock.j2").write_text(CLOCK, encoding="utf-8")


def test_one_run_prints_text_and_writes_reports(promptlint: Run, tmp_path: Path) -> None:
    done = promptlint(
        "check", "clock.j2", "--output-format", "concise", "--report", "sarif=a.sarif", "--report", "junit=b.xml"
    )
    assert done.returncode == 1
    assert done.stdout.startswith("clock.j2:1:7: error[clock-in-prefix]")
    assert json.loads((tmp_path / "a.sarif").read_text())["version"] == "2.1.0"
    assert (tmp_path / "b.xml").read_text().startswith("<?xml")


def test_an_output_file_takes_the_place_of_standard_output(promptlint: Run, tmp_path: Path) -> None:
    done = promptlint("check", "clock.j2", "-o", "out.txt", FORCE_COLOR="1")
    assert (done.returncode, done.stdout) == (1, "")
    text = (tmp_path / "out.txt").read_text()
    assert text.startswith("error[clock-in-prefix]"), "a file is not coloured unless one asks for it"
    promptlint("check", "clock.j2", "-o", "out.txt", "--color", "always")
    assert (tmp_path / "out.txt").read_text().startswith("\x1b[")
    assert promptlint("check", "clock.j2", "-o", "-").stdout == text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--report", "sarif"), "'sarif' names no file; write FORMAT=PATH, such as sarif=promptlint.sarif"),
        (("--report", "sarf=a"), "no format is called 'sarf'; did you mean 'sarif'?"),
        (("--report", "sarif=no/a"), "no/a: it cannot be written (no such file or directory); check the folder"),
        (("--output-file", "no/a"), "no/a: it cannot be written (no such file or directory); check the folder"),
        (("--output-format", "sarf"), "'sarf' is not one of"),
    ],
)
def test_what_cannot_be_written_is_said(promptlint: Run, arguments: tuple[str, ...], said: str) -> None:
    done = promptlint("check", "clock.j2", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_colour(promptlint: Run) -> None:
    def is_coloured(*arguments: str, **environment: str) -> bool:
        unset = {"NO_COLOR": "", "FORCE_COLOR": "", "CLICOLOR_FORCE": ""}
        return "\x1b[" in promptlint("check", "clock.j2", *arguments, **(unset | environment)).stdout

    assert not is_coloured()
    assert is_coloured("--color", "always")
    assert is_coloured("--color", "always", NO_COLOR="1"), "what is asked for on the command line wins"
    assert not is_coloured("--color", "never", FORCE_COLOR="1")
    assert is_coloured(FORCE_COLOR="1")
    assert is_coloured(CLICOLOR_FORCE="1")
    assert not is_coloured(FORCE_COLOR="0")
    assert not is_coloured(FORCE_COLOR="1", NO_COLOR="1")


def _on_a_terminal(folder: Path, patience: float) -> str:
    """What `check` writes to a terminal as its standard error, when it waits so many seconds before it says more."""
    code = (
        "import sys\n"
        "from promptlint.cli import main, progress\n"
        f"progress._PATIENCE = {patience}\n"
        "sys.argv = ['promptlint', 'check', '.']\n"
        "main()"
    )
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, stdout=subprocess.PIPE, stderr=theirs, env=environment, check=False
    )
    os.close(theirs)
    assert done.returncode == 1
    assert done.stdout.startswith(b"error[clock-in-prefix]")
    seen = b""
    try:
        while chunk := os.read(ours, 4096):
            seen += chunk
    except OSError:
        pass  # the terminal has no other end any more
    os.close(ours)
    return seen.decode()


def test_progress_on_a_terminal_after_a_while(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"more_{number}.j2").write_text(CLOCK, encoding="utf-8")
    assert _on_a_terminal(tmp_path, 60) == ""
    shown = _on_a_terminal(tmp_path, 0)
    assert "reading" in shown
    assert "checking" in shown


def test_no_progress_when_nobody_looks(promptlint: Run) -> None:
    assert promptlint("check", "clock.j2").stderr == ""
