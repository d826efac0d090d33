"""How far around a file promptlint looks for what includes it or fills it in."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptlint.engine import Engine, Options

PROMPT = "Today is {day}. " + "Name the shelf of each book. Say how long it may be kept. " * 6
FILLER = """from datetime import datetime
from pathlib import Path


def text():
    return Path(__file__).with_name("desk.prompt").read_text().format(day=datetime.now().isoformat())
"""


def found(asked: Path) -> list[str]:
    return [finding.rule for finding in Engine(Options()).check([asked]).run.findings]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    (tmp_path / "desk.prompt").write_text(PROMPT, encoding="utf-8")
    return tmp_path


def test_a_program_in_the_folder_of_a_prompt_fills_it_in(folder: Path) -> None:
    (folder / "fill.py").write_text(FILLER, encoding="utf-8")
    assert found(folder / "desk.prompt") == ["clock-in-prefix"]


@pytest.mark.parametrize("bound", ["", ".git", "promptlint.toml"])
def test_a_folder_that_nothing_bounds_is_not_searched_through(folder: Path, bound: str) -> None:
    (folder / "deep" / "fill.py").write_text(FILLER.replace("with_name", "parent.parent.joinpath"), encoding="utf-8")
    if bound == ".git":
        (folder / ".git").mkdir()
    elif bound:
        (folder / bound).touch()
    assert found(folder / "desk.prompt") == (["clock-in-prefix"] if bound else [])
    assert found(folder) == ["clock-in-prefix"]
