"""A request body while it is read: its parts in the order tools, system, messages, its markers and settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from promptlint.events import Evidence
from promptlint.expression import Literal
from promptlint.prompt import ProviderHint, Section
from promptlint.readers.inside import Held
from promptlint.readers.json_strings import JsonArray, JsonNode, JsonObject, JsonScalar, JsonString, Member
from promptlint.source import Span
from promptlint.unit import MarkerSource, ParameterSource

MEDIA = (
    *("image", "image_url", "input_image", "audio", "audio_url", "input_audio", "video", "video_url"),
    *("document", "file", "input_file"),
)
"""Types of parts that are media, and keys that hold one, in requests shaped like OpenAI's."""

MARKERS = ("cache_control", "prompt_cache_breakpoint")
"""Members of a part, or of a tool, that ask for a breakpoint behind it."""


@dataclass(frozen=True, slots=True)
class Verbatim:
    """JSON that the model is given as it stands, without what is cut out of it."""

    span: Span
    cut: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Opaque:
    """What nothing can be known about, such as what the provider keeps. The span is the words that say so."""

    span: Span


@dataclass(frozen=True, slots=True)
class Medium:
    """An image, a sound, a film or a file: the words that say so, and the strings that say which one."""

    span: Span
    given: tuple[Held, ...]


Content = Held | Verbatim | Opaque | Medium


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a message of the request; `turn` counts the messages. A section that is None follows the role."""

    content: Content
    role: str | None
    turn: int
    section: Section | None = None


@dataclass(slots=True)
class Draft:
    """What one request body says. The role of tools is None.

    `complete` is false when the provider adds to it; `sent` says that it is no template, whatever stands in it.
    `strings` are the settings that are strings, by their span.
    """

    body: JsonObject
    parts: list[Part] = field(default_factory=list)
    markers: list[MarkerSource] = field(default_factory=list)
    parameters: list[ParameterSource] = field(default_factory=list)
    provider: ProviderHint | None = None
    model: str | None = None
    complete: bool = True
    sent: bool = False
    strings: dict[Span, Held] = field(default_factory=dict)
    _turn: int = -1
    _role: str | None = None
    _section: Section | None = None

    def turn(self, role: str | None, section: Section | None = None) -> None:
        """The parts that follow are those of another message."""
        self._turn += 1
        self._role, self._section = role, section

    def text(self, node: JsonNode | None, role: str | None = None) -> None:
        """A part that is the text of a string. Empty ones, and what is no string, are left out."""
        if isinstance(node, JsonString) and node.value:
            self._add(node.held, role)

    def verbatim(self, node: JsonNode | None, role: str | None = None) -> None:
        """A part that is JSON; its markers are not part of what the model reads."""
        if node is not None:
            self._add(Verbatim(node.span, tuple(sorted(_marked(node)))), role)

    def opaque(self, span: Span, role: str | None = None) -> None:
        self._add(Opaque(span), role)

    def medium(self, span: Span, node: JsonNode | None, role: str | None = None) -> None:
        """A part that is the medium which the strings below the node stand for."""
        self._add(Medium(span, tuple(_strings(node))), role)

    def mark(self, node: JsonNode | None, *keys: str, automatic: bool = False, site: str = "block") -> None:
        """The markers among the members of an object, behind the part that was added last."""
        if not isinstance(node, JsonObject):
            return
        for key in keys or MARKERS:
            member = node.member(key)
            if member is not None and isinstance(member.value, JsonObject):
                ttl = string(member.value.get("ttl"))
                self.markers.append(MarkerSource(len(self.parts) - 1, member.span, ttl, automatic, site))

    def settings(self, *paths: str) -> None:
        """The settings at these paths of the body, those that are there and not null."""
        for path in paths:
            node: JsonNode | None = self.body
            for step in path.split("."):
                node = node.get(step, snake(step)) if isinstance(node, JsonObject) else None
            if node is None or (isinstance(node, JsonScalar) and node.value is None):
                continue
            literal = Literal(node.value, node.span) if isinstance(node, JsonString | JsonScalar) else None
            self.parameters.append(ParameterSource(path, node.span, literal))
            if isinstance(node, JsonString):
                self.strings[node.span] = node.held

    def hint(self, provider: str, declared: bool) -> None:
        self.provider = ProviderHint(provider, Evidence.DECLARATION if declared else Evidence.SHAPE)

    def _add(self, content: Content, role: str | None) -> None:
        self.parts.append(Part(content, role or self._role, self._turn, self._section))


def string(node: JsonNode | None) -> str | None:
    """The value of a string; None for anything else."""
    return node.value if isinstance(node, JsonString) else None


def items(node: JsonNode | None) -> tuple[JsonNode, ...]:
    """The items of an array; none for anything else."""
    return node.items if isinstance(node, JsonArray) else ()


def objects(node: JsonNode | None) -> Iterator[JsonObject]:
    """The objects among the items of an array."""
    return (item for item in items(node) if isinstance(item, JsonObject))


def said(block: JsonObject) -> Span:
    """The words that name a block's kind; the block itself when it has none."""
    kind = block.get("type")
    return (kind if kind is not None else block).span


def snake(name: str) -> str:
    """`systemInstruction` as `system_instruction`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _strings(node: JsonNode | None) -> Iterator[Held]:
    """Every string below a node, in order; keys are none."""
    left = [node]
    while left:
        match left.pop():
            case JsonString(held=held):
                yield held
            case JsonArray(items=below):
                left.extend(reversed(below))
            case JsonObject(members=members):
                left.extend(member.value for member in reversed(members))


def _marked(node: JsonNode) -> Iterator[Span]:
    """Markers on a JSON object, and on the function in a tool, each with the comma beside it."""
    owners = [node, node.get("function")] if isinstance(node, JsonObject) else []
    for owner in owners:
        if isinstance(owner, JsonObject):
            for index, member in enumerate(owner.members):
                if member.key.value in MARKERS:
                    yield _with_comma(owner.members, index)


def _with_comma(members: tuple[Member, ...], index: int) -> Span:
    span = members[index].span
    if index + 1 < len(members):
        return Span(span.start, members[index + 1].span.start)
    return Span(members[index - 1].span.end if index else span.start, span.end)
