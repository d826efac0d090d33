"""What is reported to users."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from operator import attrgetter

from promptlint.events import Confidence
from promptlint.source import Place, Source


class Severity(IntEnum):
    NOTE = 0
    WARNING = 1
    ERROR = 2

    @property
    def label(self) -> str:
        return self.name.lower()


class Persona(IntEnum):
    """Who is reading: each persona sees what the ones before it see, and more."""

    REGULAR = 0
    PEDANTIC = 1
    AUDITOR = 2


class Safety(StrEnum):
    SAFE = "safe"
    UNSAFE = "unsafe"


@dataclass(frozen=True, slots=True)
class Edit:
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that make a finding go, or cost less. `moves` says that they only put text elsewhere."""

    title: str
    safety: Safety
    edits: tuple[Edit, ...]
    moves: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What a finding costs, in tokens of the named counter, at one horizon under one provider and order.

    `order` is empty where the provider's render orders make no difference. `blocked` are the surviving tokens that
    stay fresh while the cause stays; `step` is what moving it wins once those above it have moved; `now` and `best`
    are the request's reusable tokens as (low, high), of `total`.
    """

    provider: str
    order: str
    horizon: str
    counter: str
    blocked: int
    step: tuple[int, int]
    now: tuple[int, int]
    best: tuple[int, int]
    total: int


@dataclass(frozen=True, slots=True)
class Finding:
    rule: str
    severity: Severity
    confidence: Confidence
    message: str
    place: Place
    label: str = ""
    """The note under the primary span."""
    related: tuple[Related, ...] = ()
    cost: Cost | None = None
    advice: str = ""
    subject: str = ""
    """The value that the finding is about, as the message calls it."""
    kind: str = ""
    events: tuple[str, ...] = ()
    evidence: str = ""
    section: str = ""
    fixes: tuple[Fix, ...] = ()
    fingerprint: str = ""

    @property
    def path(self) -> str:
        return self.place.source.path

    @property
    def blocked(self) -> int:
        return self.cost.blocked if self.cost else 0


def with_fingerprints(findings: Iterable[Finding], name: Callable[[Source], str] = attrgetter("path")) -> list[Finding]:
    """The findings with a fingerprint each: rule, file, text of the span and how often that was seen before.

    `name` gives a file's name whatever the working folder; without it the path that users see stands in. Line numbers
    are left out, so that an edit elsewhere in the file keeps it.
    """
    seen: dict[tuple[str, str, str], int] = {}
    result = []
    for finding in findings:
        key = (finding.rule, name(finding.place.source), finding.place.text)
        seen[key] = seen.get(key, 0) + 1
        digest = hashlib.blake2b("\0".join((*key, str(seen[key]))).encode("utf-8", "replace"), digest_size=8)
        result.append(replace(finding, fingerprint=digest.hexdigest()))
    return result
