"""An audit for programs: version 1 of its JSON."""

from __future__ import annotations

from typing import Any

from promptlint.audit.causes import Cause
from promptlint.audit.result import Result, Share
from promptlint.report.json_v1 import document
from promptlint.report.kv_prefix import lost_prefixes_json
from promptlint.report.mask import mask


def audit_json(result: Result) -> str:
    """The result as one JSON document that ends with a line break. Shares are from 0 to 1, tokens whole numbers."""
    money = result.money
    return document(
        {
            "version": 1,
            "files": result.files,
            "requests": result.requests,
            "seconds": result.seconds,
            "share": {
                "measured": _share(result.measured),
                "simulated": _share(result.simulated),
                "reachable": _share(result.reachable),
            },
            "money": None
            if money is None
            else {"paid": list(money.paid), "reachable": list(money.reachable or ()) or None, "source": money.source},
            "lost_prefix": None if result.recomputed is None else lost_prefixes_json(result.recomputed),
            "models": [
                {
                    "provider": each.provider,
                    "model": each.model,
                    "counter": each.counter,
                    "requests": each.requests,
                    "measured": _share(each.measured),
                    "simulated": _share(each.simulated),
                    "assumed": list(each.assumed),
                }
                for each in result.models
            ],
            "causes": [_cause(cause, result) for cause in result.causes],
            "what_if": [
                {
                    "change": mask(outcome.label),
                    "share": outcome.share,
                    "cached_tokens": outcome.cached,
                    "tokens": outcome.tokens,
                }
                for outcome in result.outcomes
            ],
            "omitted": {
                "records": result.omitted.records,
                "reasons": dict(result.omitted.reasons),
                "named": [
                    {"path": each.path, "line": each.line, "reason": mask(each.reason)} for each in result.omitted.named
                ],
                "repeated_ids": result.omitted.repeated,
                "without_time": result.omitted.untimed,
                "backwards": result.omitted.backwards,
            },
        }
    )


def _share(share: Share | None) -> dict[str, Any] | None:
    return None if share is None else {"share": share.value, "cached_tokens": share.cached, "tokens": share.tokens}


def _cause(cause: Cause, result: Result) -> dict[str, Any]:
    place, earlier = result.places.get(cause.rid), result.places.get(cause.earlier)
    return {
        "rule": cause.rule,
        "severity": cause.severity.label,
        "provider": cause.provider,
        "model": cause.model,
        "kind": cause.kind,
        "path": cause.path,
        "message": mask(cause.message),
        "requests": cause.requests,
        "lost_tokens": cause.tokens,
        "lost_dollars": list(cause.dollars) if cause.dollars else None,
        "example": None
        if place is None
        else {
            "path": place.path,
            "line": place.line,
            "piece": cause.place,
            "offset": cause.offset,
            "text": mask(cause.after),
            "earlier": None
            if earlier is None
            else {"path": earlier.path, "line": earlier.line, "text": mask(cause.before)},
            "template": result.origins.get(cause.rid) or None,
        },
    }
