"""Fixes put into files, each of them only when the prompt is better for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from promptlint.engine import Engine, Options, Outcome
from promptlint.finding import Edit, Finding, Fix, Safety
from promptlint.layout.appraisal import Appraisal
from promptlint.report.json_v1 import holds_secret
from promptlint.source import Source
from promptlint.storage import holds

_SYNTAX = "syntax-error"
_PASSES = 8
"""A fix can make another one possible; each takes a finding away, so that few are needed."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file's text before and after; how many fixes are in it."""

    path: Path
    shown: str
    before: str
    after: str
    count: int


def fixed(engine: Engine, outcome: Outcome, options: Options, *, unsafe: bool) -> Iterator[Fixed]:
    """What the fixes of a run's findings make of each file. A fix that does not hold is left out.

    A fix holds when the file is read as before, its literal text is the same, its finding is gone, and no request
    reuses less. One that moves text holds when the file has the same lines and values, and less is blocked. What
    becomes fixable by a fix is fixed as well. Files whose bytes are not their text in UTF-8 are left alone.
    """
    every = (*outcome.parts, *outcome.run.findings)
    sources = {engine.path(finding): finding.place.source for finding in every if finding.fixes}
    for path, source in sources.items():
        if holds(path, source.text):
            if path in outcome.files:
                text, count = _changed(source, every, options, unsafe)
            else:
                text, count = _without_entries(source, every)
            if count:
                yield Fixed(path, source.path, source.text, text, count)


def _changed(source: Source, findings: Sequence[Finding], options: Options, unsafe: bool) -> tuple[str, int]:
    """A file's text with all fixes that hold, and how many they are."""
    count = 0
    tried, run = Engine(replace(options, baseline=None, without_baseline=True)), Engine(options)
    for _ in range(_PASSES):
        wanted = _apart(_wanted(findings, source, unsafe))
        if not wanted:
            break
        trial = _Trial(tried, source)
        taken = _passing(trial, wanted)
        if len(taken) < len(wanted) and not trial.passes(taken):
            taken = taken[:1]
        if not taken:
            break
        count += len(taken)
        text = _edited(source.text, taken)
        outcome = run.check([], (Path(source.path), text))
        findings = (*outcome.parts, *outcome.run.findings)
        known = (finding.place.source for finding in findings if finding.place.source.text == text)
        source = next(known, Source(source.path, text))
    return source.text, count


def _without_entries(source: Source, findings: Sequence[Finding]) -> tuple[str, int]:
    """A configuration's text without entries that suppress nothing: what is checked stays the same."""
    wanted = list(_wanted(findings, source, unsafe=False))
    text, end = source.text, len(source.text)
    for span in sorted((edit.place.span for _, fix in wanted for edit in fix.edits), reverse=True):
        text, end = text[: span.start] + text[min(span.end, end) :], span.start  # blank lines between two are of both
    return (text, len(wanted)) if _settings(text) == _settings(source.text) else (source.text, 0)


def _settings(text: str) -> object:
    """What a configuration says but for `suppress`; None when it is no TOML."""
    import tomllib

    try:
        data = tomllib.loads(text)
    except ValueError:
        return None
    for table in (data, data.get("tool", {}).get("promptlint", {})):
        table.pop("suppress", None)
    return data


def _passing(trial: _Trial, wanted: list[tuple[Finding, Fix]]) -> list[tuple[Finding, Fix]]:
    """All of them when they hold together, else those that hold in smaller and smaller parts."""
    if trial.passes(wanted):
        return wanted
    half = len(wanted) // 2
    return [*_passing(trial, wanted[:half]), *_passing(trial, wanted[half:])] if half else []


class _Trial:
    """Reads a file as it would be, and compares with what it is."""

    def __init__(self, engine: Engine, source: Source) -> None:
        self._engine, self._source = engine, source
        self._before = self._checked(source.text)

    def passes(self, wanted: Sequence[tuple[Finding, Fix]]) -> bool:
        """Whether fixes hold together."""
        if not wanted:
            return False
        after = self._checked(_edited(self._source.text, wanted))
        rules, were = _rules(after), _rules(self._before)
        moves = [fix.moves for _, fix in wanted]
        better = all(rules[finding.rule] < were[finding.rule] for finding, fix in wanted if not fix.moves)
        better &= not any(moves) or _blocked(after) < _blocked(self._before)
        sound = not after.broken and rules[_SYNTAX] <= were[_SYNTAX] and rules.total() <= were.total()
        return better and sound and _reuses_no_less(self._before, after, _lines if any(moves) else _texts)

    def _checked(self, text: str) -> Outcome:
        return self._engine.check([], (Path(self._source.path), text))


def _rules(outcome: Outcome) -> Counter[str]:
    """How many places each rule names."""
    return Counter(rule for rule, _ in {(each.rule, each.place) for each in (*outcome.parts, *outcome.run.findings)})


def _blocked(outcome: Outcome) -> int:
    """Tokens that all values make fresh, each counted where it stands."""
    every = (*outcome.parts, *outcome.run.findings)
    return sum({(each.rule, each.place): each.blocked for each in every}.values())


def _reuses_no_less(before: Outcome, after: Outcome, said: Callable[[Appraisal], object]) -> bool:
    """Whether each prompt is the same in what is said by it, and no request reuses less of it."""
    pairs = list(zip(before.run.appraisals, after.run.appraisals, strict=False))
    if len(before.run.appraisals) != len(after.run.appraisals):
        return False
    return all(
        said(one) == said(other)
        and all(
            was.now[0] <= now.now[0]
            for was, now in zip(one.layouts(None, None), other.layouts(None, None), strict=True)
        )
        for one, other in pairs
    )


def _texts(appraisal: Appraisal) -> list[str]:
    """The literal text between the holes."""
    texts = [""]
    for segment in appraisal.prompt.segments:
        if segment.text is None:
            texts.append("")
        else:
            texts[-1] += segment.text
    return texts


def _lines(appraisal: Appraisal) -> Counter[str]:
    """The lines that are not blank, with the values in them as they are written; how often each stands there."""
    messages: dict[tuple[str, int], str] = {}
    for each in appraisal.prompt.segments:
        said = each.text if each.text is not None else each.place.text if each.place else ""
        messages[each.field, each.message] = messages.get((each.field, each.message), "") + said
    return Counter(line.strip() for text in messages.values() for line in text.splitlines() if line.strip())


def _wanted(findings: Iterable[Finding], source: Source, unsafe: bool) -> Iterator[tuple[Finding, Fix]]:
    """The fixes of a file, each once: those of every place, not only of the first of a cause."""
    seen: set[tuple[Edit, ...]] = set()
    for finding in findings:
        fix = next((fix for fix in finding.fixes if unsafe or fix.safety is Safety.SAFE), None)
        if fix is None or fix.edits in seen or holds_secret(fix):
            continue
        seen.add(fix.edits)
        if all(edit.place.source is source for edit in fix.edits):
            yield finding, fix


def _apart(wanted: Iterable[tuple[Finding, Fix]]) -> list[tuple[Finding, Fix]]:
    """Those that can be made together; of two that cannot, the first in the text."""
    taken: list[tuple[Finding, Fix]] = []
    for finding, fix in sorted(wanted, key=lambda pair: min(edit.place.span for edit in pair[1].edits)):
        if all(_are_apart(fix, other) for _, other in taken):
            taken.append((finding, fix))
    return taken


def _are_apart(one: Fix, other: Fix) -> bool:
    """Whether two fixes do not touch. Several can move text to one place, where it keeps its order."""
    spans, others = ([edit.place.span for edit in fix.edits] for fix in (one, other))
    if one.moves and other.moves and max(spans) == max(others):
        return min(spans).end <= min(others).start or min(others).end <= min(spans).start
    return max(spans).end < min(others).start or max(others).end < min(spans).start


def _edited(text: str, wanted: Iterable[tuple[Finding, Fix]]) -> str:
    edits = sorted((edit for _, fix in wanted for edit in fix.edits), key=lambda edit: edit.place.span)
    for edit in reversed(edits):
        text = text[: edit.place.span.start] + edit.text + text[edit.place.span.end :]
    return text
