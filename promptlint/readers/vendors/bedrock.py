"""Converse on Amazon Bedrock: botocore 1.43.11 (service model bedrock-runtime, shape ConverseRequest)."""

from __future__ import annotations

from promptlint.readers.json_strings import JsonArray, JsonNode, JsonObject, Member
from promptlint.readers.vendors.draft import Draft, items, objects, string

_ROLES = ("user", "assistant", "system")
_MEDIA = ("image", "document", "video", "audio")
_BLOCKS = (
    "text",
    *_MEDIA,
    "toolUse",
    "toolResult",
    "guardContent",
    "cachePoint",
    "reasoningContent",
    "citationsContent",
    "searchResult",
)
_SETTINGS = (
    "toolConfig.toolChoice",
    "additionalModelRequestFields",
    "outputConfig",
    "performanceConfig",
    "serviceTier",
    "guardrailConfig",
)


def read(body: JsonObject) -> Draft | None:
    """The body as a call of Converse; None when it is none."""
    messages = items(body.get("messages"))
    if not messages or not all(_is_message(message) for message in messages):
        return None
    if not any(items(message.get("content")) for message in objects(body.get("messages"))):
        return None
    draft = Draft(body, model=string(body.get("modelId")))
    tools = body.get("toolConfig")
    for tool in objects(tools.get("tools")) if isinstance(tools, JsonObject) else ():
        if tool.get("cachePoint") is None:
            draft.turn(None)
            draft.verbatim(tool)
        draft.mark(tool, "cachePoint", site="tool")
    draft.turn("system")
    _blocks(draft, body.get("system"))
    for message in objects(body.get("messages")):
        draft.turn(string(message.get("role")))
        _blocks(draft, message.get("content"))
    draft.settings(*_SETTINGS)
    draft.hint("bedrock", declared=draft.model is not None)
    return draft


def _is_message(node: JsonNode) -> bool:
    """Blocks are told by their one key; whoever else has blocks gives them a `type`."""
    if not isinstance(node, JsonObject) or string(node.get("role")) not in _ROLES:
        return False
    content = node.get("content")
    return isinstance(content, JsonArray) and all(_is_block(block) for block in content.items)


def _is_block(node: JsonNode) -> bool:
    return isinstance(node, JsonObject) and node.get("type") is None and node.get(*_BLOCKS) is not None


def _blocks(draft: Draft, content: JsonNode | None, role: str | None = None) -> None:
    for block in objects(content):
        member = block.member(*_BLOCKS, "json")
        if member is not None:
            _block(draft, member, role)
        draft.mark(block, "cachePoint")


def _block(draft: Draft, member: Member, role: str | None) -> None:
    value = member.value
    match member.key.value:
        case "text":
            draft.text(value, role)
        case "toolResult" if role is None:
            _blocks(draft, value.get("content") if isinstance(value, JsonObject) else None, "tool")
        case "toolUse" | "toolResult" | "json":
            draft.verbatim(value, role)
        case "guardContent" | "reasoningContent":
            inner = value.get("text", "reasoningText") if isinstance(value, JsonObject) else None
            if isinstance(inner, JsonObject):
                draft.text(inner.get("text"), role)
            else:
                draft.opaque(member.key.span, role)
        case "citationsContent" | "searchResult":
            for item in objects(value.get("content") if isinstance(value, JsonObject) else None):
                draft.text(item.get("text"), role)
        case "cachePoint":
            pass
        case _:
            draft.medium(member.key.span, value, role)
