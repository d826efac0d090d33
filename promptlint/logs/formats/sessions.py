"""Session files of coding agents: usage for each turn. The prompt itself is not in them, so there is nothing to replay.

Claude Code writes a line for each block of an answer, all with the answer's id and usage; Codex writes token counts as
events of their own, below the line that names the session and the one that names the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from promptlint.logs.call import Call
from promptlint.logs.values import at, measured, seconds


def is_claude_code(document: Any) -> bool:
    return isinstance(document, Mapping) and "sessionId" in document and ("uuid" in document or "leafUuid" in document)


class ClaudeCode:
    """Reads the lines of a file in their order; what an answer says again is left out."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, document: Any) -> Iterator[Call]:
        usage = at(document, "message.usage")
        if not isinstance(usage, Mapping):
            return
        answer = str(at(document, "message.id") or document.get("uuid") or "")
        if answer in self._seen:
            return
        self._seen.add(answer)
        yield Call(
            None,
            measured(usage),
            seconds(document.get("timestamp")),
            answer,
            str(document.get("sessionId") or "") + ("/side" if document.get("isSidechain") else ""),
            "",
            str(at(document, "message.model") or ""),
            "anthropic",
        )


def is_codex(document: Any) -> bool:
    return (
        isinstance(document, Mapping)
        and document.get("type") in ("session_meta", "turn_context")
        and "payload" in document
    )


class Codex:
    """Reads the lines of a file in their order: session and model stand above the counts."""

    def __init__(self) -> None:
        self._session = self._model = ""
        self._counted: Any = None

    def __call__(self, document: Any) -> Iterator[Call]:
        payload = at(document, "payload")
        if not isinstance(payload, Mapping):
            return
        if document.get("type") == "session_meta":
            self._session = str(payload.get("id") or "")
        elif document.get("type") == "turn_context":
            self._model = str(payload.get("model") or self._model)
        elif payload.get("type") == "token_count":
            usage, total = at(payload, "info.last_token_usage"), at(payload, "info.total_token_usage")
            if usage is None or total == self._counted:
                return  # the same count is written again when only limits change
            self._counted = total
            time = seconds(document.get("timestamp"))
            yield Call(None, measured(usage), time, "", self._session, "", self._model, "openai")
