"""The hooks, by pre-commit itself in a throw-away repository.

A hook of `language: python` installs promptlint with its dependencies, which needs a network. The tests change that one
word of the manifest into `system`, with which the hook runs the promptlint on the path, and nothing else.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
CLOCK = "It is {{ now() }}.\nYou answer questions about gardens.\n"
CLEAN = "You answer questions about gardens.\n"


@pytest.fixture
def git(tmp_path: Path) -> Path:
    """A repository with a hook repository beside it."""
    for name in ("project", "hooks"):
        (tmp_path / name).mkdir()
        _run(tmp_path / name, "git", "init", "-q")
    manifest = MANIFEST.read_text(encoding="utf-8").replace("language: python", "language: system")
    (tmp_path / "hooks" / ".pre-commit-hooks.yaml").write_text(manifest, encoding="utf-8")
    _run(tmp_path / "hooks", "git", "add", ".")
    _run(tmp_path / "hooks", "git", "commit", "-qm", "hooks")
    command = tmp_path / "bin" / "promptlint"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m promptlint "$@"\n')
    command.chmod(0o755)
    return tmp_path


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    names = ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL")
    return subprocess.run(
        command,
        cwd=folder,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            **dict.fromkeys(names, "tests@example.com"),
            "PATH": f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PRE_COMMIT_HOME": str(folder.parent / "cache"),
            "PRE_COMMIT_COLOR": "never",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def try_repo(git: Path, hook: str, **files: str) -> tuple[int, list[str]]:
    """Exit code of the hook with these files staged, and its findings."""
    for name, text in files.items():
        path = git / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        _run(git / "project", "git", "add", name)
    done = _run(git / "project", sys.executable, "-m", "pre_commit", "try-repo", str(git / "hooks"), hook)
    assert "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
    return done.returncode, re.findall(r"(?m)^ +--> (\S+)", done.stdout)


def test_the_manifest_is_one_that_pre_commit_takes() -> None:
    from pre_commit.clientlib import load_manifest

    hooks = load_manifest(str(MANIFEST))
    assert [hook["id"] for hook in hooks] == ["promptlint", "promptlint-project"]
    assert {hook["language"] for hook in yaml.safe_load(MANIFEST.read_text())} == {"python"}


@pytest.mark.long
def test_staged_files_select_what_is_reported(git: Path) -> None:
    known = {"prompts/old.j2": CLOCK}
    assert try_repo(git, "promptlint", **known) == (1, ["prompts/old.j2:1:7"])
    _run(git / "project", "git", "commit", "-qm", "old")
    code, found = try_repo(git, "promptlint", **{"prompts/new.j2": CLEAN, "README.md": CLOCK, "app.cfg": "x = {{ y }}"})
    assert (code, found) == (0, []), "what is not staged is not reported, what is no prompt is not read"
    code, found = try_repo(git, "promptlint-project")
    assert (code, found) == (1, ["prompts/old.j2:1:7"])


@pytest.mark.long
def test_the_project_is_what_is_read(git: Path) -> None:
    head, main = "It is {{ now() }}.\n", "{% include 'head.j2' %}\n" + CLEAN
    try_repo(git, "promptlint", **{"prompts/main.j2": main, "prompts/head.j2": "Hello.\n"})
    _run(git / "project", "git", "commit", "-qm", "main")
    code, found = try_repo(git, "promptlint", **{"prompts/head.j2": head})
    assert (code, found) == (1, ["prompts/head.j2:1:7"]), "a part is judged where it is included"


@pytest.mark.long
def test_configuration_excludes_and_baseline_hold(git: Path) -> None:
    files = {"prompts/old.j2": CLOCK, "prompts/vendor/a.j2": CLOCK, "promptlint.toml": 'exclude = ["vendor"]\n'}
    assert try_repo(git, "promptlint", **files) == (1, ["prompts/old.j2:1:7"])
    _run(git / "project", str(git / "bin" / "promptlint"), "baseline", "write")
    files["promptlint.toml"] += 'baseline = ".promptlint-baseline.json"\n'
    assert try_repo(git, "promptlint", **files) == (0, [])
