"""Chat completions, and what others shaped like them: openai 3.57.0 (`chat.completion_create_params`), cohere 7.3.1
(`v2.client.chat`: `documents`, `thinking` parts).
"""

from __future__ import annotations

import re

from promptlint.prompt import Section
from promptlint.readers.json_strings import JsonArray, JsonNode, JsonObject, JsonScalar, JsonString
from promptlint.readers.vendors.draft import MEDIA, Draft, items, objects, said, string

ROLES = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
OWN_MODEL = re.compile(r"(?:openai/|ft:)?(?:gpt-|chatgpt-|o[1-9](?:-|\Z))")

_CALLS = ("tool_calls", "function_call", "audio")
_OWN_SETTINGS = (
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning_effort",
    "verbosity",
    "max_completion_tokens",
    "safety_identifier",
    "store",
    "prediction",
    "web_search_options",
    "functions",
)
_SETTINGS = (
    "prompt_cache_key",
    "prompt_cache_options.mode",
    "prompt_cache_options.ttl",
    "prompt_cache_retention",
    "tool_choice",
    "function_call",
    "parallel_tool_calls",
    "reasoning_effort",
    "verbosity",
    "response_format",
    "service_tier",
    "web_search_options",
    "modalities",
    "thinking",
    "user",
    "user_id",
    "cache_salt",
    "extra_key",
    "prompt_cache_isolation_key",
    "session_id",
    "reasoning.effort",
    "chat_template_kwargs.date_string",
    "chat_template_kwargs.preserve_thinking",
)


def is_message(node: JsonNode) -> bool:
    """Whether this is a message: a role that is known, and content or calls."""
    if not isinstance(node, JsonObject) or (string(node.get("role")) or "") not in ROLES:
        return False
    content = node.get("content")
    if isinstance(content, JsonArray):
        return all(isinstance(item, JsonObject | JsonString) for item in content.items)
    if content is None or (isinstance(content, JsonScalar) and content.value is None):
        return any(node.get(key) is not None for key in (*_CALLS, "refusal", "reasoning_content"))
    return isinstance(content, JsonString)


def read(body: JsonObject, url: str | None = None) -> Draft | None:
    """The body as a chat completion; None when it is none. `url` is the endpoint that a batch names."""
    messages = items(body.get("messages"))
    if not messages or not all(is_message(message) for message in messages):
        return None
    draft = Draft(body, model=string(body.get("model")))
    for tool in objects(body.get("tools")):
        _tool(draft, tool)
    for function in objects(body.get("functions")):
        _tool(draft, function)
    add_messages(draft, messages)
    if isinstance(documents := body.get("documents"), JsonArray) and documents.items:
        draft.turn("system", Section.RETRIEVED)
        draft.verbatim(documents)
    draft.settings(*_SETTINGS)
    _hint(draft, url)
    return draft


def read_messages(messages: JsonArray) -> Draft | None:
    """A list of messages that stands alone: what else the request holds is not said. None for answers alone."""
    if not any(string(message.get("role")) != "assistant" for message in objects(messages)):
        return None
    draft = Draft(JsonObject(messages.span, ()), complete=False)
    add_messages(draft, messages.items)
    return draft


def add_messages(draft: Draft, messages: tuple[JsonNode, ...]) -> None:
    """The parts of messages, each with its role."""
    for message in messages:
        if isinstance(message, JsonObject):
            name = string(message.get("name")) or ""
            # Few-shots as system messages: the names that OpenAI's cookbook gives them.
            shown = Section.EXAMPLES if name in ("example_user", "example_assistant") else None
            draft.turn(ROLES.get(string(message.get("role")) or "", "user"), shown)
            _message(draft, message)


def _message(draft: Draft, message: JsonObject) -> None:
    draft.text(message.get("reasoning_content"))
    draft.text(message.get("tool_plan"))
    content = message.get("content")
    draft.text(content)
    for part in items(content):
        if isinstance(part, JsonObject):
            _part(draft, part)
        else:
            draft.text(part)
    draft.text(message.get("refusal"))
    for key in _CALLS:
        calls = message.get(key)
        if isinstance(calls, JsonArray | JsonObject):
            draft.verbatim(calls)
    draft.mark(message, site="chat message")


def _part(draft: Draft, part: JsonObject) -> None:
    kind = part.get("type")
    if isinstance(text := part.get("text", "thinking", "refusal"), JsonString):
        draft.text(text)
    elif string(kind) in MEDIA:
        draft.medium(said(part), part)
    elif kind is not None:
        draft.opaque(kind.span)
    elif (media := part.member(*MEDIA)) is not None:
        draft.medium(media.key.span, media.value)
    draft.mark(part)


def _tool(draft: Draft, tool: JsonObject) -> None:
    draft.turn(None)
    draft.verbatim(tool)
    draft.mark(tool, site="tool")
    draft.mark(tool.get("function"), site="tool")


def _hint(draft: Draft, url: str | None) -> None:
    """A foreign model's name is left to speak for itself: everyone takes requests of this shape."""
    body, model = draft.body, (draft.model or "").lower()
    if OWN_MODEL.match(model):
        draft.hint("openai", declared=True)
    elif "claude" in model:
        draft.hint("anthropic", declared=True)
    elif not model and url is not None:
        draft.hint("openai", declared=True)
    elif not model and (any(body.get(key) is not None for key in _OWN_SETTINGS) or _speaks_openai(body)):
        draft.hint("openai", declared=False)


def _speaks_openai(body: JsonObject) -> bool:
    if any(isinstance(tool.get("function"), JsonObject) for tool in objects(body.get("tools"))):
        return True
    messages = list(objects(body.get("messages")))
    if any(string(message.get("role")) == "developer" or message.get("tool_calls") is not None for message in messages):
        return True
    parts = (part for message in messages for part in objects(message.get("content")))
    return any(part.get("image_url", "input_audio", "prompt_cache_breakpoint") is not None for part in parts)
