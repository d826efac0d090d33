"""The date alone, where a program or template writes date and time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from promptlint.events import Cause
from promptlint.finding import Edit, Fix, Safety
from promptlint.program import is_script
from promptlint.source import Place, Span

_STRFTIME = re.compile(r"""strftime(?:_now)?\(\s*(?P<quote>["'])(?P<format>[^"'\\]*)(?P=quote)\s*[,)]""")
_SPECIFIED = re.compile(r"\{[^{}:!\"']+:(?P<format>[^{}:]*%[^{}]*)\}")
"""A replacement field with a format: https://docs.python.org/3/library/string.html#format-string-syntax"""

_DATE_THEN_TIME = re.compile(
    r"(?P<date>[^%]*(?:%-?[YymdBbAajeFDGVu][^%]*?)+?)[\s,T]*(?:\bat\b\s*)?(?P<time>%-?[HIMSpfzZTRc][^%]*(?:%-?[HIMSpfzZ][^%]*)*)"
)
_NOW = r"\bdatetime\.(?:now|utcnow)\([^()]*(?:\([^()]*\)[^()]*)*\)"
_ISO = re.compile(rf"{_NOW}(?P<call>\.isoformat\([^()]*\))(?![.\[])")
_BARE = re.compile(rf"\{{\{{?\s*(?:str\()?(?:\w+\.)?{_NOW}(?P<end>)\)?\s*\}}\}}?")

_DATE = r"\bnew Date\(\)"
_ISO_STRING = re.compile(rf"{_DATE}\.toISOString\(\)(?P<end>)(?!\s*[.\[?])")
_SHOWN = re.compile(rf"{_DATE}\.(?P<call>toLocaleString|toString)\((?P<given>[^(){{}}]*)\)(?!\s*[.\[?])")
_NAMES = {"toLocaleString": "toLocaleDateString", "toString": "toDateString"}
"""https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Date: what writes the date alone."""

_SET = re.compile(r"(?P<name>[A-Za-z_$][\w$]*)\s*(?::\s*\w+\s*)?=\s*$")


def date_alone(cause: Cause, hole: Place) -> tuple[Fix, ...]:
    """Show the date alone where a format, or a call that can be no other, shows date and time.

    Where a name is written, the call that it is set to is changed, when the name stands nowhere else in the file.
    """
    region = _region(cause, hole)
    found = list(_edits(region)) if region is not None else []
    if region is None or len(found) != 1:
        return ()
    ((start, end), text) = found[0]
    edit = Edit(Place(region.source, Span(start, end).shifted(region.span.start)), text)
    return (Fix("show the date alone", Safety.UNSAFE, (edit,)),) if edit.place.text != text else ()


def _region(cause: Cause, hole: Place) -> Place | None:
    """The hole, or the rest of the line on which the one name in it is set to the clock."""
    made = cause.place
    if made is None or (made.source is hole.source and hole.span.holds(made.span)):
        return hole
    if _SPECIFIED.fullmatch(hole.text):
        return hole
    text = made.source.text
    given = _SET.search(text, text.rfind("\n", 0, made.span.start) + 1, made.span.start)
    if made.source is not hole.source or given is None:
        return None
    uses = re.findall(rf"(?<![\w$.]){re.escape(given['name'])}(?![\w$])", text)
    if len(uses) != 2 or hole.text.strip("${} \t") != given["name"]:
        return None
    line = text.find("\n", made.span.end)
    return Place(made.source, Span(made.span.start, line if line >= 0 else len(text)))


def _edits(region: Place) -> Iterator[tuple[tuple[int, int], str]]:
    text = region.text
    if is_script(region.source.path):
        for found in _ISO_STRING.finditer(text):
            yield found.span("end"), ".slice(0, 10)"
        for found in _SHOWN.finditer(text):
            if found["call"] == "toLocaleString" or not found["given"].strip():
                yield found.span("call"), _NAMES[found["call"]]
        return
    for pattern in (_STRFTIME, _SPECIFIED):
        for found in pattern.finditer(text):
            shown = _DATE_THEN_TIME.fullmatch(found["format"])
            yield found.span("format"), shown["date"].rstrip(" ,T") if shown is not None else found["format"]
    for found in _ISO.finditer(text):
        yield found.span("call"), ".date().isoformat()"
    if (bare := _BARE.fullmatch(text)) is not None:
        yield bare.span("end"), ".date()"
