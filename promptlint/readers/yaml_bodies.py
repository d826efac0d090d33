"""Request bodies in YAML: read as the vendors define them, where the file asks something of the cache."""

from __future__ import annotations

import re

from promptlint.readers.inside import Held
from promptlint.readers.json_strings import JsonArray, JsonNode, JsonObject, JsonScalar, JsonString, Member
from promptlint.readers.request_shapes import draft_of
from promptlint.readers.vendors.draft import Draft
from promptlint.readers.yaml_strings import DEEPEST, YamlMapping, YamlNode, YamlScalar, YamlSequence
from promptlint.source import Span

_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_CLOSES = re.compile(r"\s{0,200},?\s{0,200}[}\]]")
_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


def body_of(node: YamlNode, text: str) -> Draft | None:
    """The document of a file's text as a request with breakpoints or settings; None for any other, read by its keys.

    Prompt files of frameworks have messages as well, and more ways to say what is a prompt than a request has.
    """
    if not isinstance(node, YamlMapping) or not {"messages", "input", "contents"} & node.fields().keys():
        return None
    body = _Bodies(text).node(node, 0)
    draft = draft_of(body) if isinstance(body, JsonObject) else None
    return draft if draft is not None and (draft.markers or draft.parameters) else None


class _Bodies:
    """Turns each node once: a node behind several aliases stays one object."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._done: dict[int, JsonNode] = {}

    def node(self, node: YamlNode, depth: int) -> JsonNode:
        """The node as JSON has it. What lies too deep, and an alias to what holds it, is null."""
        if isinstance(node, YamlScalar):
            return _scalar(node)
        if id(node) not in self._done:
            self._done[id(node)] = JsonScalar(Span(node.start, node.start), None)
            if depth <= DEEPEST:
                self._done[id(node)] = self._collection(node, depth + 1)
        return self._done[id(node)]

    def _collection(self, node: YamlSequence | YamlMapping, depth: int) -> JsonArray | JsonObject:
        if isinstance(node, YamlSequence):
            items = tuple(self.node(item, depth) for item in node.items)
            return JsonArray(self._span(node.start, items), items)
        values = {name: self.node(value, depth) for name, value in node.fields().items()}
        members = tuple(Member(_key(node, name), value) for name, value in values.items())
        return JsonObject(self._span(node.start, tuple(values.values())), members)

    def _span(self, start: int, inside: tuple[JsonNode, ...]) -> Span:
        """From the start to the last end inside, or to its bracket; what an alias brings in stands elsewhere."""
        end = max((node.span.end for node in inside if node.span.start >= start), default=start + 1)
        closed = _CLOSES.match(self._text, end) if self._text.startswith(("{", "["), start) else None
        return Span(start, closed.end() if closed is not None else end)


def _scalar(node: YamlScalar) -> JsonString | JsonScalar:
    if node.style or node.tag:
        return JsonString(node.held())
    word = node.value.lower()
    if word in _WORDS:
        return JsonScalar(node.span, _WORDS[word])
    if _NUMBER.fullmatch(node.value):
        return JsonScalar(node.span, float(node.value) if set(node.value) & set(".eE") else int(node.value))
    return JsonString(node.held())


def _key(node: YamlMapping, name: str) -> Held:
    """The key where it stands; one that is merged into the mapping stands at its beginning."""
    own = [key for key, _ in node.pairs if isinstance(key, YamlScalar) and key.value == name]
    return own[-1].held() if own else Held(name, (), (), Span(node.start, node.start))
