"""What a run of `check` found."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.finding import Finding
from promptlint.layout.appraisal import Appraisal
from promptlint.rulebook import Rule


@dataclass(frozen=True, slots=True)
class Run:
    """Sorted findings, one appraisal a prompt, how many files were read, the horizon that was asked for, the rules.

    `suppressed` counts findings that comments or the configuration hide, `known` those of a baseline.
    """

    findings: tuple[Finding, ...]
    appraisals: tuple[Appraisal, ...]
    files: int
    horizon: str | None
    rules: tuple[Rule, ...] = ()
    suppressed: int = 0
    known: int = 0
