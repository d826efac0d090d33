"""Bodies as they were sent, pairs of request and response, lines of batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from promptlint.logs.call import Call
from promptlint.logs.values import first, measured, opened, seconds

TIMES = (
    "timestamp",
    "time",
    "ts",
    "created_at",
    "createdAt",
    "request_time",
    "start_time",
    "startTime",
    "started_at",
    "date",
    "created",
    "request.created_at",
    "request.timestamp",
    "response.created",
    "response.created_at",
)
CONVERSATIONS = (
    "conversation_id",
    "session_id",
    "sessionId",
    "thread_id",
    "conversation",
    "session",
    "metadata.conversation_id",
    "metadata.session_id",
)
OWNERS = (
    "organization",
    "organisation",
    "org",
    "workspace",
    "workspace_id",
    "project",
    "api_key_id",
    "api_key",
    "tenant",
)
_REQUESTS = (
    "request.body",
    "request_body",
    "requestBody",
    "body",
    "request",
    "params",
    "payload",
    "input.inputBodyJson",
    "input",
)
_RESPONSES = ("response.body", "response_body", "responseBody", "response", "output.outputBodyJson", "output", "result")
_USAGES = ("usage", "usageMetadata", "usage_metadata")
_IDS = ("request_id", "requestId", "custom_id", "id", "key")


def is_body(value: Any) -> bool:
    """Whether the object can be the body of a request."""
    if not isinstance(value, Mapping):
        return False
    if isinstance(value.get("messages"), list) or isinstance(value.get("contents"), list):
        return True
    return "instructions" in value or ("input" in value and "model" in value)


def is_record(document: Any) -> bool:
    """Whether the document is a body or holds one where pairs and batches do."""
    return isinstance(document, Mapping) and (is_body(document) or _inner(document) is not None)


def calls(document: Mapping[str, Any]) -> Iterator[Call]:
    """The call in a document of which `is_record` holds."""
    inner = _inner(document)
    body = inner if inner is not None else document
    response = opened(first(document, _RESPONSES)) if not is_body(first(document, _RESPONSES)) else None
    yield Call(
        body,
        usage_of(response) or usage_of(document),
        seconds(first(document, TIMES)),
        _text(first(document, _IDS)) or _text(response.get("id") if isinstance(response, Mapping) else None),
        _text(first(document, CONVERSATIONS)) or _text(first(body, CONVERSATIONS)),
        "/".join(filter(None, (_text(document.get(name)) for name in OWNERS))),
        _text(body.get("model") or body.get("modelId") or document.get("model")),
        _text(document.get("provider")),
    )


def usage_of(response: Any) -> Any:
    """The token counts in a response, in `body` or `response` of it, or in the last of its events; None without."""
    if isinstance(response, list):
        found = [usage for event in response if (usage := usage_of(opened(event))) is not None]
        return found[-1] if found else None
    if not isinstance(response, Mapping):
        return None
    for name in _USAGES:
        if (usage := measured(response.get(name))) is not None:
            return usage
    return next(
        (usage for name in ("body", "response", "message") if (usage := usage_of(opened(response.get(name))))), None
    )


def _inner(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The body inside a record; None where the record is a body itself or holds none."""
    if is_body(document) and not any(isinstance(document.get(name), Mapping) for name in ("request", "body", "params")):
        return None
    for path in _REQUESTS:
        value = opened(first(document, (path,)))
        if is_body(value):
            return value  # type: ignore[no-any-return]
    return None


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
