"""Rule files are complete, and their examples do what they say."""

from __future__ import annotations

import re
from contextlib import chdir
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from promptlint.audit import run as auditing
from promptlint.audit.causes import RULES
from promptlint.baseline import STALE
from promptlint.checks.pairs import pair_findings
from promptlint.checks.table import CHECKS, FILE_CHECKS
from promptlint.data import rules_path
from promptlint.engine import Engine, Options
from promptlint.events import Event
from promptlint.finding import Safety
from promptlint.fixing import fixed
from promptlint.lifetimes.table import KINDS
from promptlint.report.audit_text import audit_concise
from promptlint.report.concise import concise
from promptlint.report.paint import Paint
from promptlint.rulebook import Rule, rule, rules
from promptlint.run import Run
from promptlint.suppression.suppressions import INVALID, UNUSED
from promptlint.versions import Asked, compared

_MARKS = ("Reported:", "Clean:", "Known miss:", "Known false alarm:")
_FENCE = re.compile(r"(?ms)^(`{3,})(\S+)(?: (\S+))?\n(.*?)^\1\n")
_MARK = re.compile(rf"(?m)^(?:{'|'.join(map(re.escape, _MARKS))})")
_NEXT = re.compile(rf"{_MARK.pattern}|^## ")
_HEADINGS = ["What it does", "Why it matters", "Examples", "When to ignore it"]
_ABOUT_PAIRS = "pairs.pair_findings"
_LOG = ["log.jsonl"]
_PAIR = ["a.json", "b.json"]
"""An example with these files compares two requests."""
_ABOUT_FILES = ("files.problems", UNUSED, INVALID, STALE)


@dataclass(frozen=True)
class Example:
    rule: str
    number: int
    mark: str
    files: tuple[tuple[str, str], ...]
    finds: str | None
    fixed: tuple[tuple[str, str], ...] = ()
    """Files as `--fix --unsafe-fixes` leaves them."""


def _prose(rule: Rule) -> str:
    """The body with its fenced files blanked, whose lines are no headings of the rule; offsets stay."""
    return _FENCE.sub(lambda fence: " " * len(fence[0]), rule.body)


def examples_of(rule: Rule) -> list[Example]:
    prose = _prose(rule)
    marks = list(_MARK.finditer(prose))
    found = []
    for number, mark in enumerate((match[0] for match in marks), 1):
        begin = marks[number - 1].end()
        ends = [match.start() for match in _NEXT.finditer(prose, begin)]
        blocks = [(match[2], match[3], match[4]) for match in _FENCE.finditer(rule.body, begin, (*ends, len(prose))[0])]
        files = tuple((name, content) for kind, name, content in blocks if kind not in ("finds", "fixed") and name)
        fixed = tuple((name, content) for kind, name, content in blocks if kind == "fixed")
        finds = next((content for kind, _, content in blocks if kind == "finds"), None)
        found.append(Example(rule.name, number, mark, files, finds, fixed))
    return found


_EXAMPLES = [example for rule in rules() for example in examples_of(rule)]


def found_in(example: Example) -> list[str]:
    """The concise output for an example whose files stand in the current folder.

    The logs of examples are short, so losses are said from 16 tokens on.
    """
    names = [name for name, _ in example.files]
    if names == _LOG and "log" in rule(example.rule).inputs:
        options = auditing.Options(processes=1, what_if=False, least=16)
        *lines, _ = audit_concise(auditing.audit(names, options, lambda *_: None), Paint(False))
        return lines
    if names == _PAIR:
        run = Run(pair_findings(compared(*names, (), Asked())), (), 2, None)
    else:
        outcome = Engine(Options()).check([Path()])
        assert not outcome.notices
        run = outcome.run
    *lines, _ = concise(run, Paint(False))
    return lines


@pytest.mark.parametrize("example", _EXAMPLES, ids=lambda example: f"{example.rule}-{example.number}")
def test_an_example_finds_what_it_says(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert example.files, "an example has at least one named file"
    for name, content in example.files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    monkeypatch.chdir(tmp_path)
    lines = found_in(example)
    if example.mark in ("Reported:", "Known false alarm:"):
        assert example.finds is not None
        assert "\n".join(lines) == example.finds.rstrip("\n")
        assert any(f"[{example.rule}]" in line for line in lines)
    else:
        assert example.finds is None
        assert lines == []


@pytest.mark.parametrize(
    "example", [each for each in _EXAMPLES if each.fixed], ids=lambda example: f"{example.rule}-{example.number}"
)
def test_a_fix_writes_what_the_page_shows(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in example.files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content.encode())
    monkeypatch.chdir(tmp_path)
    engine = Engine(Options())
    outcome = engine.check([Path()])
    changed = fixed(engine, outcome, Options(), unsafe=True)
    assert tuple((each.shown, each.after) for each in changed) == example.fixed


def test_a_page_that_promises_a_fix_shows_one() -> None:
    shown = {example.rule for example in _EXAMPLES if example.fixed}
    assert shown == {rule.name for rule in rules() if rule.fix != "none"}
    assert {rule.fix for rule in rules()} <= {"none", *Safety}


@pytest.mark.parametrize("example", _EXAMPLES, ids=lambda example: f"{example.rule}-{example.number}")
def test_fixes_are_those_of_the_page_and_hold(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in example.files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content.encode())
    monkeypatch.chdir(tmp_path)
    engine = Engine(Options())
    before = engine.check([Path()])
    for finding in before.run.findings:
        allowed = {"none": set(), "unsafe": {Safety.UNSAFE}, "safe": set(Safety)}[rule(finding.rule).fix]
        assert {fix.safety for fix in finding.fixes} <= allowed
    changed = list(fixed(engine, before, Options(), unsafe=True))
    for each in changed:
        each.path.write_bytes(each.after.encode())
    if changed:
        engine = Engine(Options())
        after = engine.check([Path()])
        assert sum(each.blocked for each in after.parts) <= sum(each.blocked for each in before.parts)
        assert "syntax-error" not in {each.rule for each in after.run.findings}
        assert list(fixed(engine, after, Options(), unsafe=True)) == [], "a second run changes nothing"


def test_a_heading_inside_a_file_belongs_to_the_file() -> None:
    file = "# A\n\n## B\n\nClean: c\n"
    body = f"## Examples\n\nClean: a\n\n```text a.md\n{file}```\n\n## When to ignore it\n\n```text b.md\nd\n```\n"
    (example,) = examples_of(replace(rules()[0], body=body))
    assert example.files == (("a.md", file),)


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.name)
def test_a_rule_file_is_complete(rule: Rule) -> None:
    assert re.findall(r"(?m)^## (.+)$", _prose(rule)) == _HEADINGS
    marks = [example.mark for example in examples_of(rule)]
    assert marks.count("Reported:") >= 3
    assert marks.count("Clean:") >= 3
    assert rule.references or rule.check in _ABOUT_FILES
    assert rule.advice.strip().endswith(".")


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.name)
def test_a_rule_has_something_behind_it(rule: Rule) -> None:
    assert (rules_path() / f"{rule.name}.md").is_file(), "the file is called like the rule"
    if rule.when is not None:
        assert rule.check is None
        assert rule.when.events <= {event.value for event in Event}
        assert rule.when.kinds <= set(KINDS)
    elif rule.inputs == ("log",):
        assert rule.check is None
        assert rule.name in RULES
    elif rule.check not in (*_ABOUT_FILES, _ABOUT_PAIRS):
        assert rule.check in CHECKS or rule.check in FILE_CHECKS


@pytest.mark.parametrize("kind", sorted(KINDS - {"history"}))
@pytest.mark.parametrize("event", [event.value for event in Event if event is not Event.DEPLOY])
def test_every_change_belongs_to_one_rule(kind: str, event: str) -> None:
    """`[values]` can give any kind any event; history is nobody's fault, and a release is no loss."""
    owners = [rule.name for rule in rules() if rule.when and kind in rule.when.kinds and event in rule.when.events]
    assert len(owners) == 1


def _renew(rule: Rule) -> None:
    """Write the outputs of a rule's examples anew; a changed verdict still needs a person."""
    path = rules_path() / f"{rule.name}.md"
    text, at = path.read_text(encoding="utf-8"), 0
    for example in examples_of(rule):
        at = text.index(f"\n{example.files[0][1]}", at)
        if example.finds is not None:
            with TemporaryDirectory() as folder, chdir(folder):
                for name, content in example.files:
                    Path(name).parent.mkdir(parents=True, exist_ok=True)
                    Path(name).write_bytes(content.encode())
                lines = found_in(example)
            before = f"```finds\n{example.finds}```"
            after = "".join(["```finds\n", *(f"{line}\n" for line in lines), "```"])
            at = text.index(before, at)
            text = text[:at] + after + text[at + len(before) :]
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each in rules():
        _renew(each)
