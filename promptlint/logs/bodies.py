"""Request bodies as pieces: what the model reads, in the order of the fields, with the path of each piece.

The shapes are those of the vendors' SDKs that `readers/vendors` names; here bodies are plain values, because a log
holds many of them and no position in the file is wanted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from promptlint.logs.record import MESSAGES, SYSTEM, TOOLS, Piece

_MARKS = ("cache_control", "prompt_cache_breakpoint", "cachePoint")
_SYSTEM_ROLES = ("system", "developer")
_MEDIA = (
    "image",
    "image_url",
    "input_image",
    "input_audio",
    "input_file",
    "audio",
    "video",
    "video_url",
    "file",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
)
_MEDIA_FROM = 2_048
"""Characters from which a block of media is data rather than a reference: its digest stands for it."""

Fields = dict[str, list[Piece]]
"""The pieces of each field."""


def fields_of(body: Mapping[str, Any]) -> Fields | None:
    """The pieces of a request body by field, None when the object is no request."""
    fields: Fields = {TOOLS: [], SYSTEM: [], MESSAGES: []}
    _tools(fields, body)
    if isinstance(contents := body.get("contents"), list):
        own = body.get("config")
        config = own if isinstance(own, dict) else body
        instruction = next((config[key] for key in ("systemInstruction", "system_instruction") if key in config), None)
        prefix = "config." if config is not body else ""
        _content(fields[SYSTEM], f"{prefix}systemInstruction", "system", instruction)
        for at, content in enumerate(contents):
            if isinstance(content, dict):
                role = str(content.get("role") or "user")
                _content(fields[MESSAGES], f"contents[{at}].parts", role, content.get("parts"))
    elif isinstance(messages := body.get("messages"), list) and _all_objects(messages):
        _content(fields[SYSTEM], "system", "system", body.get("system"))
        _messages(fields, messages, "messages")
    elif "input" in body or "instructions" in body:
        _content(fields[SYSTEM], "instructions", "system", body.get("instructions"))
        given = body.get("input")
        if isinstance(given, list) and _all_objects(given):
            _messages(fields, given, "input")
        else:
            _content(fields[MESSAGES], "input", "user", given)
    elif isinstance(prompt := body.get("prompt"), str):
        _content(fields[MESSAGES], "prompt", "user", prompt)
    if not fields[MESSAGES] and not fields[SYSTEM]:
        return None
    if (mark := _mark(body)) and (last := fields[MESSAGES] or fields[SYSTEM]):
        last[-1] = _marked(last[-1], mark)
    return fields


def _all_objects(items: list[Any]) -> bool:
    return set(map(type, items)) <= {dict}


def compact(value: Any) -> str:
    """The value as JSON without blanks, its keys in their own order: msgspec's, several times as fast as json's, but
    for halves of surrogate pairs, which it does not write."""
    import msgspec

    try:
        return msgspec.json.encode(value).decode()
    except (UnicodeEncodeError, TypeError):
        import json

        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _tools(fields: Fields, body: Mapping[str, Any]) -> None:
    nested = body.get("toolConfig")
    sources: Iterator[tuple[str, Any]] = iter(
        (
            ("tools", body.get("tools")),
            ("functions", body.get("functions")),
            ("toolConfig.tools", nested.get("tools") if isinstance(nested, dict) else None),
        )
    )
    pieces = fields[TOOLS]
    for path, tools in sources:
        for at, tool in enumerate(tools if isinstance(tools, list) else ()):
            if not isinstance(tool, dict):
                continue
            bare, mark = _without_mark(tool)
            if not bare:
                if pieces and mark:
                    pieces[-1] = _marked(pieces[-1], mark)
                continue
            declared = bare.get("functionDeclarations", bare.get("function_declarations"))
            if isinstance(declared, list) and len(bare) == 1:
                pieces.extend(
                    Piece(f"{path}[{at}].functionDeclarations[{number}]", TOOLS, "tool", compact(each))
                    for number, each in enumerate(declared)
                )
            else:
                pieces.append(Piece(f"{path}[{at}]", TOOLS, "tool", compact(bare), mark))


def _messages(fields: Fields, messages: Sequence[Mapping[str, Any]], path: str) -> None:
    talking = False
    for at, message in enumerate(messages):
        role = message.get("role")
        if role is None:
            role = "tool" if str(message.get("type", "")).endswith("_output") else "assistant"
        talking = talking or role not in _SYSTEM_ROLES
        pieces = fields[MESSAGES if talking else SYSTEM]
        content = message.get("content")
        if len(message) == 2 and type(content) is str and content and type(role) is str:
            # Nearly all messages of nearly all logs are this.
            pieces.append(Piece(f"{path}[{at}].content", MESSAGES if talking else SYSTEM, role, content))
            continue
        _message(pieces, f"{path}[{at}]", str(role), message)


def _message(pieces: list[Piece], path: str, role: str, message: Mapping[str, Any]) -> None:
    before = len(pieces)
    field = SYSTEM if role in _SYSTEM_ROLES else MESSAGES
    opening = role
    for key in ("reasoning_content", "content", "refusal", "parts"):
        _content(pieces, f"{path}.{key}", opening, message.get(key), field)
        opening = "" if len(pieces) > before else role
    rest: dict[str, Any] = {}
    for key, value in message.items():
        if key in ("tool_calls", "function_call", "tool_call_id") or ("role" not in message and key not in _MARKS):
            rest[key] = value
    if rest and not (len(rest) == 1 and not rest.get("tool_calls", True)):
        pieces.append(
            Piece(path if "role" not in message else f"{path}.{next(iter(rest))}", field, opening, compact(rest))
        )
    if len(pieces) > before and (mark := _mark(message)):
        pieces[-1] = _marked(pieces[-1], mark)


def _content(pieces: list[Piece], path: str, role: str, content: Any, field: str = "") -> None:
    """The pieces of a string, a block, or a list of them; the first opens a message of the role, if it has one."""
    field = field or (SYSTEM if role in _SYSTEM_ROLES else MESSAGES)
    if isinstance(content, str):
        if content:
            pieces.append(Piece(path, field, role, content))
    elif isinstance(content, dict) and isinstance(content.get("parts"), list):
        _content(pieces, f"{path}.parts", role, content["parts"], field)
    elif isinstance(content, dict):
        _block(pieces, path, role, content, field)
    elif isinstance(content, list):
        for at, block in enumerate(content):
            before = len(pieces)
            if isinstance(block, dict):
                _block(pieces, f"{path}[{at}]", role, block, field)
            elif isinstance(block, str) and block:
                pieces.append(Piece(f"{path}[{at}]", field, role, block))
            role = "" if len(pieces) > before else role


def _block(pieces: list[Piece], path: str, role: str, block: Mapping[str, Any], field: str) -> None:
    bare, mark = _without_mark(block)
    if not bare:
        if pieces and mark:
            pieces[-1] = _marked(pieces[-1], mark)
        return
    for key in ("text", "thinking", "refusal"):
        if isinstance(text := bare.get(key), str):
            if text:
                pieces.append(Piece(f"{path}.{key}", field, role, text, mark))
            return
    if bare.get("type") == "tool_result" and isinstance(bare.get("content"), str):
        pieces.append(Piece(f"{path}.content", field, role, bare["content"], mark))
        return
    text = compact(bare)
    if len(text) > _MEDIA_FROM and (bare.get("type") in _MEDIA or any(key in bare for key in _MEDIA)):
        text = f"media {hashlib.blake2b(text.encode('utf-8', 'replace'), digest_size=16).hexdigest()}"
    pieces.append(Piece(path, field, role, text, mark))


def _without_mark(block: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    mark = _mark(block)
    function = block.get("function")
    if isinstance(function, dict) and any(key in function for key in _MARKS):
        mark = mark or _mark(function)
        block = {**block, "function": {key: value for key, value in function.items() if key not in _MARKS}}
    if any(key in block for key in _MARKS):
        block = {key: value for key, value in block.items() if key not in _MARKS}
    return block, mark


def _mark(block: Mapping[str, Any]) -> str:
    for key in _MARKS:
        if isinstance(marker := block.get(key), dict):
            return str(marker.get("ttl") or "default")
    return ""


def _marked(piece: Piece, mark: str) -> Piece:
    return piece._replace(mark=mark)
