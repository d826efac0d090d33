"""What a run of `check` found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from promptlint.finding import Finding
from promptlint.gate import Gate
from promptlint.layout.appraisal import Appraisal
from promptlint.rulebook import Rule
from promptlint.source import Source

if TYPE_CHECKING:
    from promptlint.serving.workload import Workload


TOO_DEEP = "what this file builds is nested too deeply to be followed; flatten it"


@dataclass(frozen=True, slots=True)
class Failure:
    """A file whose prompts could not be looked at, and what was raised."""

    source: Source
    error: Exception

    @property
    def is_depth(self) -> bool:
        """Whether the file is nested too deeply, and promptlint is not to blame."""
        return isinstance(self.error, RecursionError)

    @property
    def line(self) -> str:
        """What is said about it: file, what is wrong, what to do."""
        if self.is_depth:
            return f"{self.source.path}:1:1: {TOO_DEEP}"
        return f"{self.source.path}: internal error ({type(self.error).__name__}: {self.error}); please report it"


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
