"""Messages: anthropic 2.14.0 (`message_create_params`, `beta.message_create_params`, `content_block_param`)."""

from __future__ import annotations

from promptlint.readers.json_strings import JsonNode, JsonObject, JsonString
from promptlint.readers.vendors.draft import Draft, items, objects, said, string
from promptlint.readers.vendors.openai_chat import ROLES, is_message

_OWN_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "document", "search_result"})
_OWN = ("anthropic_version", "anthropic_beta", "output_config", "mcp_servers", "speed")
_SETTINGS = (
    "tool_choice",
    "thinking",
    "output_config.effort",
    "output_config.format",
    "speed",
    "service_tier",
    "context_management",
    "compaction",
    "mcp_servers",
    "container",
)


def read(body: JsonObject, declared: bool = False) -> Draft | None:
    """The body as a call of Messages; None when it is none. `declared` says that its file calls it one."""
    messages = items(body.get("messages"))
    if not messages or not all(is_message(message) for message in messages):
        return None
    model, version = string(body.get("model")), string(body.get("anthropic_version"))
    named = (model or "").lower().startswith("claude")
    if not declared and not _is_shape(body, named):
        return None
    draft = Draft(body, model=model)
    for tool in objects(body.get("tools")):
        draft.turn(None)
        draft.verbatim(tool)
        draft.mark(tool, site="tool")
    draft.turn("system")
    _content(draft, body.get("system"))
    for message in objects(body.get("messages")):
        draft.turn(ROLES[string(message.get("role")) or "user"])
        _content(draft, message.get("content"))
        draft.mark(message, site="message")
    draft.mark(body, "cache_control", automatic=True, site="request")
    draft.settings(*_SETTINGS)
    draft.hint("bedrock" if (version or "").startswith("bedrock") else "anthropic", declared or named or bool(version))
    return draft


def _is_shape(body: JsonObject, named: bool) -> bool:
    """Whether anything tells this from a chat completion; a model of the vendor's does where nothing speaks against."""
    system = body.get("system")
    if isinstance(system, JsonString) or (items(system) and all(_has_type(block) for block in items(system))):
        return True
    if any(body.get(key) is not None for key in _OWN) or isinstance(body.get("cache_control"), JsonObject):
        return True
    if any(tool.get("input_schema") is not None for tool in objects(body.get("tools"))):
        return True
    messages = list(objects(body.get("messages")))
    if any(string(message.get("role")) not in ("user", "assistant") for message in messages):
        return False
    blocks = [block for message in messages for block in objects(message.get("content"))]
    if any(string(block.get("type")) in _OWN_BLOCKS or block.get("cache_control", "source") for block in blocks):
        return True
    return named and not any(part.get("tool_calls", "image_url", "input_audio") for part in (*messages, *blocks))


def _has_type(block: JsonNode) -> bool:
    return isinstance(block, JsonObject) and string(block.get("type")) is not None


def _content(draft: Draft, content: JsonNode | None, role: str | None = None) -> None:
    draft.text(content, role)
    for block in objects(content):
        _block(draft, block, role)
        draft.mark(block, site=_site(block))


def _site(block: JsonObject) -> str:
    kind = string(block.get("type"))
    if kind in ("thinking", "redacted_thinking"):
        return "thinking"
    return "empty text" if kind == "text" and string(block.get("text")) == "" else "block"


def _block(draft: Draft, block: JsonObject, role: str | None) -> None:
    kind = string(block.get("type")) or "text"
    match kind:
        case "text" | "thinking":
            draft.text(block.get(kind), role)
        case "tool_result" | "mcp_tool_result" if role is None:
            _content(draft, block.get("content"), "tool")
        case "document":
            draft.text(block.get("title"), role)
            draft.text(block.get("context"), role)
            _source(draft, block, role)
        case "search_result":
            draft.text(block.get("title"), role)
            _texts(draft, block.get("content"), role)
        case "image":
            draft.medium(said(block), block.get("source"), role)
        case "container_upload":
            draft.medium(said(block), block, role)
        case "redacted_thinking" | "compaction":
            draft.opaque(said(block), role)
        case _:
            draft.verbatim(block, "tool" if kind.endswith("_result") else role)


def _source(draft: Draft, block: JsonObject, role: str | None) -> None:
    source = block.get("source")
    match string(source.get("type")) if isinstance(source, JsonObject) else None, source:
        case "text", JsonObject():
            draft.text(source.get("data"), role)
        case "content", JsonObject():
            _texts(draft, source.get("content"), role)
        case _:
            draft.medium(said(block), source, role)


def _texts(draft: Draft, content: JsonNode | None, role: str | None) -> None:
    """What a document or search result holds: text and images."""
    draft.text(content, role)
    for block in objects(content):
        if string(block.get("type")) == "image":
            draft.medium(said(block), block.get("source"), role)
        draft.text(block.get("text"), role)
