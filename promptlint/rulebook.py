"""Rules as their files say them: TOML front matter between `+++` lines, then Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from promptlint.data import rules_path, unknown
from promptlint.events import Confidence
from promptlint.finding import Cost, Finding, Fix, Persona, Related, Severity
from promptlint.source import Place

_FENCE = "+++"


@dataclass(frozen=True, slots=True)
class When:
    """A selection over culprits: kinds of value, and the events that change them most often."""

    kinds: frozenset[str]
    events: frozenset[str]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule. `when` selects culprits; otherwise `check` names a function ("module.function").

    `sources` are the rule's own `[[source]]` rows, which say what values are.
    """

    name: str
    summary: str
    group: str
    severity: Severity
    persona: Persona
    since: str
    fix: str
    inputs: tuple[str, ...]
    references: tuple[str, ...]
    advice: str
    when: When | None
    check: str | None
    body: str
    sources: tuple[Mapping[str, Any], ...] = ()

    def finding(
        self,
        place: Place,
        message: str,
        *,
        label: str,
        kind: str,
        subject: str = "",
        events: tuple[str, ...] = (),
        evidence: str = "",
        severity: Severity | None = None,
        confidence: Confidence = Confidence.HIGH,
        related: tuple[Related, ...] = (),
        cost: Cost | None = None,
        advice: str = "",
        section: str = "",
        fixes: tuple[Fix, ...] = (),
    ) -> Finding:
        """A finding of this rule, at its severity unless another is given; `advice` is said before the rule's own.

        Findings with one `subject` in a file are one, so a log of a thousand requests says it once.
        """
        return Finding(
            rule=self.name,
            severity=self.severity if severity is None else severity,
            confidence=confidence,
            message=message,
            place=place,
            label=label,
            related=related,
            cost=cost,
            advice=f"{advice} {self.advice}".strip(),
            subject=subject,
            kind=kind,
            events=events,
            evidence=evidence,
            section=section,
            fixes=fixes,
        )


class RuleError(ValueError):
    """A rule file that cannot be used; the message names file and line."""


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule that ships with promptlint, by name. Raises RuleError."""
    return tuple(read_rule(path) for path in sorted(rules_path().glob("*.md")))


def rules_with(folders: Iterable[Path]) -> tuple[Rule, ...]:
    """The shipped rules and those in further folders, by name. Raises RuleError, also for a name that is taken."""
    found = {known.name: known for known in rules()}
    for folder in folders:
        for path in sorted(folder.glob("*.md")):
            own = read_rule(path)
            if own.name in found:
                raise RuleError(f"{path}:2:1: another rule is called {own.name!r}; choose another name")
            found[own.name] = own
    return tuple(found[name] for name in sorted(found))


@cache
def rule(name: str) -> Rule:
    """The rule of that name. Raises UnknownNameError with the nearest one."""
    by_name = {known.name: known for known in rules()}
    if name in by_name:
        return by_name[name]
    raise unknown("rule", name, by_name)


def read_rule(path: Path) -> Rule:
    """A rule from its file. Raises RuleError with file, line and what is wrong."""
    import tomllib

    text = path.read_text(encoding="utf-8")
    parts = text.split(f"{_FENCE}\n", 2)
    if len(parts) != 3 or parts[0]:
        raise RuleError(f"{path}:1:1: a rule starts with TOML between two `+++` lines")
    try:
        return _rule(tomllib.loads(parts[1]), parts[2])
    except (tomllib.TOMLDecodeError, KeyError, ValueError, TypeError) as error:
        raise RuleError(f"{path}:2:1: front matter of this rule: {error}") from error


def _rule(front: dict[str, Any], body: str) -> Rule:
    when = front.get("when")
    return Rule(
        name=front["name"],
        summary=front["summary"],
        group=front["group"],
        severity=Severity[front["severity"].upper()],
        persona=Persona[front.get("persona", "regular").upper()],
        since=front["since"],
        fix=front.get("fix", "none"),
        inputs=tuple(front["inputs"]),
        references=tuple(front.get("references", ())),
        advice=front.get("advice", ""),
        when=When(frozenset(when["kind"]), frozenset(when["events"])) if when else None,
        check=front.get("check"),
        body=body.strip() + "\n",
        sources=tuple(front.get("source", ())),
    )
