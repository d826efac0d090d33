"""What following programs costs: `python benchmarks/flow.py FOLDER...`, or without folders a project that it makes up.

Prints for each folder the files that were read and files per CPU second; the shares of the time that go into parsing,
flow and tokens; and the time as a multiple of that without what crosses files: no call sites, no other programs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from promptlint.engine import Engine, Options
from promptlint.flow.callers import Callers
from promptlint.flow.flow import Flow
from promptlint.project.workspace import Workspace
from promptlint.readers import choose
from promptlint.tokens.vocabulary import Vocabulary

MADE_UP = 2_000
PROSE = "Name the soil, the light and the month of sowing, and never guess a price. " * 10
PROGRAM = '''"""Module {number}."""
from datetime import datetime
from m{other} import intro as other_intro

SYSTEM_PROMPT = """{prose}"""


def intro(name, moment):
    return f"You are {{name}}. It is {{moment}}. " + SYSTEM_PROMPT


class Agent{number}:
    def __init__(self, client):
        self.client = client
        self.name = "gardener"

    def ask(self, question):
        messages = [{{"role": "system", "content": other_intro(self.name, datetime.now().date())}}]
        messages.append({{"role": "user", "content": question}})
        return self.client.chat.completions.create(model="m", messages=messages)
'''


class Watch:
    """CPU seconds by what they are spent on; what is entered inside something else counts for itself alone."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._open: list[str] = []
        self._since = time.process_time()

    def _book(self) -> None:
        now = time.process_time()
        if self._open:
            self.spent[self._open[-1]] = self.spent.get(self._open[-1], 0.0) + now - self._since
        self._since = now

    @contextmanager
    def inside(self, what: str) -> Iterator[None]:
        self._book()
        self._open.append(what)
        try:
            yield
        finally:
            self._book()
            self._open.pop()

    def watched(self, owner: Any, name: str, what: str) -> Any:
        """A patch of a function, whose time is booked."""
        function: Callable[..., Any] = getattr(owner, name)

        def timed(*given: Any, **named: Any) -> Any:
            with self.inside(what):
                return function(*given, **named)

        return patch.object(owner, name, timed)


def measured(folder: Path, alone: bool) -> tuple[dict[str, float], int, int]:
    """CPU seconds by kind, files read, findings; `alone` leaves out what crosses files."""
    watch = Watch()
    reading = choose.read

    def read(*given: Any) -> Any:
        with watch.inside("parsing"):
            return reading(*given)

    with (
        patch("promptlint.engine.read", read),
        watch.watched(Flow, "add", "flow"),
        watch.watched(Flow, "search", "flow"),
        watch.watched(Flow, "given", "flow"),
        watch.watched(Flow, "requests", "flow"),
        watch.watched(Vocabulary, "encode", "tokens"),
        patch.object(Callers, "bind", (lambda *_: True) if alone else Callers.bind),
        patch.object(Workspace, "related", (lambda *_: {}) if alone else Workspace.related),
        watch.inside("rest"),
    ):
        outcome = Engine(Options()).check([folder])
    return watch.spent, outcome.run.files, len(outcome.run.findings)


def report(title: str, folder: Path) -> None:
    alone, _, _ = measured(folder, alone=True)
    spent, files, findings = measured(folder, alone=False)
    total = sum(spent.values())
    shares = "  ".join(f"{what} {spent.get(what, 0.0) / total:4.0%}" for what in ("parsing", "flow", "tokens", "rest"))
    print(
        f"{title:<20} {files:5} files {findings:4} findings {total:7.2f} s {files / total:6.0f} files/s  {shares}"
        f"  {total / sum(alone.values()):.2f} x without",
        flush=True,
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        (root / "warm.py").write_text(PROGRAM.format(number=0, other=0, prose=PROSE))
        measured(root, alone=False)
        for folder in map(Path, sys.argv[1:]):
            report(folder.name, folder)
        if len(sys.argv) == 1:
            for number in range(MADE_UP):
                text = PROGRAM.format(number=number, other=(number * 7 + 1) % MADE_UP, prose=PROSE)
                (root / f"m{number}.py").write_text(text)
            report(f"{MADE_UP} made up", root)


if __name__ == "__main__":
    main()
