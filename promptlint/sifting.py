"""What of a run's findings users see: what the configuration admits, without what is suppressed or known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from promptlint.baseline import STALE, Baseline, read_baseline, stale_finding
from promptlint.finding import Finding, with_fingerprints
from promptlint.folding import folded, in_order
from promptlint.project.workspace import Workspace
from promptlint.rulebook import Rule
from promptlint.selection import Selection
from promptlint.suppression.suppressions import Suppressions
from promptlint.unit import Unit


@dataclass(frozen=True, slots=True)
class Sifted:
    """Sorted findings with fingerprints; how many comments or the configuration hide, and how many a baseline.

    `parts` are the same findings before those of one cause were folded: one for each place.
    """

    findings: tuple[Finding, ...]
    parts: tuple[Finding, ...]
    suppressed: int
    known: int


@dataclass(slots=True)
class Sieve:
    """Sifts the findings of one run.

    `units` are the files that were checked, `covered` these and the folders that were checked as a whole. `active` are
    the names of rules that said all they have to say; of others it is not known what they would have found. `baseline`
    stands for what the configuration says; with `baselines` off none is used.
    """

    files: Workspace
    selection: Selection
    units: Mapping[Path, Unit]
    covered: Collection[Path]
    rules: tuple[Rule, ...]
    active: Collection[str]
    baseline: Path | None = None
    baselines: bool = True
    _read: dict[Path, Baseline] = field(default_factory=dict)

    def sift(self, findings: Iterable[Finding]) -> Sifted:
        """What is left. Raises BaselineError, OSError or ConfigError for files of the user that cannot be used."""
        suppressed = Suppressions(self.files, self.selection, self.active)
        parts = [each for each in self._admitted(findings) if not suppressed.hides(each)]
        kept = folded(parts)
        kept.extend(self._admitted(suppressed.useless(self.units.values(), self.covered, self.rules)))
        signed = with_fingerprints(in_order(kept), self.files.name)
        fresh = [finding for finding in signed if not self._is_known(finding)]
        shown = {_cause(finding) for finding in fresh}
        matched = {finding.fingerprint for finding in signed}
        stale = with_fingerprints(self._admitted(self._stale(matched)), self.files.name)
        return Sifted(
            tuple(in_order([*fresh, *stale])),
            tuple(part for part in parts if _cause(part) in shown),
            len(suppressed.hidden),
            len(signed) - len(fresh),
        )

    def _admitted(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Those that the configuration lets through, with the severity that it gives them."""
        return (self.selection.graded(each) for each in findings if self.selection.admits(each))

    def _is_known(self, finding: Finding) -> bool:
        baseline = self._baseline(self.files.path(finding.place.source))
        return baseline is not None and finding.fingerprint in baseline.fingerprints

    def _stale(self, matched: Collection[str]) -> Iterator[Finding]:
        """Findings about entries that match nothing, in files that were checked or are gone."""
        rule = next((rule for rule in self.rules if rule.check == STALE), None)
        used = {(self._baseline(path), self.files.home(path)) for path in self.units}
        for baseline, root in used:
            if baseline is None or rule is None:
                continue
            whole = any(root.is_relative_to(folder) for folder in self.covered)
            for entry in baseline.entries:
                if entry.rule in self.active and entry.fingerprint not in matched:
                    file = root / entry.path
                    if file in self.units or (whole and not file.exists()):
                        yield stale_finding(baseline, entry, rule)

    def _baseline(self, path: Path) -> Baseline | None:
        """The baseline that speaks for a file."""
        stated = (self.baseline or self.files.config(path).baseline) if self.baselines else None
        if stated is None:
            return None
        if stated not in self._read:
            self._read[stated] = read_baseline(stated)
        return self._read[stated]


def _cause(finding: Finding) -> tuple[object, ...]:
    return finding.rule, finding.path, finding.subject or finding.place
