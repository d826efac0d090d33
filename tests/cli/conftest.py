"""Runs promptlint as users do, in this process: starting a new one takes longer than most tests. What only a process
shows (imports, pipes, colours of a terminal, signals) is tested with one; so is every command in the docs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from io import BufferedReader, BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from click.testing import CliRunner

from promptlint.cli import main

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def promptlint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a promptlint command in the test's folder."""

    def run(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        with CliRunner().isolation(env=environment) as streams, monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            patch.setattr(sys, "stdin", TextIOWrapper(BufferedReader(BytesIO(stdin.encode()))))
            patch.setattr(sys, "argv", ["promptlint", *arguments])
            with pytest.raises(SystemExit) as ended:
                main()
            code = ended.value.code
            assert isinstance(code, int)
            said, told = (streams[at].getvalue().decode() for at in (0, 1))
        return subprocess.CompletedProcess(["promptlint", *arguments], code, said, told)

    return run
