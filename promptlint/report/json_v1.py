"""Findings for programs: version 1 of the JSON report. Lines and columns count from 1, ends are exclusive."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from promptlint.finding import Finding, Fix, Severity
from promptlint.report.gate_view import gate_json
from promptlint.report.mask import mask
from promptlint.run import Run
from promptlint.source import Place

if TYPE_CHECKING:
    from promptlint.layout.appraisal import Appraisal, Layout
    from promptlint.serving.workload import Workload

_UNSAFE = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff]")
"""What a terminal could act on, hide or turn around, and halves of surrogate pairs, which UTF-8 cannot hold."""


def json_v1(run: Run) -> str:
    """The report as one JSON document that ends with a line break."""
    levels = Counter(finding.severity for finding in run.findings)
    prompts = sorted(run.appraisals, key=lambda appraisal: (appraisal.prompt.path, appraisal.prompt.name))
    return document(
        {
            "version": 1,
            "findings": [finding_json(finding) for finding in run.findings],
            "prompts": [_prompt(appraisal, run) for appraisal in prompts],
            "summary": {
                "files": run.files,
                "prompts": len(run.appraisals),
                "findings": len(run.findings),
                "errors": levels[Severity.ERROR],
                "warnings": levels[Severity.WARNING],
                "notes": levels[Severity.NOTE],
                "suppressed": run.suppressed,
                "in_baseline": run.known,
                "horizon": run.horizon,
            },
            **gate_json(run.gate),
        }
    )


def document(value: object) -> str:
    """The value as JSON that is valid UTF-8 and harmless to a terminal, with a line break at its end."""
    return _UNSAFE.sub(_harmless, json.dumps(value, ensure_ascii=False, indent=2)) + "\n"


def line(value: object) -> str:
    """The value as such JSON on one line, with a line break at its end."""
    return _UNSAFE.sub(_harmless, json.dumps(value, ensure_ascii=False)) + "\n"


def extent(place: Place) -> dict[str, int]:
    """Where a place starts and ends."""
    start, end = place.source.position(place.span.start), place.source.position(place.span.end)
    return {"line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column}


def layouts_json(layouts: Iterable[Layout]) -> list[dict[str, Any]]:
    """The figures of layouts, in tokens; [low, high] where they are known within bounds."""
    return [
        {
            "provider": layout.provider.name,
            "order": list(layout.order),
            "horizon": layout.horizon.name,
            "now": list(layout.now),
            "now_at_least": list(layout.now_at_least),
            "best": list(layout.best),
            "total": layout.total,
        }
        for layout in layouts
    ]


def served_json(layouts: Sequence[Layout], served: Workload | None) -> dict[str, Any]:
    """What the lost prefix costs what serves the prompt, under `lost_prefix`; nothing where that is not known."""
    if served is None:
        return {}
    from promptlint.report.kv_prefix import lost_prefix_json

    return {"lost_prefix": lost_prefix_json(layouts, served)}


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding with its secrets masked; figures are tokens, None where it has no cost."""
    cost = finding.cost
    return {
        "rule": finding.rule,
        "severity": finding.severity.label,
        "confidence": finding.confidence.label,
        "path": finding.path,
        **extent(finding.place),
        "message": mask(finding.message),
        "kind": finding.kind,
        "events": list(finding.events),
        "evidence": finding.evidence,
        "section": finding.section,
        "horizon": cost.horizon if cost else None,
        "provider": cost.provider if cost else None,
        "blocked_tokens": cost.blocked if cost else None,
        "step_tokens": list(cost.step) if cost else None,
        "fingerprint": finding.fingerprint,
        "related": [
            {"path": related.place.source.path, **extent(related.place), "message": mask(related.message)}
            for related in finding.related
        ],
        "fixes": [_fix(fix) for fix in finding.fixes if not holds_secret(fix)],
    }


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [{"path": edit.place.source.path, **extent(edit.place), "text": edit.text} for edit in fix.edits]
    return {"title": mask(fix.title), "safety": fix.safety.value, "edits": edits}


def holds_secret(fix: Fix) -> bool:
    """Such a fix is left out: shown it would leak the secret, masked it would write the mask into the file."""
    return any(mask(edit.text) != edit.text for edit in fix.edits)


def _prompt(appraisal: Appraisal, run: Run) -> dict[str, Any]:
    layouts = appraisal.layouts(None, run.horizon)
    return {
        "path": appraisal.prompt.path,
        "name": appraisal.prompt.name,
        "counter": appraisal.counter.name,
        "layouts": layouts_json(layouts),
        **served_json(layouts, run.workloads.get(appraisal.prompt.path)),
    }


def _harmless(match: re.Match[str]) -> str:
    code = ord(match[0])
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"
