"""Responses: openai 3.57.0 (`responses.response_create_params`, `responses.response_input_item_param`)."""

from __future__ import annotations

import re

from promptlint.prompt import Section
from promptlint.readers.json_strings import JsonArray, JsonNode, JsonObject, JsonString
from promptlint.readers.vendors.draft import MEDIA, Draft, items, objects, said, string
from promptlint.readers.vendors.openai_chat import OWN_MODEL, ROLES, is_message

_OTHER_MODEL = re.compile(r"embed|moderation|whisper|tts|dall-e|image|sora|rerank", re.IGNORECASE)
_OWN = (
    "instructions",
    "max_output_tokens",
    "previous_response_id",
    "conversation",
    "include",
    "context_management",
    "prompt_cache_key",
    "prompt_cache_options",
    "truncation",
    "parallel_tool_calls",
    "max_tool_calls",
)
_KEPT = ("previous_response_id", "conversation")
_SETTINGS = (
    "prompt_cache_key",
    "prompt_cache_options.mode",
    "prompt_cache_options.ttl",
    "prompt_cache_retention",
    "tool_choice",
    "parallel_tool_calls",
    "reasoning.effort",
    "text.format",
    "text.verbosity",
    "context_management",
    "truncation",
    "service_tier",
    "previous_response_id",
    "conversation",
    "prompt",
    "user",
)


def read(body: JsonObject, url: str | None = None) -> Draft | None:
    """The body as a call of Responses; None when it is none. `url` is the endpoint that a batch names."""
    given, model = body.get("input"), string(body.get("model"))
    if _OTHER_MODEL.search(model or "") or not _is_input(given, body, url):
        return None
    draft = Draft(body, model=model)
    for tool in objects(body.get("tools")):
        draft.turn(None)
        draft.verbatim(tool)
        draft.mark(tool, site="tool")
    draft.turn("system")
    if (stored := body.member("prompt")) is not None and isinstance(stored.value, JsonObject):
        draft.opaque(stored.span)
        draft.complete = False
    draft.text(body.get("instructions"))
    for key in _KEPT:
        if (kept := body.member(key)) is not None and isinstance(kept.value, JsonString | JsonObject):
            draft.turn("assistant", Section.HISTORY)
            draft.opaque(kept.span)
            draft.complete = False
    if isinstance(given, JsonString):
        draft.turn("user")
        draft.text(given)
    for item in objects(given):
        _item(draft, item)
    draft.settings(*_SETTINGS)
    own = model is None or OWN_MODEL.match(model.lower()) is not None
    if own or url is not None:
        draft.hint("openai", declared=model is not None or url is not None)
    return draft


def _is_input(given: JsonNode | None, body: JsonObject, url: str | None) -> bool:
    """Embeddings, moderations and records of data sets have an `input` as well: a bare string speaks for nothing."""
    called = (url or "").endswith("/responses")
    settings = any(isinstance(body.get(key), JsonObject) for key in ("reasoning", "text", "prompt"))
    own = called or settings or any(body.get(key) is not None for key in _OWN)
    if isinstance(given, JsonString):
        return own and (called or string(body.get("model")) is not None or isinstance(body.get("prompt"), JsonObject))
    if not isinstance(given, JsonArray) or not given.items:
        return own and given is None and isinstance(body.get("prompt"), JsonObject)
    return all(_is_item(item) for item in given.items) and (own or any(is_message(item) for item in given.items))


def _is_item(item: JsonNode) -> bool:
    if not isinstance(item, JsonObject):
        return False
    kind = string(item.get("type"))
    return is_message(item) or kind == "additional_tools" or (kind is not None and item.get("role") is None)


def _item(draft: Draft, item: JsonObject) -> None:
    kind = string(item.get("type")) or "message"
    role = string(item.get("role"))
    if kind == "additional_tools":
        draft.turn("developer", Section.TOOLS)
        for tool in objects(item.get("tools")):
            draft.verbatim(tool)
    elif role in ROLES:
        draft.turn(ROLES[role])
        _content(draft, item.get("content"))
    elif kind.endswith(("_output", "_response")):
        draft.turn("tool")
        _output(draft, item)
    elif kind == "reasoning":
        draft.turn("assistant")
        _content(draft, item.get("summary"))
        _content(draft, item.get("content"))
        if isinstance(item.get("encrypted_content"), JsonString):
            draft.opaque(said(item))
    elif kind in ("compaction", "item_reference"):
        draft.turn("assistant", Section.HISTORY)
        draft.opaque(said(item))
    else:
        draft.turn("assistant")
        draft.verbatim(item)


def _content(draft: Draft, content: JsonNode | None) -> None:
    draft.text(content)
    for part in objects(content):
        if isinstance(text := part.get("text", "refusal"), JsonString):
            draft.text(text)
        elif string(part.get("type")) in MEDIA:
            draft.medium(said(part), part)
        else:
            draft.opaque(said(part))
        draft.mark(part)


def _output(draft: Draft, item: JsonObject) -> None:
    output = item.get("output", "result", "approve")
    if isinstance(output, JsonString) or (items(output) and all(_is_part(part) for part in items(output))):
        _content(draft, output)
    else:
        draft.verbatim(output or item)


def _is_part(node: JsonNode) -> bool:
    return (string(node.get("type")) or "").startswith("input_") if isinstance(node, JsonObject) else False
