"""Bytes to text: encodings, what is no text, what cannot be opened."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest

from promptlint.readers.opening import LARGEST, Opened, Unreadable, open_source
from promptlint.source import Span

NOT_UTF8 = "this file is not UTF-8; read with replacement characters; save it as UTF-8"
NOT_UTF16 = "this file is not UTF-16; read with replacement characters; save it as UTF-8"
BINARY = "this is a binary file; name text files, or exclude it in the configuration"


def opened(path: Path, data: bytes) -> Opened:
    path.write_bytes(data)
    result = open_source(path, "shown")
    assert isinstance(result, Opened)
    return result


def refused(path: Path) -> str:
    result = open_source(path, "shown")
    assert isinstance(result, Unreadable)
    assert result.path == "shown"
    return result.message


@pytest.mark.parametrize("text", ["", "one\r\ntwo\rthree\n\n", "é 漢 🎲\n", "\u2028\x0c\x85\n", "a\ufeffb"])
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_utf8_is_read_as_it_is(tmp_path: Path, text: str, mark: bytes) -> None:
    result = opened(tmp_path / "a.j2", mark + text.encode())
    assert (result.source.path, result.source.text, result.problems) == ("shown", text, ())


@pytest.mark.parametrize("codec, mark", [("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE)])
def test_utf16_with_a_mark_is_read(tmp_path: Path, codec: str, mark: bytes) -> None:
    result = opened(tmp_path / "a.j2", mark + "é 🎲\r\n".encode(codec))
    assert (result.source.text, result.problems) == ("é 🎲\r\n", ())


def test_only_one_mark_is_dropped(tmp_path: Path) -> None:
    assert opened(tmp_path / "a.j2", codecs.BOM_UTF8 * 2).source.text == "\ufeff"


def test_latin_1_is_read_with_a_problem_at_the_first_bad_character(tmp_path: Path) -> None:
    result = opened(tmp_path / "a.j2", codecs.BOM_UTF8 + "ü: ".encode() + b"caf\xe9 na\xefve")
    assert result.source.text == "ü: caf\ufffd na\ufffdve"
    (problem,) = result.problems
    assert (problem.span, problem.message) == (Span(6, 7), NOT_UTF8)
    assert result.source.slice(problem.span) == "\ufffd"


def test_broken_utf16_is_read_with_a_problem(tmp_path: Path) -> None:
    result = opened(tmp_path / "a.j2", codecs.BOM_UTF16_LE + "ab".encode("utf-16-le") + b"c")
    assert result.source.text == "ab\ufffd"
    assert [(problem.span, problem.message) for problem in result.problems] == [(Span(2, 3), NOT_UTF16)]


@pytest.mark.parametrize("data", [b"\x89PNG\0", b"a" * 8191 + b"\0", codecs.BOM_UTF16_LE + b"\0\0a\0"])
def test_binary_files_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.j2").write_bytes(data)
    assert refused(tmp_path / "a.j2") == BINARY


def test_a_nul_far_below_is_text(tmp_path: Path) -> None:
    assert opened(tmp_path / "a.j2", b"a" * 8192 + b"\0").source.text == "a" * 8192 + "\0"


def test_a_file_at_the_limit_is_read(tmp_path: Path) -> None:
    assert len(opened(tmp_path / "a.j2", b"a" * LARGEST).source.text) == LARGEST


def test_a_larger_file_is_not_even_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.j2").write_bytes(b"a" * (LARGEST + 1))
    monkeypatch.setattr(Path, "open", lambda *_, **__: pytest.fail("opened"))
    assert refused(tmp_path / "a.j2") == (
        "4,000,001 bytes are more than the 4 MB that are read; split the file, or exclude it in the configuration"
    )


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device without end")
def test_a_file_without_end_is_not_read_to_it() -> None:
    assert refused(Path("/dev/zero")).startswith("4,000,001 bytes are more")


@pytest.mark.parametrize("name", ["absent.j2", "file/below.j2", "nul\0.j2"])
def test_missing_files(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    assert refused(tmp_path / name) == "there is no such file; check the path"


def test_folders(tmp_path: Path) -> None:
    assert refused(tmp_path) == "this is a folder; name a file"


def test_a_link_to_itself(tmp_path: Path) -> None:
    (tmp_path / "loop.j2").symlink_to(tmp_path / "loop.j2")
    assert refused(tmp_path / "loop.j2").startswith("it cannot be read (")


def test_files_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.j2"
    path.touch(mode=0o000)
    if os.access(path, os.R_OK):

        def deny(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", deny)
    assert refused(path) == "permission denied; make the file readable, or exclude it in the configuration"
