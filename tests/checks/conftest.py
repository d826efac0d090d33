"""Requests through the whole engine: what the rules say about them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptlint.engine import Engine, Options
from promptlint.finding import Finding, Persona

Check = Callable[..., list[Finding]]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """The findings of one rule about a request, or about the requests of a file, one in a line."""

    def run(rule: str, *bodies: dict[str, Any], config: str = "", persona: Persona | None = None) -> list[Finding]:
        path = tmp_path / ("request.json" if len(bodies) == 1 else "requests.jsonl")
        path.write_text("".join(json.dumps(body) + "\n" for body in bodies), encoding="utf-8")
        (tmp_path / "promptlint.toml").write_text(config, encoding="utf-8")
        outcome = Engine(Options(select=frozenset({rule}), persona=persona, ignore_below=10)).check([path])
        assert not outcome.notices and not outcome.broken
        return list(outcome.run.findings)

    return run
