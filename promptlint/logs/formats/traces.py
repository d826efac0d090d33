"""Spans of calls: the GenAI conventions of OpenTelemetry (semantic conventions, status Development) and OpenInference.

A span is read as OTLP writes it (`resourceSpans`, attributes as a list) and as SDKs print it (attributes as an object).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from promptlint.logs.call import Call
from promptlint.logs.record import Measured
from promptlint.logs.values import count, opened, seconds

Attributes = dict[str, Any]

_ROLES = {"model": "assistant"}


def is_record(document: Any) -> bool:
    if not isinstance(document, Mapping):
        return False
    if any(name in document for name in ("resourceSpans", "resource_spans")):
        return True
    return _is_call(_attributes(document))


def calls(document: Mapping[str, Any]) -> Iterator[Call]:
    for span, shared in _spans(document):
        attributes = {**shared, **_attributes(span)}
        if not _is_call(attributes):
            continue
        body = _gen_ai(attributes) or _open_inference(attributes)
        yield Call(
            body,
            _usage(attributes),
            seconds(
                next(
                    (
                        span[name]
                        for name in ("startTimeUnixNano", "start_time_unix_nano", "start_time")
                        if name in span
                    ),
                    None,
                )
            ),
            str(span.get("spanId") or span.get("span_id") or _context(span)),
            str(attributes.get("gen_ai.conversation.id") or attributes.get("session.id") or ""),
            str(attributes.get("openai.organization") or attributes.get("service.name") or ""),
            str(attributes.get("gen_ai.request.model") or attributes.get("llm.model_name") or ""),
            str(
                attributes.get("gen_ai.provider.name")
                or attributes.get("gen_ai.system")
                or attributes.get("llm.provider")
                or attributes.get("llm.system")
                or ""
            ),
        )


def _is_call(attributes: Attributes) -> bool:
    if attributes.get("openinference.span.kind") == "LLM":
        return True
    return any(name in attributes for name in ("gen_ai.request.model", "gen_ai.input.messages", "llm.model_name")) and (
        attributes.get("gen_ai.operation.name") not in ("embeddings", "execute_tool", "invoke_agent", "create_agent")
    )


def _spans(document: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Attributes]]:
    resources = document.get("resourceSpans", document.get("resource_spans"))
    if not isinstance(resources, list):
        yield document, {}
        return
    for resource in resources:
        shared = _attributes(resource.get("resource") or {})
        for scope in resource.get("scopeSpans") or resource.get("scope_spans") or ():
            for span in scope.get("spans") or ():
                yield span, shared


def _attributes(span: Mapping[str, Any]) -> Attributes:
    attributes = opened(span.get("attributes"))
    if isinstance(attributes, Mapping):
        return dict(attributes)
    if not isinstance(attributes, list):
        return {}
    return {
        item["key"]: _value(item.get("value")) for item in attributes if isinstance(item, Mapping) and "key" in item
    }


def _value(value: Any) -> Any:
    """An OTLP AnyValue as a plain one."""
    if not isinstance(value, Mapping) or not value:
        return value
    kind, inner = next(iter(value.items()))
    match kind:
        case "intValue":
            return int(inner)
        case "arrayValue":
            return [_value(item) for item in inner.get("values", ())]
        case "kvlistValue":
            return {item["key"]: _value(item.get("value")) for item in inner.get("values", ())}
    return inner


def _gen_ai(attributes: Attributes) -> Mapping[str, Any] | None:
    messages = opened(attributes.get("gen_ai.input.messages"))
    if not isinstance(messages, list):
        return None
    system = opened(attributes.get("gen_ai.system_instructions"))
    tools = opened(attributes.get("gen_ai.tool.definitions"))
    body: dict[str, Any] = {"messages": [_message(message) for message in messages if isinstance(message, Mapping)]}
    if system:
        body["system"] = [_part(part) for part in system] if isinstance(system, list) else system
    if isinstance(tools, list):
        body["tools"] = tools
    return body


def _message(message: Mapping[str, Any]) -> Mapping[str, Any]:
    role = str(message.get("role", "user"))
    parts = message.get("parts", message.get("content"))
    content = [_part(part) for part in parts] if isinstance(parts, list) else parts
    return {"role": _ROLES.get(role, role), "content": content}


def _part(part: Any) -> Any:
    if isinstance(part, Mapping) and part.get("type") in ("text", "reasoning") and isinstance(part.get("content"), str):
        return {"type": "text", "text": part["content"]}
    return part


def _open_inference(attributes: Attributes) -> Mapping[str, Any] | None:
    """OpenInference flattens lists: `llm.input_messages.0.message.role`."""
    raw = opened(attributes.get("input.value"))
    if isinstance(raw, Mapping) and isinstance(raw.get("messages"), list):
        return raw
    messages = [_flat_message(attributes, prefix) for prefix in _numbered(attributes, "llm.input_messages")]
    if not messages:
        return None
    tools = [opened(attributes.get(f"{prefix}.tool.json_schema")) for prefix in _numbered(attributes, "llm.tools")]
    settings = opened(attributes.get("llm.invocation_parameters"))
    return {**(settings if isinstance(settings, Mapping) else {}), "tools": tools, "messages": messages}


def _flat_message(attributes: Attributes, prefix: str) -> Mapping[str, Any]:
    content: Any = attributes.get(f"{prefix}.message.content")
    if content is None:
        content = [
            {"type": "text", "text": attributes.get(f"{inner}.message_content.text", "")}
            for inner in _numbered(attributes, f"{prefix}.message.contents")
        ]
    calls = [
        {
            "name": attributes.get(f"{inner}.tool_call.function.name"),
            "arguments": attributes.get(f"{inner}.tool_call.function.arguments"),
        }
        for inner in _numbered(attributes, f"{prefix}.message.tool_calls")
    ]
    message = {"role": attributes.get(f"{prefix}.message.role", "user"), "content": content}
    return {**message, "tool_calls": calls} if calls else message


def _numbered(attributes: Attributes, prefix: str) -> list[str]:
    length = len(prefix) + 1
    numbers = {
        int(number)
        for name in attributes
        if name.startswith(f"{prefix}.") and (number := name[length:].partition(".")[0]).isdigit()
    }
    return [f"{prefix}.{number}" for number in sorted(numbers)]


def _usage(attributes: Attributes) -> Measured | None:
    def counted(*names: str) -> int | None:
        found = (count(attributes.get(name)) for name in names)
        return next((number for number in found if number is not None), None)

    total = counted("gen_ai.usage.input_tokens", "llm.token_count.prompt")
    read = counted("gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read")
    write = counted("gen_ai.usage.cache_creation.input_tokens", "llm.token_count.prompt_details.cache_write")
    return Measured(total, read, write) if total is not None else None


def _context(span: Mapping[str, Any]) -> str:
    context = span.get("context")
    return str(context.get("span_id", "")) if isinstance(context, Mapping) else ""
