"""What a run of `check` found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from promptlint.finding import Finding
from promptlint.gate import Gate
from promptlint.layout.appraisal import Appraisal
from promptlint.rulebook import Rule

if TYPE_CHECKING:
    from promptlint.serving.workload import Workload


@dataclass(frozen=True, slots=True)
class Run:
    """Sorted findings, one appraisal a prompt, how many files were read, the horizon that was asked for, the rules.

    `suppressed` counts findings that comments or the configuration hide, `known` those of a baseline.
    `workloads` are what serves the prompts, by their path; where nothing is stated there is none. `gate` holds shares
    to what was asked of them.
    """

    findings: tuple[Finding, ...]
    appraisals: tuple[Appraisal, ...]
    files: int
    horizon: str | None
    rules: tuple[Rule, ...] = ()
    suppressed: int = 0
    known: int = 0
    workloads: Mapping[str, Workload] = field(default_factory=dict)
    gate: Gate | None = None
