"""Outputs in README and docs are what the commands print. `python tests/test_docs.py` writes them anew."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "docs/audit.md", "docs/diff.md", "docs/kv.md", "docs/providers.md")
DAY = "1795910400"
"""2026-11-29: ages of facts are printed as of this day."""
_BLOCK = re.compile(r"(?ms)^```console\n\$ (promptlint [^\n]*)\n(.*?)^```\n")


def printed(command: str) -> str:
    """What a promptlint command prints, run in the repository."""
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "SOURCE_DATE_EPOCH": DAY},
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def renewed(page: str) -> str:
    return _BLOCK.sub(lambda block: f"```console\n$ {block[1]}\n{printed(block[1])}```\n", page)


@pytest.mark.parametrize("name", PAGES)
def test_outputs_in_the_docs_are_real(name: str) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    assert page == renewed(page)


def test_the_examples_print_what_they_are_expected_to() -> None:
    expected = (ROOT / "examples" / "expected.txt").read_text(encoding="utf-8")
    assert printed("promptlint check examples") == expected


if __name__ == "__main__":
    for name in PAGES:
        path = ROOT / name
        path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
    (ROOT / "examples" / "expected.txt").write_text(printed("promptlint check examples"), encoding="utf-8")
