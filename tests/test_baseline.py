"""The file of known findings."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from promptlint.baseline import Baseline, BaselineError, Entry, entry_of, read_baseline, written
from promptlint.engine import Engine, Options

RULES = "You answer questions about gardens.\n"
CLOCK = "It is {{ now() }}.\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").mkdir()
    return tmp_path


def test_what_is_written_is_read(project: Path) -> None:
    entries = [
        Entry("b" * 16, "r", "b.j2", 'é "x"'),
        Entry("a" * 16, "r", "b.j2", "m"),
        Entry("c" * 16, "q", "a.j2", ""),
    ]
    for order in (entries, entries[::-1], [*entries, entries[0]]):
        (project / "known.json").write_text(written(order), encoding="utf-8")
        assert (project / "known.json").read_text() == written(entries), "whatever the order"
        assert set(read_baseline(project / "known.json").entries) == set(entries)
    assert written(entries).count("\n") == len(entries) + 5, "a line an entry"
    assert json.loads(written([])) == {"version": 1, "findings": []}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ":1:1: this is not JSON (expecting value)"),
        ('{\n  "version": 1,\n<<<<<<< HEAD\n', ":3:1: this is not JSON ("),
        ("[]", ":1:1: this is no baseline of version 1; write it anew with `promptlint baseline write`"),
        ('{"version": 2, "findings": []}', ":1:1: this is no baseline of version 1"),
        ('{"version": 1, "findings": [3]}', ":1:1: this is no baseline of version 1"),
        ('{"version": 1, "findings": [{"fingerprint": "a", "rule": "b"}]}', ":1:1: this is no baseline of version 1"),
        ('{"version": 1, "findings": [{"fingerprint": 3, "rule": "b", "path": "c"}]}', ":1:1: this is no baseline"),
        ("[" * 100_000, ":1:1: this is no baseline of version 1"),
    ],
)
def test_what_cannot_be_used(project: Path, text: str, said: str) -> None:
    (project / "known.json").write_text(text, encoding="utf-8")
    with pytest.raises(BaselineError) as caught:
        read_baseline(project / "known.json")
    assert str(caught.value).startswith(f"known.json{said}")


def test_other_bytes_and_missing_files(project: Path) -> None:
    (project / "known.json").write_bytes(b"\xff")
    with pytest.raises(BaselineError, match=r"known\.json:1:1: the baseline is not UTF-8"):
        read_baseline(project / "known.json")
    with pytest.raises(
        OSError, match=r"gone\.json: the baseline cannot be read \(no such file or directory\); write one"
    ):
        read_baseline(project / "gone.json")


class _Counted(tuple[Entry, ...]):
    """Entries that count how often all of them are looked at."""

    walks = 0

    def __iter__(self) -> Iterator[Entry]:
        _Counted.walks += 1
        return super().__iter__()

    def __hash__(self) -> int:
        _Counted.walks += 1
        return super().__hash__()


def test_a_long_baseline_is_not_gone_through_for_every_finding(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(path: Path) -> Baseline:
        found = read_baseline(path)
        return replace(found, entries=_Counted(found.entries))

    monkeypatch.setattr("promptlint.sifting.read_baseline", counted)
    walks = []
    for number in range(1, 5):
        (project / "prompts" / f"{number}.j2").write_text(CLOCK + RULES)
        run = Engine(Options(without_baseline=True)).check([project]).run
        (project / "known.json").write_text(written(entry_of(each, each.path, "") for each in run.findings))
        _Counted.walks = 0
        run = Engine(Options(baseline=project / "known.json")).check([project]).run
        assert (len(run.findings), run.known) == (0, number)
        walks.append(_Counted.walks)
    assert len(set(walks)) == 1


def test_every_entry_has_its_place(project: Path) -> None:
    entries = [Entry(mark * 16, "r", "a.j2", f'"fingerprint": "{mark * 16}"') for mark in "abc"]
    (project / "known.json").write_text(written(entries), encoding="utf-8")
    known = read_baseline(project / "known.json")
    for line, entry in enumerate(known.entries, 4):
        assert known.place(entry).text == f'"{entry.fingerprint}"'
        assert known.source.position(known.place(entry).span.start).line == line


def fingerprints(path: Path) -> set[str]:
    return {finding.fingerprint for finding in Engine(Options()).check([path]).run.findings}


def test_fingerprints_survive_edits_elsewhere(project: Path) -> None:
    file = project / "prompts" / "a.j2"
    body = [CLOCK, RULES, "{{ uuid4() }}\n", RULES]
    file.write_text("".join(body))
    before = fingerprints(file)
    assert len(before) == 2
    rng = random.Random(7)
    for _ in range(20):
        edited = list(body)
        for _ in range(rng.randint(1, 4)):
            edited.insert(rng.randint(0, len(edited)), rng.choice(["", "\n", "Keep it short.\n", RULES * 3]))
        file.write_text("".join(edited))
        assert fingerprints(file) == before


def test_fingerprints_tell_files_rules_and_repetitions_apart(project: Path) -> None:
    for name in ("a.j2", "b.j2"):
        (project / "prompts" / name).write_text(CLOCK + RULES)
    assert len(fingerprints(project)) == 2
    (project / "prompts" / "a.j2").write_text("{{ now() }}{{ utcnow() }}\n" + RULES)
    assert len(fingerprints(project)) == 3


@pytest.mark.parametrize("root", ["git", "config", "folder"])
def test_fingerprints_do_not_depend_on_the_working_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    file = project / "prompts" / "a.j2"
    file.write_text(CLOCK + RULES)
    if root == "git":
        (project / ".git").mkdir()
    before = fingerprints(Path())
    if root != "folder":
        (project / "promptlint.toml").touch()
        assert fingerprints(Path()) == before, "nor on a configuration that is added"
        monkeypatch.chdir(project / "prompts")
    assert fingerprints(file) == before
