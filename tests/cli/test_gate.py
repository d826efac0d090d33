"""The gate as users run it: in a repository of git with three commits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess, run

import pytest

Run = Callable[..., CompletedProcess[str]]

RULES = "You answer questions about gardens. Name one plant in each answer, and never guess a price.\n"
CLOCK = "It is {{ now() }}.\n"
FIRST, SECOND, THIRD = f"{RULES}{CLOCK}", f"{CLOCK}{RULES}", RULES


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Commits in which a clock stands below the rules, above them, and is gone; `other.j2` stays."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "other.j2").write_text(RULES, encoding="utf-8")
    _git(tmp_path, "init", "-q")
    for text in (FIRST, SECOND, THIRD):
        _write(tmp_path, text)
        _git(tmp_path, "add", "-A")
        _git(tmp_path, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m")
    return tmp_path


def _git(folder: Path, *arguments: str) -> None:
    run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def _write(folder: Path, text: str, name: str = "system.j2") -> None:
    (folder / "prompts" / name).write_text(text, encoding="utf-8")


def _gate(done: CompletedProcess[str]) -> dict[str, object]:
    gate: dict[str, object] = json.loads(done.stdout)["gate"]
    return gate


def test_a_share_that_falls_fails(promptlint: Run, repository: Path) -> None:
    _git(repository, "checkout", "-q", "HEAD~1")
    done = promptlint("check", "--compare", "HEAD~1", "--fail-on", "never", "--output-format", "concise")
    assert done.returncode == 1
    *_, moved, verdict = done.stdout.splitlines()
    assert moved.startswith("prompts/system.j2: cached-token share fell from ") and moved.endswith(
        ", more than 1 point"
    )
    assert verdict == "gate: 1 of 2 prompts failed (no more than 1 point below HEAD~1 at horizon user)"
    allowed = promptlint("check", "--compare", "HEAD~1", "--max-drop", "99", "--fail-on", "never")
    assert allowed.returncode == 0
    assert "cached-token share fell from " in allowed.stdout


def test_a_share_that_rises_passes(promptlint: Run, repository: Path) -> None:
    done = promptlint("check", "--compare", "HEAD~1", "--max-drop", "0", "--output-format", "json")
    assert done.returncode == 0
    gate = _gate(done)
    assert (gate["failed"], gate["compared_with"], gate["horizon"]) == (False, "HEAD~1", "user")
    other, system = gate["prompts"]  # type: ignore[misc]
    assert other["points"] == 0 and other["before"] == other["now"]
    assert system["before"]["share"] < 0.5 < 0.9 < system["now"]["share"]
    assert system["points"] == pytest.approx(100 * (system["now"]["share"] - system["before"]["share"]), abs=0.02)


def test_every_commit_is_measured_as_it_was(promptlint: Run, repository: Path) -> None:
    """The figures of a revision are those of a run in a checkout of it."""
    seen = []
    for revision in ("HEAD~2", "HEAD~1"):
        gate = _gate(promptlint("check", "--compare", revision, "--output-format", "json"))
        seen.append(gate["prompts"][1]["before"])  # type: ignore[index]
    for text, before in zip((FIRST, SECOND), seen, strict=True):
        _write(repository, text)
        gate = _gate(promptlint("check", "--min-share", "0", "--output-format", "json"))
        assert gate["prompts"][1]["now"] == before  # type: ignore[index]


def test_only_the_named_paths_in_any_folder(promptlint: Run, repository: Path) -> None:
    _write(repository, SECOND)
    done = promptlint("check", "prompts/other.j2", "--compare", "HEAD", "--output-format", "concise")
    assert done.returncode == 0
    assert done.stdout.endswith("gate: 1 prompt passed (no more than 1 point below HEAD at horizon user)\n")


def test_new_and_gone(promptlint: Run, repository: Path) -> None:
    _write(repository, SECOND, "new.j2")
    (repository / "prompts" / "system.j2").unlink()
    done = promptlint("check", "--compare", "HEAD", "--fail-on", "never", "--output-format", "concise")
    assert done.returncode == 0
    assert "prompts/new.j2: new since HEAD, cached-token share " in done.stdout
    assert "prompts/system.j2: gone since HEAD\n" in done.stdout


DEEP = (
    "def f(client, a, q):\n    s = ''\n{}"
    '    return client.messages.create(model="m", system=s, messages=[{{"role": "user", "content": q}}])\n'
)


def test_a_prompt_that_is_not_known_at_the_revision_is_not_new(promptlint: Run, repository: Path) -> None:
    _write(repository, DEEP.format("    s = f'{s}{a} x'\n" * 900), "app.py")
    _git(repository, "add", "-A")
    _git(repository, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m")
    _write(repository, DEEP.format(f"    s = f'{{a}} {RULES.strip()}'\n"), "app.py")
    done = promptlint("check", "--compare", "HEAD", "--fail-on", "never", "--output-format", "concise")
    assert (done.returncode, done.stderr) == (
        2,
        "HEAD:prompts/app.py:1:1: what this file builds is nested too deeply to be followed; flatten it\n",
    )
    assert "prompts/app.py: not known at HEAD, cached-token share " in done.stdout
    assert "gate: 3 prompts passed, 1 file could not be looked at (no more than 1 point below HEAD" in done.stdout
    gate = _gate(promptlint("check", "--compare", "HEAD", "--output-format", "json"))
    assert gate["unknown"] == ["prompts/app.py"]


@pytest.mark.parametrize("stage", ["link", "share"])
def test_what_breaks_at_the_revision_is_said(
    promptlint: Run, repository: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    from promptlint import engine, past

    module = engine if stage == "link" else past
    real = getattr(module, stage)

    def breaking(given: object, *rest: object) -> object:
        path = given.source.path if stage == "link" else given.prompt.path  # type: ignore[attr-defined]
        if Path(path).is_absolute() and path.endswith("system.j2"):
            raise KeyError("odd")
        return real(given, *rest)

    monkeypatch.setattr(module, stage, breaking)
    done = promptlint("check", "--compare", "HEAD", "--exit-zero", "--output-format", "markdown")
    said = "HEAD:prompts/system.j2: internal error (KeyError: 'odd'); please report it\n"
    assert (done.returncode, done.stderr.count(said)) == (2, 1)
    assert "| prompts/system.j2 |  | 94.7 % | not known at HEAD |" in done.stdout


def test_what_is_not_known_today_is_not_gone(promptlint: Run, repository: Path) -> None:
    _write(repository, DEEP.format(f"    s = f'{{a}} {RULES.strip()}'\n"), "app.py")
    _git(repository, "add", "-A")
    _git(repository, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m")
    _write(repository, DEEP.format("    s = f'{s}{a} x'\n" * 900), "app.py")
    done = promptlint("check", "--compare", "HEAD", "--fail-on", "never", "--output-format", "concise")
    assert done.returncode == 2
    assert "prompts/app.py: not known today\n" in done.stdout


def test_a_file_that_cannot_be_read_at_the_revision_is_said(promptlint: Run, repository: Path) -> None:
    (repository / "prompts" / "new.j2").write_bytes(b"\x00\x01\x02" * 100)
    _git(repository, "add", "-A")
    _git(repository, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m")
    _write(repository, RULES, "new.j2")
    done = promptlint("check", "--compare", "HEAD")
    assert done.returncode == 0
    assert done.stderr.startswith("HEAD:prompts/new.j2: ")


def test_the_working_folder_may_hold_the_scratch_folder(
    promptlint: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are shown from the working folder on, those of the revision as well."""
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(repository))
    done = promptlint("check", "prompts", "--compare", "HEAD", "--output-format", "concise")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("gate: 2 prompts passed (no more than 1 point below HEAD at horizon user)\n")


def test_included_parts_come_from_the_revision(promptlint: Run, repository: Path) -> None:
    _write(repository, "{% include 'part.md' %}\n" + RULES)
    _write(repository, "Be kind to beginners.\n", "part.md")
    _git(repository, "add", "-A")
    _git(repository, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m")
    _write(repository, CLOCK, "part.md")
    done = promptlint("check", "prompts/system.j2", "--compare", "HEAD", "--output-format", "json")
    (system,) = _gate(done)["prompts"]  # type: ignore[misc]
    assert system["above_max_drop"] and system["before"]["share"] > 0.9


def test_both_are_measured_with_the_configuration_of_today(promptlint: Run, repository: Path) -> None:
    """A value that is declared does not count as a prompt that got better."""
    _write(repository, f"Mood: {{{{ clock }}}}.\n{RULES}")
    _git(repository, "add", "-A")
    _git(repository, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m")
    (repository / "promptlint.toml").write_text('[values]\nclock = "request"\n', encoding="utf-8")
    gate = _gate(promptlint("check", "--compare", "HEAD", "--output-format", "json"))
    assert [each["points"] for each in gate["prompts"]] == [0.0, 0.0]  # type: ignore[attr-defined]
    assert gate["prompts"][1]["before"]["share"] < 0.5  # type: ignore[index]


def test_a_least_share(promptlint: Run, repository: Path) -> None:
    _write(repository, SECOND)
    done = promptlint("check", "--min-share", "0.8", "--fail-on", "never", "--output-format", "concise")
    assert done.returncode == 1
    assert "prompts/system.j2: cached-token share " in done.stdout and " is below 80 % (" in done.stdout
    assert "gate: 1 of 2 prompts failed (at least 80 % at horizon user)\n" in done.stdout
    conversation = promptlint("check", "--min-share", "0.8", "--horizon", "conversation", "--output-format", "concise")
    assert "at least 80 % at horizon conversation" in conversation.stdout
    assert promptlint("check", "prompts/other.j2", "--min-share", "0.8").returncode == 0
    assert promptlint("check", "--min-share", "0.8", "--exit-zero").returncode == 0


def test_the_configured_horizon_counts(promptlint: Run, repository: Path) -> None:
    (repository / "promptlint.toml").write_text('horizon = "fleet"\n', encoding="utf-8")
    assert "(at least 0 % at horizon fleet)" in promptlint("check", "--min-share", "0").stdout


def test_markdown_for_a_pull_request(promptlint: Run, repository: Path) -> None:
    _write(repository, SECOND)
    text = promptlint("check", "--compare", "HEAD", "--output-format", "markdown").stdout
    assert "| prompt | cached-token share, HEAD | now | |\n|---|---:|---:|---|\n| prompts/system.j2 | 94.7 % | " in text
    assert " | **fell by " in text
    assert text.endswith("\ngate: 1 of 2 prompts failed (no more than 1 point below HEAD at horizon user)\n")


def test_other_formats_say_why_on_standard_error(promptlint: Run, repository: Path) -> None:
    _write(repository, SECOND)
    done = promptlint("check", "--compare", "HEAD", "--output-format", "github")
    assert "gate:" not in done.stdout
    assert "gate: 1 of 2 prompts failed" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--compare", "nowhere"], "nowhere: git has no such commit here; fetch it, or name another one"),
        (["--compare", "--help"], "--help: this is no revision; name a commit, a branch or a tag"),
        (["--max-drop", "3"], "--max-drop says how far a share may fall since --compare REV; name a revision"),
        (["--min-share", "80"], "80"),
        (["-", "--compare", "HEAD"], "--compare needs files that git knows"),
    ],
)
def test_what_cannot_be_compared(promptlint: Run, repository: Path, arguments: list[str], said: str) -> None:
    done = promptlint("check", *arguments)
    assert done.returncode == 2
    assert said in done.stderr and "Traceback" not in done.stderr


def test_files_outside_of_the_repository_cannot_be_compared(
    promptlint: Run, repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert (repository / "prompts").is_dir()
    outside = tmp_path_factory.mktemp("outside")
    done = promptlint("check", "prompts", str(outside), "--compare", "HEAD")
    assert done.returncode == 2
    assert f"{outside}: not in the repository " in done.stderr and "Traceback" not in done.stderr


def test_nothing_is_left_behind(promptlint: Run, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    scratch = tmp_path_factory.mktemp("scratch")
    promptlint("check", "--compare", "HEAD", TMPDIR=str(scratch))
    assert list(scratch.iterdir()) == []
    assert run(["git", "status", "--porcelain"], cwd=repository, capture_output=True, check=True).stdout == b""
