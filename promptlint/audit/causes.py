"""Groups of losses as causes: what recurs, under which rule, in which words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from promptlint.audit.blame import Group, Groups
from promptlint.finding import Severity
from promptlint.serving.prefill import Loss
from promptlint.shapes.named import VALUES, owner

_TWICE = frozenset({*VALUES, "reorder", "key-order", "parameter", "truncation", "insertion", "gap", "routing"})
"""Kinds that two different pairs of values prove; for other text a second release looks the same."""

_ALWAYS = frozenset({"below-minimum", "no-breakpoint", "breakpoint", "lookback"})
"""Kinds that are so by the provider's rules; they need no second case."""

_SHARE = 0.1
"""Of a model's requests: text that differs in so many of them is no release."""

RULES = frozenset({"tool-hash-churn", "gap-miss", "routing-miss", "engine-miss", "resume-rewrite", "pinned-reads"})
"""The rules that only an audit speaks under."""

_TEXTS = {"case": "the letter case", "whitespace": "white space"}


@dataclass(frozen=True, slots=True)
class Cause:
    """What loses tokens, by place and kind: how many requests lose how many, and an example.

    `requests` lose `tokens` in all. `rid` and `earlier` number an example and the request it is compared with, 0
    without one; `offset` is the character of its piece at which the two differ.
    """

    rule: str
    severity: Severity
    provider: str
    model: str
    kind: str
    path: str
    message: str
    requests: int
    tokens: int
    rid: int = 0
    earlier: int = 0
    piece: int = 0
    place: str = ""
    offset: int = 0
    before: str = ""
    after: str = ""
    line: str = ""
    dollars: tuple[float, float] | None = None
    """What reading the lost tokens instead would have saved, low and high; None where no price is known."""
    lost: Loss | None = None
    """What computing the tokens again costs the machine; None where no served model is named."""


def causes_of(groups: Groups, counts: Mapping[tuple[str, str], int]) -> list[Cause]:
    """The causes, those that lose most first. A change that came once and stayed is a release, and no cause."""
    found = [_cause(group) for group in groups.values() if _recurs(group, counts[group.provider, group.model])]
    return in_order(found)


def in_order(causes: Iterable[Cause]) -> list[Cause]:
    return sorted(causes, key=lambda cause: (-cause.tokens, cause.rule, cause.path, cause.kind, cause.model))


def _recurs(group: Group, requests: int) -> bool:
    if group.kind in _ALWAYS:
        return True
    pairs = len(group.pairs)
    if group.kind in _TWICE or _is_history(group.path):
        return pairs >= 2 or (requests <= 3 and group.kind in VALUES)
    return pairs >= max(3, _SHARE * requests)


def _is_history(path: str) -> bool:
    """Messages are no part of a release."""
    return "[*]" in path and not _is_tool(path)


def _is_tool(path: str) -> bool:
    return "ools[" in path or path.startswith("functions") or path == "tools"


def _cause(group: Group) -> Cause:
    rule, severity, message = _said(group)
    example = group.example
    difference = example.difference if example else None
    return Cause(
        rule,
        severity,
        group.provider,
        group.model,
        group.kind,
        group.path,
        message,
        group.requests,
        group.tokens,
        example.rid if example else 0,
        example.earlier if example else 0,
        difference.piece if difference else 0,
        difference.path if difference else "",
        difference.offset if difference else 0,
        group.excerpt.before,
        group.excerpt.after,
        group.excerpt.line,
        lost=group.lost,
    )


def _said(group: Group) -> tuple[str, Severity, str]:
    kind, path = group.kind, group.path
    is_tool = _is_tool(path)
    match kind:
        case "key-order":
            return (
                "non-canonical-json",
                Severity.ERROR,
                f"the same JSON in `{path}` is written with its keys in another order",
            )
        case "reorder" if is_tool:
            return "tool-hash-churn", Severity.ERROR, "the same tools come in another order"
        case "tool set":
            return "tool-hash-churn", Severity.WARNING, "the set of tools changes between requests of one prefix"
        case "truncation":
            return "front-truncation", Severity.WARNING, "older messages are dropped, and all that follow move up"
        case "insertion":
            return (
                "history-rewrite",
                Severity.WARNING,
                f"something new is put before messages that were sent, at `{path}`",
            )
        case "parameter":
            return "varying-parameter", Severity.ERROR, f"the setting `{path}` changes between requests of one prefix"
        case "gap":
            return "gap-miss", Severity.NOTE, "the next use comes when the entry has died of age"
        case "routing":
            return "routing-miss", Severity.WARNING, "the prefix was sent before under another cache key"
        case "below-minimum":
            return "below-minimum", Severity.NOTE, "the common prefix is shorter than what is cached at all"
        case "no-breakpoint":
            return "missing-breakpoint", Severity.ERROR, "nothing asks for an entry, and nothing is cached"
        case "breakpoint":
            return "breakpoint-on-volatile", Severity.ERROR, f"the breakpoint at `{path}` stands behind what differs"
        case "lookback":
            return "lookback-exceeded", Severity.WARNING, "the entry that was written is further back than is looked"
    word = VALUES[kind].subject if kind in VALUES else _TEXTS.get(kind, "text")
    if is_tool:
        return "tool-hash-churn", Severity.ERROR, f"{word} in a tool changes between requests"
    if kind == "reorder":
        return "unordered-data", Severity.ERROR, f"the same things come in another order in `{path}`"
    if _is_history(path):
        return "history-rewrite", Severity.WARNING, f"a message that was sent is sent again with {word} changed"
    severity = {"date": Severity.NOTE, "text": Severity.WARNING}.get(kind, Severity.ERROR)
    named = VALUES.get(kind)
    rule = owner(named.kind, named.event) if named else "prefix-divergence"
    return rule, severity, f"{word} in `{path}` differs, above text that stays the same"
