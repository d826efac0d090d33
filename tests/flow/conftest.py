"""Programs in, findings out: what is expected is marked in the programs themselves.

`«...»` is where a finding stands, `‹...›` a place that a value passes through on its way from there to its source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from promptlint.engine import Engine, Options
from promptlint.finding import Finding

Follow = Callable[..., list[str]]

RULES = "Name the shelf of each book. Say how long it may be kept. Never promise a place in a reading group. " * 3
"""Text of a prompt that stays the same."""

_MARK = re.compile("[«»‹›]")


@pytest.fixture
def follow(tmp_path: Path) -> Follow:
    """`follow(files)`: the rules of the findings, in order, once it is sure that they stand where the files say.

    `given` are the files that are asked about, all by default; `stdin` is the one that comes from standard input.
    `{rules}` in a file is stable text. The files are those of a repository.
    """

    def run(files: dict[str, str], *given: str, isolated: bool = False, stdin: str | None = None) -> list[str]:
        texts = {name: text.replace("{rules}", RULES) for name, text in files.items()}
        findings = flowed(tmp_path, texts, given, isolated=isolated, stdin=stdin)
        assert _marked(_shown(texts, findings, tmp_path)) == _marked(texts)
        return [finding.rule for finding in findings]

    return run


def flowed(
    folder: Path, texts: dict[str, str], given: Sequence[str] = (), *, isolated: bool = False, stdin: str | None = None
) -> tuple[Finding, ...]:
    """The findings about files that are written, without their marks, to a folder."""
    (folder / ".git").mkdir(exist_ok=True)
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name != stdin:
            path.write_text(without_marks(text), encoding="utf-8", newline="")
    read = None if stdin is None else (folder / stdin, without_marks(texts[stdin]))
    asked = [folder / name for name in given] or ([] if stdin else [folder])
    outcome = Engine(Options(isolated=isolated, ignore_below=10)).check(asked, read)
    assert not outcome.broken
    return outcome.run.findings


def without_marks(text: str) -> str:
    return _MARK.sub("", text)


def _shown(texts: dict[str, str], findings: Sequence[Finding], folder: Path) -> dict[str, str]:
    """The files with marks where the findings stand, and where the values have passed through."""
    marks: dict[str, set[tuple[int, int, str]]] = {name: set() for name in texts}
    for finding in findings:
        hops = (each.place for each in finding.related if each.message.startswith(("`", "and here")))
        places = [(finding.place, "«»"), *((place, "‹›") for place in hops)]
        for place, mark in places:
            name = (Path.cwd() / place.source.path).relative_to(folder).as_posix()
            marks[name].add((place.span.start, place.span.end, mark))
    return {name: _with_marks(without_marks(text), marks[name]) for name, text in texts.items()}


def _marked(texts: dict[str, str]) -> list[str]:
    """The lines with marks in them."""
    rows = ((name, number, line) for name, text in texts.items() for number, line in enumerate(text.splitlines(), 1))
    return [f"{name}:{number}: {line.replace(RULES, '')}" for name, number, line in rows if _MARK.search(line)]


def _with_marks(text: str, marks: Iterable[tuple[int, int, str]]) -> str:
    cuts = sorted((at, number, mark[number]) for start, end, mark in marks for number, at in ((1, end), (0, start)))
    for at, _, mark in sorted(cuts, key=lambda cut: (-cut[0], cut[1])):
        text = text[:at] + mark + text[at:]
    return text


@pytest.fixture
def find(tmp_path: Path) -> Callable[[dict[str, str]], list[str]]:
    """Findings in files of these names and texts, as `name:line severity rule`, in the order of names and lines."""

    def findings(files: dict[str, str]) -> list[str]:
        (tmp_path / "promptlint.toml").touch()
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        outcome = Engine(Options()).check([tmp_path])
        assert not outcome.broken
        lines = []
        for finding in outcome.run.findings:
            at = finding.place.source.position(finding.place.span.start)
            name = Path(finding.place.source.path).name
            lines.append(f"{name}:{at.line} {finding.severity.label} {finding.rule}")
        return sorted(lines)

    return findings
