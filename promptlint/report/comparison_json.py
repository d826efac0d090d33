"""A comparison for programs: version 1. Offsets count from 0, lines and columns from 1, ends are exclusive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from promptlint.comparing.comparison import Comparison, Reading, Setting
from promptlint.comparing.difference import Difference, difference_of
from promptlint.comparing.divergence import characters
from promptlint.comparing.version import Version
from promptlint.finding import Finding
from promptlint.report.json_v1 import document, extent, finding_json
from promptlint.report.lost import Lost, excerpt, lost_pieces
from promptlint.source import Place


def comparison_json(comparison: Comparison, findings: Sequence[Finding]) -> str:
    """The comparison as one JSON document that ends with a line break."""
    reading = comparison.reading
    first = None if reading.appends else difference_of(comparison, reading.found[0])
    return document(
        {
            "version": 1,
            "kind": "templates" if comparison.previous.request is None else "requests",
            "relation": comparison.relation,
            "append_only": reading.appends,
            "loses_prefix": comparison.loses_prefix,
            "previous": _version(comparison.previous, reading.length, reading.total),
            "current": _version(
                comparison.current,
                characters([laid.piece for laid in reading.current]),
                sum(laid.tokens for laid in reading.current),
            ),
            "provider": comparison.provider.name,
            "counter": comparison.previous.appraisal.counter.name,
            "boundaries": reading.boundaries,
            **_figures(reading),
            "other_orders": [_figures(other) for other in comparison.readings[1:]],
            "first_difference": _difference(first) if first is not None else None,
            "lost": [_lost(lost) for lost in lost_pieces(comparison)],
            "parameters": [_setting(setting) for setting in comparison.settings],
            "findings": [finding_json(finding) for finding in findings],
        }
    )


def _version(version: Version, length: int, tokens: int) -> dict[str, Any]:
    return {
        "name": version.name,
        "prompt": version.appraisal.prompt.name,
        "model": version.appraisal.prompt.model,
        "characters": length,
        "tokens": tokens,
    }


def _figures(reading: Reading) -> dict[str, Any]:
    total = reading.total
    return {
        "order": list(reading.order),
        "common_prefix_characters": reading.shared,
        "share_of_previous_reused": round(reading.share, 4),
        "common_prefix_tokens": reading.prefix,
        "reused_tokens": list(reading.reused),
        "token_share_of_previous_reused": [round(end / total, 4) if total else 1.0 for end in reading.reused],
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "pointer": difference.pointer,
        "field": difference.divergence.field.value,
        "kind": difference.kind,
        "offset": difference.offset,
        "offset_in_piece": difference.offset_in_piece,
        "previous": _side(difference, 0),
        "current": _side(difference, 1),
    }


def _side(difference: Difference, side: int) -> dict[str, Any] | None:
    """The character that differs first, and the value around it, with secrets masked."""
    at = difference.at[side]
    if at is None:
        return None
    return {**_place(at), "text": excerpt(difference, side)}


def _place(place: Place) -> dict[str, Any]:
    return {"path": place.source.path, **extent(place)}


def _lost(lost: Lost) -> dict[str, Any]:
    return {
        "pointer": lost.pointer or None,
        "field": lost.field,
        "section": lost.section,
        **(_place(lost.place) if lost.place is not None else {}),
        "tokens": lost.tokens,
        "sent_again": lost.sent_again,
    }


def _setting(setting: Setting) -> dict[str, Any]:
    return {
        "name": setting.name,
        "loses": setting.loses,
        "previous": _place(setting.previous) if setting.previous else None,
        "current": _place(setting.current) if setting.current else None,
    }
