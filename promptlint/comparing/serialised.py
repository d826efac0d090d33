"""A request as one text: its parts in render order, each with its path. Knows no files: logs have none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from promptlint.prompt import Field

_PLACES = {
    Field.TOOLS: ("tools", "functions", "toolConfig.tools", "config.tools"),
    Field.SYSTEM: (
        "system",
        "instructions",
        "systemInstruction",
        "system_instruction",
        "config.systemInstruction",
        "config.system_instruction",
    ),
    Field.MESSAGES: ("messages", "contents", "input", "prompt"),
}
"""Where requests of OpenAI, Anthropic, Gemini and Bedrock hold each field."""

_SYSTEM_ROLES = ("system", "developer")
_MARKERS = frozenset({"cache_control", "prompt_cache_breakpoint"})
_VERBATIM = frozenset(
    {"input_schema", "inputSchema", "parameters", "parametersJsonSchema", "input", "arguments", "args"}
)
"""Members that hold what the model reads as it stands: a property called `cache_control` in there is no marker."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One tool, block of system text or message of a request, or one stretch of a template.

    `pointer` is the JSON pointer (RFC 6901) from the request's body, "" in a template. `text` is compact JSON in
    insertion order without cache markers, or the template's own text. `condition` are the branches and loops of a
    template that the stretch stands under; `whole` says that it is a hole, whose source is not the text it writes.
    """

    field: Field
    pointer: str
    text: str
    condition: str = ""
    whole: bool = False


def serialised(body: object, order: Sequence[str]) -> tuple[Piece, ...]:
    """The pieces of a request body, or of a bare list of messages, in render order; their texts follow each other.

    `body` is what json.loads gives. System messages above all others count as the system field, as they do when they
    are rendered. Raises RecursionError for a body that is nested deeper than Python's json writes.
    """
    ranks = {name: rank for rank, name in enumerate(order)}
    pieces = [Piece(field, pointer, compact(unmarked(value))) for field, pointer, value in _elements(body)]
    return tuple(sorted(pieces, key=lambda piece: ranks[piece.field.value]))


def compact(value: object) -> str:
    """The value as JSON without blanks, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def unmarked(value: object, key: str = "") -> object:
    """The value without the cache markers in it; `key` is the member that holds it."""
    if key in _VERBATIM:
        return value
    if isinstance(value, Mapping):
        return {name: unmarked(held, name) for name, held in value.items() if not is_marker(name)}
    if isinstance(value, list):
        return [unmarked(item) for item in value if not (isinstance(item, Mapping) and is_checkpoint(item))]
    return value


def is_marker(name: str) -> bool:
    """Whether a member of this name is a cache marker, outside of what is read verbatim."""
    return name in _MARKERS


def is_verbatim(key: str) -> bool:
    """Whether the model reads what this member holds as it stands."""
    return key in _VERBATIM


def is_checkpoint(keys: Mapping[str, object] | Sequence[str]) -> bool:
    """Whether an element of a list with these keys is nothing but a marker (Bedrock's `cachePoint`)."""
    return list(keys) == ["cachePoint"]


def escaped_step(name: str) -> str:
    """A step of a JSON pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _elements(body: object) -> Iterator[tuple[Field, str, object]]:
    if isinstance(body, list):
        yield from _list(Field.MESSAGES, "", body)
        return
    for field, places in _PLACES.items():
        for place in places:
            held = body
            for step in place.split("."):
                held = held.get(step) if isinstance(held, Mapping) else None
            pointer = "".join(map(escaped_step, place.split(".")))
            if isinstance(held, list):
                yield from _list(field, pointer, held)
            elif held is not None and held != "":
                yield field, pointer, held


def _list(field: Field, pointer: str, items: Sequence[object]) -> Iterator[tuple[Field, str, object]]:
    above = field is Field.MESSAGES
    for index, item in enumerate(items):
        if isinstance(item, Mapping) and is_checkpoint(item):
            continue
        above = above and isinstance(item, Mapping) and item.get("role") in _SYSTEM_ROLES
        yield Field.SYSTEM if above else field, f"{pointer}/{index}", item
