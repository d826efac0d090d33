"""Logs of gateways and their watchers: LiteLLM (`StandardLoggingPayload`), Langfuse observations, Helicone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from promptlint.logs.call import Call
from promptlint.logs.formats.plain import is_body, usage_of
from promptlint.logs.values import at, first, measured, opened, seconds


def is_litellm(document: Any) -> bool:
    return (
        isinstance(document, Mapping)
        and "call_type" in document
        and ("messages" in document or "startTime" in document)
    )


def litellm(document: Mapping[str, Any]) -> Iterator[Call]:
    settings = opened(document.get("model_parameters") or document.get("optional_params"))
    messages = opened(document.get("messages"))
    proxied = opened(at(document, "proxy_server_request.body") or at(document, "proxy_server_request"))
    if is_body(messages):
        body: Any = messages
    elif isinstance(messages, list) and messages:
        body = {**(settings if isinstance(settings, Mapping) else {}), "messages": messages}
    else:
        body = proxied if is_body(proxied) else None
    names = ("user_api_key_org_id", "user_api_key_team_id", "user_api_key_hash", "user_api_key")
    metadata = opened(document.get("metadata"))
    yield Call(
        body,
        usage_of(opened(document.get("response")))
        or measured(at(document, "metadata.usage_object"))
        or measured(document),
        seconds(document.get("startTime")),
        _text(document.get("litellm_call_id") or document.get("id") or document.get("request_id")),
        _text(document.get("session_id") or document.get("trace_id") or at(document, "metadata.session_id")),
        "/".join(_text(metadata.get(name)) for name in names).strip("/") if isinstance(metadata, Mapping) else "",
        _text(document.get("model")),
        _text(document.get("custom_llm_provider")),
    )


def is_langfuse(document: Any) -> bool:
    if not isinstance(document, Mapping):
        return False
    return "type" in document and any(name in document for name in ("traceId", "trace_id")) and "input" in document


def langfuse(document: Mapping[str, Any]) -> Iterator[Call]:
    if str(document["type"]).upper() != "GENERATION":
        return
    given = opened(document["input"])
    settings = opened(first(document, ("modelParameters", "model_parameters")))
    settings = settings if isinstance(settings, Mapping) else {}
    if isinstance(given, list):
        given = {**settings, "messages": given}
    elif isinstance(given, str):
        given = {**settings, "messages": [{"role": "user", "content": given}]}
    elif isinstance(given, Mapping):
        given = {**settings, **given}
    usage = opened(first(document, ("usageDetails", "usage_details", "usage")))
    yield Call(
        given if is_body(given) else None,
        _langfuse_usage(usage),
        seconds(first(document, ("startTime", "start_time"))),
        _text(document.get("id")),
        _text(
            first(
                document, ("sessionId", "session_id", "trace.sessionId", "metadata.session_id", "traceId", "trace_id")
            )
        ),
        _text(first(document, ("projectId", "project_id"))),
        _text(first(document, ("model", "providedModelName", "internalModel"))),
    )


def is_helicone(document: Any) -> bool:
    if not isinstance(document, Mapping):
        return False
    return "request_created_at" in document or any(
        name in document for name in ("helicone_request_id", "request_body_id")
    )


def helicone(document: Mapping[str, Any]) -> Iterator[Call]:
    body = next(
        (found for path in ("request_body", "request.body", "request") if is_body(found := opened(at(document, path)))),
        None,
    )
    response = opened(first(document, ("response_body", "response.body", "response")))
    yield Call(
        body,
        usage_of(response) or measured(document),
        seconds(document.get("request_created_at")),
        _text(document.get("request_id") or document.get("helicone_request_id")),
        _text(first(document, ("request_properties.Helicone-Session-Id", "properties.Helicone-Session-Id"))),
        _text(document.get("organization_id") or document.get("helicone_org_id")),
        _text(first(document, ("request_model", "model", "response_model"))),
        _text(document.get("provider")).lower(),
    )


def _langfuse_usage(usage: Any) -> Any:
    """Langfuse keeps parts that add up: `input` is what is left of the input once cached tokens are apart."""
    if isinstance(usage, Mapping) and isinstance(usage.get("input"), int):
        parts = {name: value for name, value in usage.items() if name.startswith(("input", "cache_"))}
        total = sum(value for value in parts.values() if isinstance(value, int))
        return measured({**usage, "prompt_tokens": total})
    return measured(usage)


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
