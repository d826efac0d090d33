"""Outputs in README and docs are what the commands print. `python tests/test_docs.py` writes them anew.

A page that holds named files (```` ```toml promptlint.toml ````) is a story: its files are written into an empty folder
as they come, and its commands run there one after the other. Other pages' commands run in the repository.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
DAY = "1795910400"
"""2026-11-29: ages of facts are printed as of this day."""
_BLOCK = re.compile(r"(?ms)^(?P<fence>`{3,})(?P<kind>\w+)(?: (?P<name>\S+))?\n(?P<body>.*?)^(?P=fence)\n")
_COMMAND = re.compile(r"(?m)^\$ (.+)\n")


def printed(command: str, folder: Path = ROOT) -> str:
    """What a promptlint command prints, or `cat`."""
    words = shlex.split(command)
    if words[0] == "cat":
        return (folder / words[1]).read_text(encoding="utf-8")
    assert words[0] == "promptlint", command
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SOURCE_DATE_EPOCH": DAY},
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def renewed(page: str) -> str:
    """The page with the outputs of its commands as they are now."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) if any(block["name"] for block in _BLOCK.finditer(page)) else ROOT

        def renew(block: re.Match[str]) -> str:
            if block["name"]:
                path = folder / block["name"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block["body"], encoding="utf-8")
            if block["kind"] != "console" or not block["body"].startswith("$ "):
                return block[0]
            commands = _COMMAND.findall(block["body"])
            return "".join(["```console\n", *(f"$ {each}\n{printed(each, folder)}" for each in commands), "```\n"])

        return _BLOCK.sub(renew, page)


@pytest.mark.parametrize("name", PAGES)
def test_outputs_in_the_docs_are_real(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    assert page == renewed(page)


@pytest.mark.parametrize("name", PAGES)
def test_links_in_the_docs_lead_somewhere(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page):
        assert (ROOT / name).parent.joinpath(target).exists(), target


def test_the_examples_print_what_they_are_expected_to() -> None:
    expected = (ROOT / "examples" / "expected.txt").read_text(encoding="utf-8")
    assert printed("promptlint check examples") == expected


if __name__ == "__main__":
    for name in PAGES:
        path = ROOT / name
        path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
    (ROOT / "examples" / "expected.txt").write_text(printed("promptlint check examples"), encoding="utf-8")
