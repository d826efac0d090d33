"""generateContent: google-genai 3.6.1 (`types.Content`, `types.Part`, `types.GenerateContentConfig` and the converters
in `models`), as the API spells it (camel case) and as the SDK does (snake case, settings below `config`).
"""

from __future__ import annotations

from dataclasses import replace

from promptlint.prompt import Section
from promptlint.readers.json_strings import JsonArray, JsonNode, JsonObject, JsonString
from promptlint.readers.vendors.draft import Draft, items, objects, snake, string
from promptlint.unit import MarkerSource

_ROLES = {"user": "user", "model": "assistant", "function": "tool", "tool": "tool", "system": "system"}
_CALLS = ("functionCall", "toolCall", "executableCode")
_RESULTS = ("functionResponse", "toolResponse", "codeExecutionResult")
_MEDIA = ("inlineData", "fileData")
_PARTS = ("text", *_MEDIA, *_CALLS, *_RESULTS)
_SETTINGS = ("cachedContent", "toolConfig", "serviceTier")
_GENERATION = (
    "thinkingConfig",
    "responseMimeType",
    "responseSchema",
    "responseJsonSchema",
    "responseModalities",
    "mediaResolution",
)


def read(body: JsonObject) -> Draft | None:
    """The body as a call of generateContent; None when it is none."""
    contents = items(body.get("contents"))
    if not contents or not all(_is_content(content) for content in contents):
        return None
    config = body.get("config")
    settings = config if isinstance(config, JsonObject) else body
    draft = Draft(body, model=string(body.get("model")))
    cached = settings.member("cachedContent", "cached_content")
    if cached is not None and isinstance(cached.value, JsonString):
        draft.turn("system", Section.SYSTEM)
        draft.opaque(cached.key.span)
        draft.markers.append(MarkerSource(0, cached.span))
    for tool in objects(settings.get("tools")):
        _tool(draft, tool)
    draft.turn("system")
    _parts(draft, settings.get("systemInstruction", "system_instruction"))
    for content in objects(body.get("contents")):
        draft.turn(_ROLES[string(content.get("role")) or "user"])
        _parts(draft, content)
    prefix = "config." if settings is config else ""
    draft.settings(*(prefix + name for name in _SETTINGS))
    generation = prefix or "generationConfig."
    draft.settings(*(generation + name for name in _GENERATION))
    draft.parameters = [replace(each, name=each.name.removeprefix(prefix)) for each in draft.parameters]
    draft.hint("gemini" if cached is None else "gemini-explicit", declared="gemini" in (draft.model or "").lower())
    return draft


def _is_content(node: JsonNode) -> bool:
    if not isinstance(node, JsonObject) or (string(node.get("role")) or "user") not in _ROLES:
        return False
    parts = node.get("parts")
    if not isinstance(parts, JsonArray) or not parts.items:
        return False
    return all(isinstance(part, JsonObject) and part.get(*_names(_PARTS)) is not None for part in parts.items)


def _names(names: tuple[str, ...]) -> tuple[str, ...]:
    return (*names, *(snake(name) for name in names))


def _tool(draft: Draft, tool: JsonObject) -> None:
    functions = tool.get("functionDeclarations", "function_declarations")
    for each in objects(functions) if isinstance(functions, JsonArray) else (tool,):
        draft.turn(None)
        draft.verbatim(each)


def _parts(draft: Draft, content: JsonNode | None) -> None:
    """A Content; systemInstruction may be its parts alone, one part, or a bare string as well."""
    parts = content.get("parts") if isinstance(content, JsonObject) else None
    given = parts if parts is not None else content
    for part in given.items if isinstance(given, JsonArray) else (given,):
        if isinstance(part, JsonObject):
            _part(draft, part)
        else:
            draft.text(part)


def _part(draft: Draft, part: JsonObject) -> None:
    if (media := part.member(*_names(_MEDIA))) is not None:
        draft.medium(media.key.span, media.value)
    elif (call := part.get(*_names(_CALLS))) is not None:
        draft.verbatim(call, "assistant")
    elif (result := part.get(*_names(_RESULTS))) is not None:
        draft.verbatim(result, "tool")
    else:
        draft.text(part.get("text"))
