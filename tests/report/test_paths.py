from __future__ import annotations

from pathlib import Path

import pytest

from promptlint.report.paths import repository_path, repository_uri


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "app" / "prompts").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "app")
    return tmp_path


def test_from_the_root_on_whatever_the_working_folder(repository: Path) -> None:
    assert repository_path("prompts/a.j2") == "app/prompts/a.j2"
    assert repository_path("../b.j2") == "b.j2"
    assert repository_path(str(repository / "c.j2")) == "c.j2"


def test_links_are_followed_in_folders_only(repository: Path) -> None:
    (repository / "link").symlink_to(repository / "app" / "prompts")
    (repository / "app" / "prompts" / "a.j2").symlink_to(repository / "b.j2")
    assert repository_path("../link/a.j2") == "app/prompts/a.j2"


def test_elsewhere_is_absolute(repository: Path) -> None:
    assert repository_path("/somewhere/a.j2") == "/somewhere/a.j2"
    assert repository_uri("/somewhere/a b.j2") == "file:///somewhere/a%20b.j2"


def test_a_uri_is_percent_encoded(repository: Path) -> None:
    assert repository_uri("prompts/ä b#c%.j2") == "app/prompts/%C3%A4%20b%23c%25.j2"
