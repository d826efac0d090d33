"""What could be changed about a log's requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from promptlint.audit.causes import Cause

LABELS = {
    "move": "move what changes in `{path}` behind everything else",
    "sort": "keep one order in `{path}`",
    "tools": "send the same tools in the same order",
    "keys": "write JSON in `{path}` with sorted keys",
    "setting": "keep the setting `{path}` constant",
    "append": "only append to what was sent",
    "ttl": "entries that live {ttl}",
    "route": "one cache key for what shares a prefix",
    "marks": "breakpoints at the ends of tools, system text and newest message",
}

_HISTORY = ("truncation", "insertion")


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one model's requests: an action of LABELS, at a path where it has one."""

    action: str
    provider: str
    model: str
    path: str = ""
    ttl: float = 0.0

    @property
    def label(self) -> str:
        text = LABELS[self.action].format(path=self.path, ttl=f"{self.ttl / 3600:g} h" if self.ttl else "")
        return f"{text} ({self.model or self.provider})"


def changes_of(causes: Iterable[Cause], longer: Callable[[str, str], float]) -> list[Change]:
    """The changes that the causes ask for, each once; `longer` gives a provider's next longer life in seconds."""
    found: dict[Change, None] = {}
    for cause in causes:
        action = _action(cause)
        if not action:
            continue
        ttl = longer(cause.provider, cause.model) if action == "ttl" else 0.0
        path = cause.path if action in ("move", "sort", "keys", "setting") else ""
        found[Change(action, cause.provider, cause.model, path, ttl)] = None
    return list(found)


def _action(cause: Cause) -> str:
    if cause.rule in ("below-minimum", "pinned-reads", "resume-rewrite", "paid-writes", "engine-miss"):
        return "ttl" if cause.rule == "resume-rewrite" and cause.rid else ""
    match cause.kind:
        case "gap":
            return "ttl"
        case "routing":
            return "route"
        case "no-breakpoint" | "breakpoint" | "lookback":
            return "marks"
        case "parameter":
            return "setting"
        case "key-order":
            return "keys"
        case "tool set":
            return "tools"
        case "reorder":
            return "tools" if cause.rule == "tool-hash-churn" else "sort"
        case "miss" | "unknown":
            return ""
    return "append" if cause.kind in _HISTORY or cause.rule == "history-rewrite" else "move"
