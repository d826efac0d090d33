"""HAR, what browsers and proxies save: HTTP exchanges with their bodies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from promptlint.logs.call import Call
from promptlint.logs.formats.plain import CONVERSATIONS, is_body, usage_of
from promptlint.logs.values import at, first, opened, seconds

_KEYS = ("x-api-key", "authorization", "api-key", "openai-organization")


def is_record(document: Any) -> bool:
    return isinstance(at(document, "log.entries"), list) or (
        isinstance(document, Mapping) and "startedDateTime" in document and "request" in document
    )


def calls(document: Mapping[str, Any]) -> Iterator[Call]:
    entries = at(document, "log.entries")
    for entry in entries if isinstance(entries, list) else (document,):
        body = opened(at(entry, "request.postData.text"))
        if not is_body(body):
            continue
        yield Call(
            body,
            usage_of(_response(at(entry, "response.content.text"))),
            seconds(entry.get("startedDateTime")),
            str(entry.get("_id") or ""),
            str(first(body, CONVERSATIONS) or ""),
            _owner(entry),
            str(body.get("model") or ""),
            _host(str(at(entry, "request.url") or "")),
        )


def _response(text: Any) -> Any:
    """A response, or the events of one that was streamed."""
    if not isinstance(text, str) or text[:1] == "{":
        return opened(text)
    lines = (line[5:].strip() for line in text.splitlines() if line.startswith("data:"))
    return [opened(line) for line in lines]


def _owner(entry: Mapping[str, Any]) -> str:
    """A digest of the key that was used: entries are not shared across keys' owners, and the key itself is a secret."""
    import hashlib

    headers = at(entry, "request.headers")
    values = {
        str(header.get("name", "")).lower(): str(header.get("value", ""))
        for header in (headers if isinstance(headers, list) else ())
        if isinstance(header, Mapping)
    }
    found = next((values[name] for name in _KEYS if values.get(name)), "")
    return hashlib.blake2b(found.encode(), digest_size=6).hexdigest() if found else ""


def _host(url: str) -> str:
    host = url.partition("://")[2].partition("/")[0].lower()
    for part, name in (
        ("anthropic", "anthropic"),
        ("azure", "azure"),
        ("openrouter", "openrouter"),
        ("amazonaws", "bedrock"),
    ):
        if part in host:
            return name
    return ""
