"""What a gate says: in lines, as a table in Markdown, in JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from promptlint.gate import Gate, Movement, Share
from promptlint.report.paint import escaped
from promptlint.report.summary import counted

_SHOWN = 0.05
"""Points; a smaller movement is none at the one decimal that is shown."""


def gate_lines(gate: Gate | None) -> Iterator[str]:
    """A line for each prompt that fails or has moved, then how many fail; nothing without a gate."""
    if gate is None:
        return
    titles = _titles(gate)
    for movement in gate.movements:
        if said := _said(gate, movement):
            yield f"{escaped(titles[id(movement)])}: {said}"
    now = [movement for movement in gate.movements if movement.now is not None]
    failing = sum(gate.fails_on(movement) for movement in now)
    asked = ", ".join(_asked(gate))
    prompts = counted(len(now), "prompt")
    verdict = f"{failing:,} of {prompts} failed" if failing else f"{prompts} passed"
    if gate.unknown:
        verdict += f", {counted(len(gate.unknown), 'file')} could not be looked at"
    yield f"gate: {verdict} ({asked})"


def gate_table(gate: Gate) -> Iterator[tuple[str, str, str, str]]:
    """Title, share before, share now and verdict of each prompt that fails or has moved."""
    titles = _titles(gate)
    for movement in gate.movements:
        if _said(gate, movement):
            before, now = (_percent(each) if each else "" for each in (movement.before, movement.now))
            yield titles[id(movement)], before, now, ", ".join(_verdicts(gate, movement))


def gate_json(gate: Gate | None) -> dict[str, Any]:
    """What was asked and every prompt's share, under `gate`; nothing without a gate."""
    if gate is None:
        return {}
    asked = {"horizon": gate.horizon, "min_share": gate.least, "compared_with": gate.revision}
    dropped = {"max_drop": gate.drop if gate.revision is not None else None, "failed": gate.fails}
    prompts = [_movement(gate, each) for each in gate.movements]
    return {"gate": {**asked, **dropped, "unknown": sorted(gate.unknown), "prompts": prompts}}


def _movement(gate: Gate, movement: Movement) -> dict[str, Any]:
    both = movement.now is not None and movement.before is not None
    return {
        "path": movement.share.path,
        "name": movement.share.name,
        "before": _figures(movement.before),
        "now": _figures(movement.now),
        "points": round(movement.points, 2) if both else None,
        "below_min_share": gate.falls_short(movement),
        "above_max_drop": gate.fell(movement),
    }


def _figures(share: Share | None) -> dict[str, Any] | None:
    if share is None:
        return None
    return {"share": round(share.fraction, 4), "now": share.now, "best": share.best, "total": share.total}


def _said(gate: Gate, movement: Movement) -> str:
    """The words about a prompt; none about one that passes and did not move."""
    now, before = movement.now, movement.before
    is_known = movement.share.path not in gate.unknown
    if now is None:
        return f"gone since {gate.revision}" if is_known else "not known today"
    words = []
    if gate.revision is not None and before is None:
        new = f"new since {gate.revision}" if is_known else f"not known at {gate.revision}"
        words.append(f"{new}, cached-token share {_percent(now)}")
    elif before is not None and abs(movement.points) >= _SHOWN:
        moved = "rose" if movement.points > 0 else "fell"
        words.append(
            f"cached-token share {moved} from {_percent(before)} at {gate.revision} to {_percent(now)} "
            f"({before.now:,} of {before.total:,} tokens before, {now.now:,} of {now.total:,} now)"
        )
        if gate.fell(movement):
            words.append(f"more than {_points(gate.drop)}")
    if gate.falls_short(movement):
        figure = "" if words else f"cached-token share {_percent(now)} is "
        words.append(f"{figure}below {_least(gate)} ({_percent(now, now.best)} at best)")
    return ", ".join(words)


def _verdicts(gate: Gate, movement: Movement) -> Iterator[str]:
    is_known = movement.share.path not in gate.unknown
    if movement.now is None:
        yield "gone" if is_known else "not known today"
    elif gate.revision is not None and movement.before is None:
        yield "new" if is_known else f"not known at {gate.revision}"
    elif movement.before is not None:
        fell = f"**fell by {_points(-movement.points)}**"
        yield fell if gate.fell(movement) else f"{movement.points:+.1f} points"
    if gate.falls_short(movement):
        yield f"**below {_least(gate)}**"


def _asked(gate: Gate) -> Iterator[str]:
    if gate.least is not None:
        yield f"at least {_least(gate)} at horizon {gate.horizon}"
    if gate.revision is not None:
        yield f"no more than {_points(gate.drop)} below {gate.revision} at horizon {gate.horizon}"


def _titles(gate: Gate) -> dict[int, str]:
    """Each prompt's path, with its name where the file holds several."""
    shared = Counter(movement.share.path for movement in gate.movements)
    named = {id(each): each.share for each in gate.movements}
    return {
        key: f"{share.path} ({share.name})" if shared[share.path] > 1 and share.name else share.path
        for key, share in named.items()
    }


def _percent(share: Share, tokens: int | None = None) -> str:
    part = share.fraction if tokens is None else tokens / share.total if share.total else 1.0
    return f"{100 * part:.1f} %"


def _least(gate: Gate) -> str:
    return f"{100 * (gate.least or 0):g} %"


def _points(points: float) -> str:
    shown = f"{points:.1f}".removesuffix(".0")
    return f"{shown} point" if shown == "1" else f"{shown} points"
