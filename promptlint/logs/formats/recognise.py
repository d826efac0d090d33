"""Which format a file is in, and the calls in its documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from promptlint.data import unknown
from promptlint.logs.call import Call
from promptlint.logs.formats import gateways, har, plain, sessions, traces

Numbered = tuple[int, Any]
Calls = Callable[[Any], Iterator[Call]]
_LOOKED_AT = 32
"""Documents at the start of a file by which its format is told."""

ODD = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""What reading a record of an unexpected form raises."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: `owns` says whether a document is one of its records, `begin` gives what reads those of a file.

    In a session a record means what those before it say, and `owns` knows only the telling ones.
    """

    name: str
    owns: Callable[[Any], bool]
    begin: Callable[[], Calls]
    is_session: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """A document, the calls in it, and why it was not read whole; "" where nothing is missing."""

    line: int
    document: Any
    calls: list[Call]
    reason: str


FORMATS = (
    Format("codex", sessions.is_codex, sessions.Codex, is_session=True),
    Format("claude-code", sessions.is_claude_code, sessions.ClaudeCode, is_session=True),
    Format("har", har.is_record, lambda: har.calls),
    Format("traces", traces.is_record, lambda: traces.calls),
    Format("litellm", gateways.is_litellm, lambda: gateways.litellm),
    Format("helicone", gateways.is_helicone, lambda: gateways.helicone),
    Format("langfuse", gateways.is_langfuse, lambda: gateways.langfuse),
    Format("requests", plain.is_record, lambda: plain.calls),
)
"""From the most telling to the one that everybody writes."""


def records(documents: Iterable[Numbered], chosen: Format | None = None) -> Iterator[Record]:
    """The documents of one file with their calls; `chosen` is the format, None to tell it from the first ones."""
    rest = iter(documents)
    if chosen is None:
        start = list(islice(rest, _LOOKED_AT))
        chosen = _told(start)
        rest = chain(start, rest)
    read = chosen.begin()
    for line, document in rest:
        calls, reason = [], ""
        try:
            if chosen.is_session or chosen.owns(document):
                for call in read(document):
                    calls.append(call)  # those before an odd one are kept
            else:
                reason = "no request of a known form"
        except ODD as error:
            reason = odd(error)
        yield Record(line, document, calls, reason)


def format_of(documents: Iterable[Numbered]) -> Format:
    """The format of a file that begins with the documents; of them no more are read than tell it."""
    return _told(list(islice(documents, _LOOKED_AT)))


def _told(start: Sequence[Numbered]) -> Format:
    return recognised([document for _, document in start]) or FORMATS[-1]


def odd(error: Exception) -> str:
    """Why a record that raises this is skipped."""
    return f"a request of an odd form ({type(error).__name__}: {str(error)[:80]})"


def recognised(documents: Sequence[Any]) -> Format | None:
    """The first format that owns one of the documents, None when none does."""
    return next((form for form in FORMATS if any(_owns(form, document) for document in documents)), None)


def format_named(name: str) -> Format:
    """The format of that name. Raises ValueError with the nearest one."""
    by_name = {form.name: form for form in FORMATS}
    if name not in by_name:
        raise unknown("log format", name, by_name)
    return by_name[name]


def _owns(form: Format, document: Any) -> bool:
    try:
        return form.owns(document)
    except ODD:
        return False
