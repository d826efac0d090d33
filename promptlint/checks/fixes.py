"""Edits that take a cause away, made where what they change can be seen."""

from __future__ import annotations

import re

from promptlint.checks.coarse_clocks import date_alone
from promptlint.events import Cause
from promptlint.expression import Call
from promptlint.finding import Edit, Fix, Safety
from promptlint.program import is_python
from promptlint.source import Place, Span

_MADE_SET = re.compile(r"(?:(?:frozen)?set\(.*\)|\{.*\})", re.DOTALL)
_WALK = re.compile(r"for\s+\w+\s+in\s+")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_STRINGS = r"""(?:"[^"\\\n]*"|'[^'\\\n]*')(?:\s*,\s*(?:"[^"\\\n]*"|'[^'\\\n]*'))*\s*,?\s*"""
_WRITTEN_NAMES = re.compile(rf"\{{\s*{_STRINGS}\}}|(?:frozen)?set\(\s*[\[({{]\s*{_STRINGS}[\])}}]\s*\)")
_NAMES_OF = re.compile(r"""(?:(?:frozen)?set\(\s*)?[\[({]?\s*\w+(?:\.\w+)*(?:\.name|\[["']name["']\])\s+for\s""")


def fixes_of(cause: Cause, hole: Place) -> tuple[Fix, ...]:
    """What an edit of a hole can do about the cause in it."""
    match cause.kind:
        case "order":
            return _sorted(cause.place, hole)
        case "clock":
            return date_alone(cause, hole)
    return ()


def sorted_keys(call: Call, hole: Place) -> tuple[Fix, ...]:
    """`sort_keys=True` for a call of `json.dumps` in a Python program that says nothing of it.

    Keys in JSON are strings, which always have an order.
    """
    place = Place(hole.source, call.span)
    text = place.text
    named = {name for name, _ in call.keywords}
    plain = text.endswith(")") and named.isdisjoint({"sort_keys", "**"}) and "**" not in text
    if not is_python(hole.source.path) or not text.startswith("json.dumps(") or not plain:
        return ()
    inside = text[:-1].rstrip()
    at = call.span.start + len(inside)
    edit = Edit(Place(hole.source, Span(at, at)), " sort_keys=True" if inside.endswith(",") else ", sort_keys=True")
    return (Fix("write the keys in sorted order", Safety.SAFE, (edit,)),)


def sorted_names(cause: Cause, loop: Place) -> tuple[Fix, ...]:
    """`sorted(...)` around a set of names where a loop of a Python program walks it.

    Only where the set itself says that its members are strings: of objects no key is certain.
    """
    made, text, head = cause.place, loop.source.text, _WALK.match(loop.text)
    if made is None or head is None or made.source is not loop.source or not is_python(loop.source.path):
        return ()
    walked = Place(loop.source, Span(loop.span.start + head.end(), loop.span.end))
    plain = _DOTTED.fullmatch(walked.text) is not None or walked == made
    written, named = _WRITTEN_NAMES.fullmatch(made.text), _NAMES_OF.match(made.text)
    if not plain or not (written or named) or text[walked.span.end : walked.span.end + 1] in (".", "[", "("):
        return ()
    edit = Edit(walked, f"sorted({walked.text})")
    return (Fix("sort the names", Safety.SAFE if written else Safety.UNSAFE, (edit,)),)


def _sorted(made: Place | None, hole: Place) -> tuple[Fix, ...]:
    """Sort a collection where it is written. One that has a name stays what it is: others may add to it.

    What `str.join` takes is strings, which always have an order; of other members that is not known.
    """
    if made is None or made.source is not hole.source:
        return ()
    text, start, end = made.source.text, made.span.start, made.span.end
    if not hole.span.holds(made.span) or text[end : end + 1] in (".", "[", "("):
        return ()
    if is_python(made.source.path) and not hole.text.startswith("{{"):
        if not _MADE_SET.fullmatch(made.text):
            return ()
        joined = text[hole.span.start : start].rstrip().endswith(".join(") and text[end:].lstrip().startswith(")")
        safety = Safety.SAFE if joined else Safety.UNSAFE
        return (Fix("sort it", safety, (Edit(made, f"sorted({made.text})"),)),)
    if not hole.text.startswith("{{"):
        return ()
    # Without `case_sensitive`, "a" and "A" are equal, and stay in the order of the set.
    return (Fix("sort it", Safety.UNSAFE, (Edit(made, f"{made.text} | sort(case_sensitive=true)"),)),)
