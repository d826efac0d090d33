"""Chat presets in JSON as SillyTavern exports them: prompts in an order, some of which stand for what a chat brings.

`prompts`, `prompt_order`, `marker` and the injection fields are read as `default/content/presets/openai/Default.json`
and `public/scripts/PromptManager.js` of SillyTavern have them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.prompt import Field, Section
from promptlint.readers.json_strings import JsonArray, JsonNode, JsonObject, JsonScalar, JsonString, parse
from promptlint.readers.vendors.assembly import opaque, string_template
from promptlint.readers.vendors.draft import items, objects, string
from promptlint.source import Source
from promptlint.unit import Message, PromptSource, Unit

_KEYWORD = re.compile(r'"prompts"\s*:\s*\[')
_EVERY_CHARACTER = 100001
"""The character whose order holds for all that have none of their own."""

_IN_CHAT = 1
"""The `injection_position` of a prompt that stands so many messages above the newest one."""

_SECTIONS = (
    (re.compile(r"chat(?:history)?|history"), Section.HISTORY),
    (re.compile(r"worldinfo.*|lore(?:book)?"), Section.RETRIEVED),
    (re.compile(r"(?:dialogue|chat)?examples"), Section.EXAMPLES),
)
_ROLES = ("system", "user", "assistant")
_SAID_BY = {"user": Section.USER, "assistant": Section.HISTORY}


@dataclass(frozen=True, slots=True)
class _Entry:
    node: JsonObject
    name: str
    marker: bool

    @property
    def section(self) -> Section | None:
        """What a marker stands for; None when its name does not tell."""
        name = self.name.replace("_", "").lower()
        return next((section for pattern, section in _SECTIONS if self.marker and pattern.fullmatch(name)), None)

    @property
    def depth(self) -> int | None:
        """How many messages stand below a prompt inside the chat; None for one that stands outside."""
        if _whole(self.node.get("injection_position")) != _IN_CHAT:
            return None
        return _whole(self.node.get("injection_depth")) or 0


def read(source: Source, dialect: str | None = None) -> Unit:
    """The preset as one prompt; none when the file is no preset. Never raises on odd input."""
    if _KEYWORD.search(source.text) is None:
        return Unit(source, ())
    root, problems = parse(source.text, 0, len(source.text))
    entries = _entries(root) if isinstance(root, JsonObject) else None
    if not isinstance(root, JsonObject) or not entries:
        return Unit(source, ())
    messages = tuple(_messages(_in_chat(_ordered(entries, root.get("prompt_order"))), dialect or "macros"))
    found = tuple(problem for message in messages for problem in message.template.problems)
    return Unit(source, (PromptSource("", messages),), (*problems, *found))


def _entries(root: JsonObject) -> list[_Entry] | None:
    """The preset's prompts; None when this is none: each needs a name, and at least one marks a place."""
    entries: list[_Entry] = []
    for node in items(root.get("prompts")):
        if not isinstance(node, JsonObject):
            return None
        name, role = string(node.get("identifier", "id")), string(node.get("role"))
        if name is None or (role is not None and role not in _ROLES):
            return None
        entries.append(_Entry(node, name, _is_set(node.get("marker"))))
    known = any(entry.marker for entry in entries) or isinstance(root.get("prompt_order"), JsonArray)
    return entries if known else None


def _ordered(entries: Sequence[_Entry], order: JsonNode | None) -> list[_Entry]:
    """The prompts that are sent, in order: those that `prompt_order` names and enables, or all that are enabled."""
    lists = list(objects(order))
    if not lists:
        return [entry for entry in entries if not _is_off(entry.node)]
    nested = [each for each in lists if isinstance(each.get("order"), JsonArray)]
    for_all = [each for each in nested if _whole(each.get("character_id")) == _EVERY_CHARACTER]
    steps = list(objects((for_all or nested)[-1].get("order"))) if nested else lists
    named = {entry.name: entry for entry in entries}
    names = [string(step.get("identifier", "id")) for step in steps if not _is_off(step)]
    return [named[name] for name in names if name in named]


def _in_chat(entries: Sequence[_Entry]) -> list[_Entry]:
    """The prompts with those inside the chat behind the chat's marker: more messages move past them each turn."""
    outside = [entry for entry in entries if entry.depth is None]
    inside = sorted((entry for entry in entries if entry.depth is not None), key=lambda entry: -(entry.depth or 0))
    chat = next((at for at, entry in enumerate(outside) if entry.section is Section.HISTORY), len(outside) - 1)
    return [*outside[: chat + 1], *inside, *outside[chat + 1 :]]


def _messages(entries: Sequence[_Entry], dialect: str) -> Iterator[Message]:
    talking = False
    for entry in entries:
        role, content = string(entry.node.get("role")) or "system", entry.node.get("content")
        section = entry.section
        talking = talking or section is Section.HISTORY or role != "system"
        field = Field.MESSAGES if talking else Field.SYSTEM
        if entry.marker:
            role = "assistant" if section is Section.HISTORY else role
            yield Message(opaque(entry.node.span), role, section or Section.SYSTEM, field)
        elif isinstance(content, JsonString) and content.value:
            yield Message(string_template(content.held, dialect), role, _SAID_BY.get(role, Section.SYSTEM), field)


def _is_set(node: JsonNode | None) -> bool:
    """A marker is true, or names what it marks."""
    return bool(node.value) if isinstance(node, JsonScalar | JsonString) else False


def _is_off(node: JsonObject) -> bool:
    enabled = node.get("enabled", "enable")
    return isinstance(enabled, JsonScalar) and enabled.value is False


def _whole(node: JsonNode | None) -> int | None:
    return node.value if isinstance(node, JsonScalar) and type(node.value) is int else None
