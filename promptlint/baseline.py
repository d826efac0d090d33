"""The file of known findings, with which promptlint can be switched on in an old repository.

Entries are fingerprints, so an edit elsewhere in a file keeps them. The rest of an entry is for who reads the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from promptlint.finding import Finding
from promptlint.rulebook import Rule
from promptlint.source import Place, Source, Span

STALE = "baseline.stale"
"""What the rule about entries that match no finding any more names as its check."""

_VERSION = 1
_FINGERPRINT = re.compile(r'"fingerprint"\s*:\s*"([^"\\]*)"')


class BaselineError(ValueError):
    """A baseline that cannot be used; the message is `file:line:col: what is wrong; what to do`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A known finding; `path` is its file's name, from the repository's root on."""

    fingerprint: str
    rule: str
    path: str
    message: str


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """A baseline as it was read, with the fingerprints of its entries and where these stand. Compared by identity."""

    source: Source
    entries: tuple[Entry, ...]
    fingerprints: frozenset[str]
    starts: Mapping[str, int]

    def place(self, entry: Entry) -> Place:
        """Where an entry stands in the file."""
        start = self.starts.get(entry.fingerprint, 0)
        return Place(self.source, Span(start, start + len(entry.fingerprint) + 2))


def read_baseline(path: Path) -> Baseline:
    """The baseline at a path. Raises BaselineError for one that cannot be used, OSError for one that cannot be read."""
    here = Path.cwd()
    shown = path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        said = (error.strerror or type(error).__name__).lower()
        message = f"{shown}: the baseline cannot be read ({said}); write one with `promptlint baseline write`"
        raise OSError(message) from error
    except UnicodeDecodeError as error:
        raise BaselineError(f"{shown}:1:1: the baseline is not UTF-8; write it anew") from error
    source = Source(shown, text)
    try:
        entries = tuple(_entries(json.loads(text)))
    except json.JSONDecodeError as error:
        problem = f"this is not JSON ({error.msg.lower()}); resolve the conflict, or write it anew"
        raise BaselineError(f"{shown}:{error.lineno}:{error.colno}: {problem}") from error
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BaselineError(
            f"{shown}:1:1: this is no baseline of version {_VERSION}; write it anew with `promptlint baseline write`"
        ) from error
    starts: dict[str, int] = {}
    for found in _FINGERPRINT.finditer(text):
        starts.setdefault(found[1], found.start(1) - 1)
    return Baseline(source, entries, frozenset(entry.fingerprint for entry in entries), starts)


def entry_of(finding: Finding, path: str, message: str) -> Entry:
    """The entry for a finding; `path` is its file's name, `message` is fit to be read."""
    return Entry(finding.fingerprint, finding.rule, path, message)


def written(entries: Iterable[Entry]) -> str:
    """The text of a baseline: a line an entry, in a stable order, so that changes are easy to review and to merge."""
    ordered = sorted(set(entries), key=lambda entry: (entry.path, entry.rule, entry.fingerprint))
    rows = ",".join(f"\n    {json.dumps(_row(entry))}" for entry in ordered)
    end = "\n  ]" if rows else "]"
    return f'{{\n  "version": {_VERSION},\n  "findings": [{rows}{end}\n}}\n'


def stale_finding(baseline: Baseline, entry: Entry, rule: Rule) -> Finding:
    """The finding for an entry that matches no finding any more."""
    return rule.finding(
        baseline.place(entry),
        f"the baseline knows a {entry.rule} in {entry.path} that is no longer there; prune it",
        label="here",
        kind="suppression",
    )


def _entries(document: Any) -> Iterator[Entry]:
    if document["version"] != _VERSION:
        raise KeyError("version")
    for row in document["findings"]:
        entry = Entry(row["fingerprint"], row["rule"], row["path"], row.get("message", ""))
        if not all(isinstance(text, str) for text in (entry.fingerprint, entry.rule, entry.path, entry.message)):
            raise TypeError("an entry holds more than strings")
        yield entry


def _row(entry: Entry) -> dict[str, str]:
    return {
        "fingerprint": entry.fingerprint,
        "rule": entry.rule,
        "path": entry.path,
        "message": entry.message,
    }
