"""From an offset in a serialised piece to the place in the file where that character was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.comparing.serialised import compact, escaped_step, is_checkpoint, is_marker, is_verbatim
from promptlint.readers.json_strings import JsonArray, JsonNode, JsonObject, JsonString, Member
from promptlint.source import Span

_WRITTEN = re.compile(r"\\u[0-9a-f]{4}|\\.|.", re.DOTALL)
"""What json.dumps writes for one character."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """A key, a scalar or a sign of a serialised piece.

    `start` is the offset of its text in the piece, `span` where it stands in the file, `pointer` the path of the
    value, or of the object or array that a key or sign belongs to. `string` is set for a string's value.
    """

    start: int
    text: str
    span: Span
    pointer: str
    string: JsonString | None = None

    def character(self, offset: int) -> int:
        """Which character of the string the piece's character at `offset` belongs to."""
        assert self.string is not None
        inside = offset - self.start - 1
        if len(self.text) == len(self.string.value) + 2:
            return max(0, min(inside, len(self.string.value)))
        written = _WRITTEN.finditer(self.text, 1, len(self.text) - 1)
        return sum(1 for each in written if each.end() - 1 <= inside)


def node_at(root: JsonNode, pointer: str) -> JsonNode | None:
    """The value that a JSON pointer leads to."""
    node: JsonNode | None = root
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        match node:
            case JsonObject():
                node = node.get(name)
            case JsonArray() if name.isdigit() and int(name) < len(node.items):
                node = node.items[int(name)]
            case _:
                return None
    return node


def fragment_at(node: JsonNode, pointer: str, offset: int) -> Fragment:
    """The fragment of a serialised value that holds the character at `offset`; the last one at the end."""
    start = 0
    for text, span, path, string in _fragments(node, pointer, ""):
        fragment = Fragment(start, text, span, path, string)
        start += len(text)
        if start > offset:
            break
    return fragment


def member_around(root: JsonNode, pointer: str) -> Span | None:
    """The member, key and all, whose value the pointer leads to."""
    parent, _, step = pointer.rpartition("/")
    node = node_at(root, parent)
    member = node.member(step.replace("~1", "/").replace("~0", "~")) if isinstance(node, JsonObject) else None
    return member.span if member is not None else None


_Written = tuple[str, Span, str, JsonString | None]


def _fragments(node: JsonNode, pointer: str, key: str) -> Iterator[_Written]:
    match node:
        case JsonObject():
            yield "{", Span(node.span.start, node.span.start + 1), pointer, None
            kept = [each for each in _members(node) if is_verbatim(key) or not is_marker(each.key.value)]
            for index, member in enumerate(kept):
                name, span = member.key.value, member.key.span
                yield ("," if index else "") + compact(name) + ":", span, pointer, None
                below = key if is_verbatim(key) else name
                yield from _fragments(member.value, pointer + escaped_step(name), below)
            yield "}", Span(node.span.end - 1, node.span.end), pointer, None
        case JsonArray():
            yield "[", Span(node.span.start, node.span.start + 1), pointer, None
            shown = [(at, item) for at, item in enumerate(node.items) if is_verbatim(key) or not _is_checkpoint(item)]
            for index, (at, item) in enumerate(shown):
                if index:
                    yield ",", Span(item.span.start, item.span.start + 1), pointer, None
                yield from _fragments(item, f"{pointer}/{at}", key if is_verbatim(key) else "")
            yield "]", Span(node.span.end - 1, node.span.end), pointer, None
        case JsonString():
            yield compact(node.value), node.span, pointer, node
        case _:
            yield compact(node.value), node.span, pointer, None


def _members(node: JsonObject) -> list[Member]:
    """The members as json.loads has them: of a key that stands there twice the first place and the last value."""
    found: dict[str, Member] = {}
    for member in node.members:
        found[member.key.value] = member
    return list(found.values())


def _is_checkpoint(item: JsonNode) -> bool:
    return isinstance(item, JsonObject) and is_checkpoint([member.key.value for member in item.members])
