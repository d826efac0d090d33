from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from promptlint.project.revisions import Revision, RevisionError, revision
from promptlint.readers.opening import LARGEST, Unreadable, source_of


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, seen from a folder inside it."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "a b.j2").write_text("first\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m"]):
        subprocess.run(["git", *command], check=True)
    (folder / "a b.j2").write_text("second\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    return tmp_path


def _found(argument: str) -> Revision:
    found = revision(argument)
    assert found is not None
    return found


@pytest.mark.parametrize("argument", ["HEAD:prompts/a b.j2", "HEAD:./a b.j2", ":prompts/a b.j2", "HEAD~0:./a b.j2"])
def test_a_revision_holds_what_was_committed(repository: Path, argument: str) -> None:
    found = _found(argument)
    assert found.read() == b"first\n"
    assert found.file.resolve() == repository / "prompts" / "a b.j2"


def test_paths_are_paths(repository: Path) -> None:
    Path("x:y").write_text("", encoding="utf-8")
    assert [revision(name) for name in ("a b.j2", "x:y", "a:b:c", "--output=x:y", "x:")] == [None] * 5


@pytest.mark.parametrize("argument", ["HEAD:nothing.j2", "nowhere:prompts/a b.j2"])
def test_what_git_does_not_have_is_said(repository: Path, argument: str) -> None:
    with pytest.raises(RevisionError, match=rf"^{argument}: .+; name a file, or REV:path as git does$"):
        _found(argument).read()


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(RevisionError, match="not a git repository"):
        _found("HEAD:a.j2").read()


def test_without_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RevisionError, match="git is not installed"):
        _found("HEAD:prompts/a b.j2").read()


def test_a_large_file_is_not_read(repository: Path) -> None:
    Path("big.j2").write_bytes(b"a" * (LARGEST + 1))
    subprocess.run(["git", "add", "big.j2"], check=True)
    opened = source_of(_found(":./big.j2").read(), "big.j2")
    assert isinstance(opened, Unreadable) and "more than the 4 MB" in opened.message
