"""Session files of coding agents: usage for each turn. The prompt itself is not in them, so there is nothing to replay.

Claude Code writes a line for each block of an answer, all with the answer's id and usage; Codex writes token counts as
events of their own, below the line that names the session and the one that names the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from promptlint.logs.call import Call
from promptlint.logs.values import at, measured, seconds


def is_claude_code(document: Any) -> bool:
    return isinstance(document, Mapping) and "sessionId" in document and ("uuid" in document or "leafUuid" in document)


def claude_code(documents: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Call]]:
    seen: set[str] = set()
    for line, document in documents:
        usage = at(document, "message.usage")
        if not isinstance(usage, Mapping):
            continue
        answer = str(at(document, "message.id") or document.get("uuid") or "")
        if answer in seen:
            continue
        seen.add(answer)
        yield (
            line,
            Call(
                None,
                measured(usage),
                seconds(document.get("timestamp")),
                answer,
                str(document.get("sessionId") or "") + ("/side" if document.get("isSidechain") else ""),
                "",
                str(at(document, "message.model") or ""),
                "anthropic",
            ),
        )


def is_codex(document: Any) -> bool:
    return (
        isinstance(document, Mapping)
        and document.get("type") in ("session_meta", "turn_context")
        and "payload" in document
    )


def codex(documents: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Call]]:
    session = model = ""
    counted: Any = None
    for line, document in documents:
        payload = at(document, "payload")
        if not isinstance(payload, Mapping):
            continue
        if document.get("type") == "session_meta":
            session = str(payload.get("id") or "")
        elif document.get("type") == "turn_context":
            model = str(payload.get("model") or model)
        elif payload.get("type") == "token_count":
            usage, total = at(payload, "info.last_token_usage"), at(payload, "info.total_token_usage")
            if usage is None or total == counted:
                continue  # the same count is written again when only limits change
            counted = total
            yield (
                line,
                Call(None, measured(usage), seconds(document.get("timestamp")), "", session, "", model, "openai"),
            )
