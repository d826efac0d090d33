"""Entries of `[[suppress]]` in the configuration."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path, PurePath

from promptlint.config import Config, Suppress
from promptlint.finding import Finding
from promptlint.readers.json_strings import JsonArray, JsonNode, JsonObject, parse
from promptlint.source import Place, Source

_LINES = frozenset({".jsonl", ".ndjson"})


def entries_for(path: Path, config: Config) -> tuple[Suppress, ...]:
    """The entries that speak of the file at `path`."""
    globs = set(config.matching(path, {entry.path for entry in config.suppress}))
    return tuple(entry for entry in config.suppress if entry.path in globs)


def hides(entry: Suppress, finding: Finding) -> bool:
    """Whether an entry for a finding's file speaks of the finding."""
    if entry.rule != finding.rule:
        return False
    if entry.text is not None and entry.text not in finding.place.text:
        return False
    if entry.at is None:
        return True
    at = pointer_at(finding.place)
    return at is not None and f"{at}/".startswith(f"{entry.at.rstrip('/')}/")


def pointer_at(place: Place) -> str | None:
    """JSON pointer (RFC 6901) of the value that a place lies in; in JSON lines from that line's value on.

    None in a file that is no JSON.
    """
    suffix = PurePath(place.source.path).suffix.lower()
    if suffix not in _LINES and suffix != ".json":
        return None
    start = place.span.start
    if suffix in _LINES:
        position = place.source.position(start)
        begin = start - position.column + 1
        end = begin + len(place.source.line(position.line))
    else:
        begin, end = 0, len(place.source.text)
    root = _parsed(place.source, begin, end)
    return "".join(_steps(root, start)) if root is not None else None


@lru_cache(maxsize=4)
def _parsed(source: Source, begin: int, end: int) -> JsonNode | None:
    return parse(source.text, begin, end)[0]


def _steps(node: JsonNode, offset: int) -> list[str]:
    steps: list[str] = []
    while True:
        inner = next(
            ((step, child) for step, child in _children(node) if child.span.start <= offset < child.span.end), None
        )
        if inner is None:
            return steps
        steps.append("/" + inner[0].replace("~", "~0").replace("/", "~1"))
        node = inner[1]


def _children(node: JsonNode) -> list[tuple[str, JsonNode]]:
    if isinstance(node, JsonObject):
        return [(member.key.value, member.value) for member in node.members]
    return [(str(at), item) for at, item in enumerate(node.items)] if isinstance(node, JsonArray) else []
