"""Breakpoints that `--fix --unsafe-fixes` puts on another block."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptlint.engine import Engine, Options
from promptlint.fixing import fixed

CONFIG = '[values]\nrubric = "constant"\n\n[sizes]\nrubric = 3000\nanswer = 2000\n'
RULE = "breakpoint-on-volatile"
MARK = {"type": "ephemeral"}


def _body(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "model": "claude-opus-5",
        "max_tokens": 300,
        **more,
        "messages": [{"role": "user", "content": list(content)}],
    }


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def _after(folder: Path, text: str) -> str:
    (folder / "promptlint.toml").write_text(CONFIG, encoding="utf-8")
    (folder / "prompts").mkdir(exist_ok=True)
    (folder / "prompts" / "grade.json").write_bytes(text.encode())
    engine = Engine(Options())
    outcome = engine.check([folder])
    return next((each.after for each in fixed(engine, outcome, Options(), unsafe=True)), text)


@pytest.mark.parametrize("indent", [None, 2, "\t"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            _body(_text("{{ rubric }}"), _text("{{ answer }}", cache_control=MARK)),
            _body(_text("{{ rubric }}", cache_control=MARK), _text("{{ answer }}")),
        ),
        (
            _body(_text("{{ rubric }}"), {"cache_control": MARK, **_text("{{ answer }}")}),
            _body(_text("{{ rubric }}", cache_control=MARK), _text("{{ answer }}")),
        ),
        (
            _body(_text("{{ rubric }}"), _text("{{ answer }}"), cache_control=MARK),
            _body(_text("{{ rubric }}", cache_control=MARK), _text("{{ answer }}")),
        ),
        (
            _body(_text("{{ answer }}", cache_control=MARK), system=[_text("{{ rubric }}")]),
            _body(_text("{{ answer }}"), system=[_text("{{ rubric }}", cache_control=MARK)]),
        ),
    ],
)
def test_it_goes_to_the_last_block_that_stays(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], indent: int | str | None
) -> None:
    text = json.dumps(before, indent=indent)
    changed = _after(tmp_path, text)
    assert json.loads(changed) == after
    assert sorted("".join(changed.split())) == sorted("".join(text.split())), "nothing is lost"
    (tmp_path / "prompts" / "grade.json").write_text(changed, encoding="utf-8")
    assert not [each for each in Engine(Options()).check([tmp_path]).run.findings if each.rule == RULE]


@pytest.mark.parametrize(
    "body",
    [
        _body(_text("{{ answer }}", cache_control=MARK), system="{{ rubric }}"),
        _body(_text("{{ rubric }}\n{{ answer }}", cache_control=MARK)),
        _body(_text("{{ rubric }}", cache_control=MARK), _text("{{ answer }}", cache_control=MARK)),
    ],
)
def test_a_text_is_not_cut_for_it(tmp_path: Path, body: dict[str, Any]) -> None:
    text = json.dumps(body)
    assert _after(tmp_path, text) == text
