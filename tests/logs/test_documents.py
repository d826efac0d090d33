"""Containers: compression, parts, and everything that can be wrong with a file."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
import zstandard

from promptlint.logs import documents as module
from promptlint.logs.documents import documents
from promptlint.logs.places import Part, files_of, parts_of
from promptlint.logs.record import Skipped

LINES = b'{"a": 1}\n\n{"a": 2}\r\n{"a": "\xc3\xa9"}\n'


def read(part: Part) -> tuple[list[tuple[int, Any]], list[tuple[int, str]], int]:
    skipped: list[Skipped] = []
    found, reading = [], documents(part, skipped.append)
    while True:
        try:
            found.append(next(reading))
        except StopIteration as end:
            return found, [(each.line, each.reason) for each in skipped], end.value


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("a.jsonl", LINES),
        ("a.jsonl.gz", gzip.compress(LINES, mtime=0)),
        ("a.jsonl.zst", zstandard.compress(LINES)),
        ("misnamed.jsonl", gzip.compress(LINES, mtime=0)),
        ("a.json", LINES),
    ],
)
def test_lines_plain_and_compressed(tmp_path: Path, name: str, packed: bytes) -> None:
    (tmp_path / name).write_bytes(packed)
    assert read(Part(str(tmp_path / name))) == ([(1, {"a": 1}), (3, {"a": 2}), (4, {"a": "é"})], [], 4)


def test_a_list_and_rows(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"a": 1}, {"a": 2}]')
    pyarrow.parquet.write_table(pyarrow.table({"a": [1, 2]}), tmp_path / "a.parquet")
    for name in ("a.json", "a.parquet"):
        assert read(Part(str(tmp_path / name))) == ([(1, {"a": 1}), (2, {"a": 2})], [], 2)


@pytest.mark.parametrize("size", [1, 7, 20, 64, 1000])
def test_parts_hold_every_line_once(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"n": number, "pad": "x" * (number * 7 % 40)}) + "\n" for number in range(30)))
    found, lines = [], 0
    for part in parts_of([str(path)], size):
        here, skipped, count = read(part)
        assert not skipped
        found += [(lines + line, value["n"]) for line, value in here]
        lines += count
    assert found == [(number + 1, number) for number in range(30)]


def test_a_broken_line_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"a": 1}\n{"a": \n\xff\xfe\n{"a": 2}')
    found, skipped, count = read(Part(str(tmp_path / "a.jsonl")))
    assert found == [(1, {"a": 1}), (4, {"a": 2})]
    assert [line for line, _ in skipped] == [2, 3]
    assert count == 4


def test_what_json_loads_takes_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"a": NaN}\n{"a": "\\ud800"}\n' + "[" * 100_000 + "\n")
    found, skipped, _ = read(Part(str(tmp_path / "a.jsonl")))
    assert [line for line, _ in found] == [1, 2]
    assert skipped == [(3, "not JSON (nested too deeply)")]


@pytest.mark.parametrize("cut", [20, 200, 2000])
def test_a_truncated_gzip_gives_what_stands_before(tmp_path: Path, cut: int) -> None:
    packed = gzip.compress("".join(json.dumps({"n": number}) + "\n" for number in range(5000)).encode())
    (tmp_path / "a.jsonl.gz").write_bytes(packed[:cut])
    found, skipped, count = read(Part(str(tmp_path / "a.jsonl.gz")))
    assert [value["n"] for _, value in found] == list(range(len(found)))
    assert skipped and "damaged" in skipped[-1][1]
    assert count == len(found) + 1


def test_a_truncated_zstandard_file_is_said(tmp_path: Path) -> None:
    text = "".join(json.dumps({"n": number}) + "\n" for number in range(5000)).encode()
    (tmp_path / "a.jsonl.zst").write_bytes(zstandard.compress(text)[:-20])
    found, skipped, _ = read(Part(str(tmp_path / "a.jsonl.zst")))
    assert len(found) < 5000
    assert skipped


def test_a_line_that_is_too_long_is_skipped_and_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_LINE", 1000)
    (tmp_path / "a.jsonl").write_bytes(b'{"a": 1}\n{"a": "' + b"x" * 5000 + b'"}\n{"a": 2}\n')
    found, skipped, count = read(Part(str(tmp_path / "a.jsonl")))
    assert found == [(1, {"a": 1}), (3, {"a": 2})]
    assert [line for line, _ in skipped] == [2]
    assert count == 3


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BufferedReader(io.BytesIO(gzip.compress(LINES, mtime=0)))

    monkeypatch.setattr(module.sys, "stdin", Input)
    assert [line for line, _ in read(Part("-"))[0]] == [1, 3, 4]


def test_folders_and_globs(tmp_path: Path) -> None:
    for name in ("x/b.jsonl.gz", "x/a.json", "x/.hidden.jsonl", "x/notes.txt", "y/c.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert files_of([str(tmp_path / "x")]) == [str(tmp_path / "x/a.json"), str(tmp_path / "x/b.jsonl.gz")]
    assert files_of([str(tmp_path / "*/*.json*"), str(tmp_path / "x")]) == [
        str(tmp_path / "x/a.json"),
        str(tmp_path / "x/b.jsonl.gz"),
    ]
    with pytest.raises(FileNotFoundError, match="no such log"):
        files_of([str(tmp_path / "none*.jsonl")])
