from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from promptlint.storage import write_whole


def test_text_is_written_as_it_is(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.txt", "ä\r\nb\n")
    assert (tmp_path / "a.txt").read_bytes() == b"\xc3\xa4\r\nb\n"
    assert list(tmp_path.iterdir()) == [tmp_path / "a.txt"]


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "a.txt", tmp_path / "link.txt"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_whole(link, "new")
    assert link.is_symlink()
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new", 0o640)


def test_a_new_file_is_as_open_as_others(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.txt", "")
    (tmp_path / "b.txt").touch()
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.txt"
    file.write_text("old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"a\.txt: it cannot be written \(no space left on device\); check"):
        write_whole(file, "new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"no/a\.txt: it cannot be written \(no such file or directory\); check"):
        write_whole(tmp_path / "no" / "a.txt", "")


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_whole(Path(os.devnull), "x")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
