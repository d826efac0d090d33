"""Which format a file is in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from promptlint.logs.call import Call
from promptlint.logs.formats import gateways, har, plain, sessions, traces

Numbered = tuple[int, Any]
_LOOKED_AT = 32
"""Documents at the start of a file by which its format is told."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format: `owns` says whether a document is one of its records; one of the two others says what they hold."""

    name: str
    owns: Callable[[Any], bool]
    calls: Callable[[Any], Iterator[Call]] | None = None
    session: Callable[[Iterable[Numbered]], Iterator[tuple[int, Call]]] | None = None


FORMATS = (
    Format("codex", sessions.is_codex, session=sessions.codex),
    Format("claude-code", sessions.is_claude_code, session=sessions.claude_code),
    Format("har", har.is_record, har.calls),
    Format("traces", traces.is_record, traces.calls),
    Format("litellm", gateways.is_litellm, gateways.litellm),
    Format("helicone", gateways.is_helicone, gateways.helicone),
    Format("langfuse", gateways.is_langfuse, gateways.langfuse),
    Format("requests", plain.is_record, plain.calls),
)
"""From the most telling to the one that everybody writes."""


def calls(
    documents: Iterable[Numbered], strange: Callable[[int], None], chosen: Format | None = None
) -> Iterator[tuple[int, Call]]:
    """The calls in the documents of one file, each with its line; `strange` is told of lines that hold none.

    `chosen` is the format, None to tell it from the first documents.
    """
    rest = iter(documents)
    if chosen is None:
        start = list(islice(rest, _LOOKED_AT))
        chosen = recognised([document for _, document in start]) or FORMATS[-1]
        rest = chain(start, rest)
    if chosen.session is not None:
        yield from chosen.session(rest)
        return
    assert chosen.calls is not None
    for line, document in rest:
        if chosen.owns(document):
            for call in chosen.calls(document):
                yield line, call
        else:
            strange(line)


def recognised(documents: Sequence[Any]) -> Format | None:
    """The first format that owns one of the documents, None when none does."""
    return next((form for form in FORMATS if any(map(form.owns, documents))), None)
