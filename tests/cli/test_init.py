"""`promptlint init` and `promptlint completion`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]

CLOCK = "It is {{ now() }}. {{ mood }} {{ user_mood.now }}\nYou answer questions about gardens.\n"


def test_names_in_any_letters_can_be_taken_over(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "a.j2").write_text("{{ größe }} {{ guest.größe }}\nYou answer.\n", encoding="utf-8")
    assert promptlint("init").returncode == 0
    text = (tmp_path / "promptlint.toml").read_text(encoding="utf-8")
    values = text.split("[values]\n")[1].removeprefix("# ").replace("\n# ", "\n")
    assert tomllib.loads(values) == {"größe": "constant", "guest": {"größe": "constant"}}


def test_files_that_are_not_read_are_said(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "a.j2").write_bytes(b"\x00\x01\xff")
    assert promptlint("init").stderr.startswith("a.j2: this is a binary file")


def test_a_first_configuration(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "a.j2").write_text(CLOCK)
    (tmp_path / "b.j2").write_text("{{ mood }}\nYou answer.\n")
    body = {
        "model": "claude-opus-4-5",
        "max_tokens": 9,
        "system": "You answer.",
        "messages": [{"role": "user", "content": "Hi."}],
    }
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "c.json").write_text(json.dumps(body))
    done = promptlint("init")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("promptlint.toml: 3 prompts in 3 files\n1 finding: see ")
    text = (tmp_path / "promptlint.toml").read_text()
    assert tomllib.loads(text) == {"values": {}}, "nothing is decided for the user"
    assert '# provider = "anthropic"  # what 1 prompt of 3 speak for\n' in text
    assert '# mood = "constant"  # in 2 prompts\n' in text
    said = promptlint("check", "--output-format", "json").stdout
    assert len(json.loads(said)["findings"]) == 1
    uncommented = text.replace("# mood", "mood").replace("# provider", "provider").replace("# baseline", "baseline")
    (tmp_path / "promptlint.toml").write_text(uncommented)
    assert promptlint("baseline", "write").returncode == 0
    assert promptlint("check").returncode == 0, "every line that is offered can be taken"


def test_nothing_is_overwritten(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.promptlint]\n")
    done = promptlint("init")
    assert (done.returncode, done.stderr) == (2, "Error: pyproject.toml configures promptlint already; edit it\n")
    assert not (tmp_path / "promptlint.toml").exists()


def test_an_empty_folder(promptlint: Run, tmp_path: Path) -> None:
    assert promptlint("init").stdout == "promptlint.toml: 0 prompts in 0 files\n"
    assert promptlint("check").returncode == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(promptlint: Run, shell: str) -> None:
    done = promptlint("completion", shell)
    assert done.returncode == 0
    assert f"_PROMPTLINT_COMPLETE={shell}_complete" in done.stdout


def test_bash_completes_commands_and_options(tmp_path: Path) -> None:
    command = tmp_path / "promptlint"
    command.write_text(f"#!{sys.executable}\nfrom promptlint.cli import main\n\nmain()\n")
    command.chmod(0o755)
    script = (
        "source <(promptlint completion bash)\n"
        'complete_to() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _promptlint_completion promptlint; '
        'printf "%s\\n" "${COMPREPLY[@]}"; }\n'
        "complete_to promptlint ba; complete_to promptlint check --output-fo\n"
    )
    done = subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["baseline", "--output-format"], done.stderr
