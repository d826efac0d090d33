"""Entries of `[[suppress]]`: files without comments, or where one does not want any."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.engine import Engine, Options
from promptlint.fixing import fixed
from promptlint.readers.json_strings import parse
from promptlint.source import Place, Source, Span
from promptlint.suppression.entries import pointer_at

LONG = " You answer questions about gardens." * 40
SYSTEM = f"It is {{{{ now() }}}}.\n{LONG}"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").mkdir()
    body = {"model": "gpt-5-mini", "messages": [{"role": "system", "content": SYSTEM}]}
    (tmp_path / "prompts" / "a.json").write_text(json.dumps(body), encoding="utf-8")
    (tmp_path / "prompts" / "b.jsonl").write_text(f"{json.dumps(body)}\n{json.dumps(body)}\n", encoding="utf-8")
    (tmp_path / "prompts" / "c.md").write_text(SYSTEM, encoding="utf-8")
    return tmp_path


def found(project: Path, entries: str, *paths: str) -> list[str]:
    """Findings as `path rule`, with these entries."""
    (project / "promptlint.toml").write_text(f'dialect = "jinja"\n\n{entries}', encoding="utf-8")
    run = Engine(Options()).check([Path(path) for path in paths or (".",)]).run
    return sorted(f"{finding.path} {finding.rule}" for finding in run.findings)


def entry(path: str, **keys: str) -> str:
    given = {"path": path, "rule": "clock-in-prefix", "reason": "known", **keys}
    return "[[suppress]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in given.items())


A, B, C = (f"prompts/{name} clock-in-prefix" for name in ("a.json", "b.jsonl", "c.md"))
UNUSED = "promptlint.toml unused-suppression"


@pytest.mark.parametrize(
    ("entries", "left"),
    [
        ("", [A, B, C]),
        (entry("prompts/a.json"), [B, C]),
        (entry("*.json") + entry("prompts/*.md"), [B]),
        (entry("prompts"), []),
        (entry("prompts/a.json", at="/messages/0/content"), [B, C]),
        (entry("prompts/a.json", at="/messages"), [B, C]),
        (entry("prompts/a.json", at="/messages/0/content", text="now()"), [B, C]),
        (entry("prompts/b.jsonl", at="/messages/0/content"), [A, C]),
        (entry("prompts/c.md", text="{{ now() }}"), [A, B]),
        (entry("prompts/a.json", at="/messages/0/con"), [A, B, C, UNUSED]),
        (entry("prompts/a.json", at="/messages/1/content"), [A, B, C, UNUSED]),
        (entry("prompts/a.json", text="utcnow"), [A, B, C, UNUSED]),
        (entry("prompts/c.md", at="/messages"), [A, B, C, UNUSED]),
        (entry("prompts/a.json", rule="date-in-prefix"), [A, B, C, UNUSED]),
        (entry("gone.json"), [A, B, C, UNUSED]),
    ],
)
def test_what_an_entry_hides(project: Path, entries: str, left: list[str]) -> None:
    assert found(project, entries) == sorted(left)


def test_of_files_that_were_not_checked_nothing_is_said(project: Path) -> None:
    unused = entry("prompts/a.json", text="utcnow")
    assert found(project, unused, "prompts/c.md") == [C]
    assert found(project, unused, "prompts/a.json") == [UNUSED, A]
    assert found(project, entry("prompts/*.json", text="utcnow"), "prompts/a.json") == [A], "other files may need it"


def test_an_entry_in_pyproject(project: Path) -> None:
    text = entry("prompts/*").replace("[[suppress]]", "[[tool.promptlint.suppress]]")
    (project / "pyproject.toml").write_text(f'[tool.promptlint]\ndialect = "jinja"\n\n{text}', encoding="utf-8")
    assert Engine(Options()).check([Path()]).run.findings == ()


KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
DOCUMENTS = st.recursive(
    st.one_of(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), st.integers(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=12,
)


@given(DOCUMENTS, st.data())
def test_a_pointer_leads_to_the_value_that_holds_the_place(document: object, data: st.DataObject) -> None:
    text = json.dumps(document)
    at = data.draw(st.integers(0, len(text) - 1))
    pointer = pointer_at(Place(Source("a.json", text), Span(at, at)))
    assert pointer is not None
    value = document
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        value = value[int(step)] if isinstance(value, list) else value[step]  # type: ignore[index]
    root, _ = parse(text, 0, len(text))
    assert root is not None
    assert json.dumps(value) in text
    if not isinstance(value, (list, dict)):
        start = text.rindex(json.dumps(value), 0, at + len(json.dumps(value)))
        assert start <= at < start + len(json.dumps(value))


def test_broken_json_has_pointers_as_far_as_it_goes() -> None:
    text = '{"messages": [{"content": "x"'
    assert pointer_at(Place(Source("a.json", text), Span(27, 28))) == "/messages/0/content"
    assert pointer_at(Place(Source("a.json", ""), Span(0, 0))) is None


HEAD = '# Settings of the desk\ndialect = "jinja"\n'
USED = entry("prompts/*.json") + "# the last line of it\n"
USELESS = entry("prompts/c.md", text="utcnow")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{HEAD}\n{USELESS}", HEAD),
        (f"{HEAD}\n{USELESS}\n\n{USED}", f"{HEAD}\n{USED}"),
        (f"{HEAD}\n{USED}\n{USELESS}\n[sizes]\nq = 1 # one\n", f"{HEAD}\n{USED}\n[sizes]\nq = 1 # one\n"),
        (f"{HEAD}\n{USELESS}# why not\n\n{USELESS}{USED}", f"{HEAD}\n# why not\n\n{USED}"),
        (
            f"{HEAD}\n[[ suppress ]] # a header\n# inside\npath = 'prompts/c.md'\nrule = 'date-in-prefix'\n"
            f'reason = """\n[[suppress]]\n"""\n{USED}',
            f"{HEAD}\n{USED}",
        ),
        (f"{HEAD}\n{USELESS.rstrip()}", HEAD),
        (f"{HEAD}\n{USELESS}{USELESS.replace('c.md', 'a.json')}\n{USED}", f"{HEAD}\n{USED}"),
        (f"{HEAD}\n{USED}\n{USELESS}\n{USELESS.replace('c.md', 'a.json')}", f"{HEAD}\n{USED}\n"),
        (f"{HEAD}\n{USELESS}\n{USED}".replace("\n", "\r\n"), f"{HEAD}\n{USED}".replace("\n", "\r\n")),
        (f"{HEAD}suppress = [{{ path = 'prompts/c.md', rule = 'date-in-prefix', reason = 'r' }}]\n", None),
    ],
)
def test_a_useless_entry_is_taken_out(project: Path, before: str, after: str | None) -> None:
    (project / "promptlint.toml").write_bytes(before.encode())
    engine = Engine(Options())
    outcome = engine.check([Path()])
    assert [finding for finding in outcome.run.findings if finding.rule == "unused-suppression"]
    changed = [each for each in fixed(engine, outcome, Options(), unsafe=False) if each.shown == "promptlint.toml"]
    assert [each.after for each in changed] == ([] if after is None else [after])


def test_a_useless_entry_in_pyproject_is_taken_out(project: Path) -> None:
    text = f'[project]\nname = "desk" # ours\n\n[tool.promptlint]\ndialect = "jinja"\n\n{USELESS}\n[tool.x]\n'
    before = text.replace("[[suppress]]", "[[tool.promptlint.suppress]]")
    (project / "pyproject.toml").write_text(before, encoding="utf-8")
    engine = Engine(Options())
    (changed,) = fixed(engine, engine.check([Path()]), Options(), unsafe=False)
    assert changed.after == text.replace(f"{USELESS}\n", "")
