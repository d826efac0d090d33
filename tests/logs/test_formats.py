"""Records of each format: what is read of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptlint.logs.formats.recognise import recognised
from promptlint.logs.mapping import FieldMap
from promptlint.logs.places import Part
from promptlint.logs.reading import Reading, parts_to_read, requests
from promptlint.logs.record import Measured, Request, Skipped

TIME = "2026-11-29T10:00:00Z"
SECONDS = 1795946400.0
CHAT = {"model": "gpt-5-mini", "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}]}
CHAT_USAGE = {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 64}}
CLAUDE = {
    "model": "claude-opus-5",
    "system": [{"type": "text", "text": "S", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
    "messages": [{"role": "user", "content": "Q"}],
}
CLAUDE_USAGE = {"input_tokens": 10, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30}


def read(tmp_path: Path, documents: list[Any], **reading: Any) -> tuple[list[Request], list[Skipped]]:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
    skipped: list[Skipped] = []
    return list(requests(Part(str(path)), Reading(**reading), skipped.append)), skipped


def attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    kinds = {str: "stringValue", int: "intValue"}
    return [{"key": key, "value": {kinds[type(value)]: str(value)}} for key, value in values.items()]


GEN_AI = {
    "gen_ai.request.model": "gpt-5-mini",
    "gen_ai.provider.name": "openai",
    "gen_ai.conversation.id": "c1",
    "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "S"}]),
    "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Q"}]}]),
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.cache_read.input_tokens": 64,
}
OPEN_INFERENCE = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "gpt-5-mini",
    "session.id": "c1",
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.0.message.content": "S",
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.content": "Q",
    "llm.token_count.prompt": 100,
    "llm.token_count.prompt_details.cache_read": 64,
}
HAR = {
    "log": {
        "entries": [
            {
                "startedDateTime": TIME,
                "request": {
                    "url": "https://api.openai.com/v1/chat/completions",
                    "headers": [{"name": "Authorization", "value": "Bearer abc"}],
                    "postData": {"text": json.dumps(CHAT)},
                },
                "response": {"content": {"text": f"data: {json.dumps({'usage': CHAT_USAGE})}\n\ndata: [DONE]\n"}},
            }
        ]
    }
}
LITELLM = {
    "id": "r1",
    "call_type": "acompletion",
    "model": "gpt-5-mini",
    "custom_llm_provider": "openai",
    "messages": CHAT["messages"],
    "model_parameters": {},
    "response": {"usage": CHAT_USAGE},
    "startTime": SECONDS,
    "trace_id": "c1",
    "metadata": {"user_api_key_hash": "k", "user_api_key_team_id": "t"},
}
LANGFUSE = {
    "id": "o1",
    "type": "GENERATION",
    "traceId": "c1",
    "startTime": TIME,
    "model": "gpt-5-mini",
    "input": CHAT["messages"],
    "usageDetails": {"input": 36, "input_cached_tokens": 64, "output": 5},
}
HELICONE = {
    "request_id": "h1",
    "request_created_at": TIME,
    "request_body": CHAT,
    "response_body": {"usage": CHAT_USAGE},
    "request_properties": {"Helicone-Session-Id": "c1"},
    "provider": "OPENAI",
}


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("requests", {**CHAT, "timestamp": TIME, "usage": CHAT_USAGE}),
        ("requests", {"request": CHAT, "response": {"usage": CHAT_USAGE}, "ts": SECONDS}),
        (
            "requests",
            {
                "custom_id": "r",
                "url": "/v1/chat/completions",
                "body": CHAT,
                "time": SECONDS * 1000,
                "usage": CHAT_USAGE,
            },
        ),
        ("requests", {"request": json.dumps(CHAT), "response": json.dumps({"usage": CHAT_USAGE}), "created_at": TIME}),
        ("litellm", LITELLM),
        ("langfuse", LANGFUSE),
        ("helicone", HELICONE),
        ("traces", {"attributes": GEN_AI, "start_time": TIME}),
        (
            "traces",
            {
                "resourceSpans": [
                    {
                        "scopeSpans": [
                            {
                                "spans": [
                                    {"startTimeUnixNano": str(int(SECONDS * 1e9)), "attributes": attributes(GEN_AI)}
                                ]
                            }
                        ]
                    }
                ]
            },
        ),
        ("traces", {"attributes": OPEN_INFERENCE, "start_time": TIME}),
        ("har", HAR),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_record_is_recognised_and_read(tmp_path: Path, name: str, document: Any) -> None:
    found = recognised([document])
    assert found is not None and found.name == name
    (request,), skipped = read(tmp_path, [document])
    assert [(piece.field, piece.role, piece.text) for piece in request.pieces] == [
        ("system", "system", "S"),
        ("messages", "user", "Q"),
    ]
    assert (request.time, request.provider, request.model) == (SECONDS, "openai-5.5", "gpt-5-mini")
    assert request.measured == Measured(100, 64, None)
    assert not skipped


@pytest.mark.parametrize("inner", [CLAUDE, {"custom_id": "a", "params": CLAUDE}])
def test_messages_with_a_breakpoint(tmp_path: Path, inner: dict[str, Any]) -> None:
    (request,), _ = read(tmp_path, [{**inner, "usage": CLAUDE_USAGE}])
    assert [(piece.path, piece.mark) for piece in request.pieces] == [
        ("system[0].text", "1h"),
        ("messages[0].content", ""),
    ]
    assert request.measured == Measured(100, 60, 30)
    assert request.provider == "anthropic"


def test_automatic_caching_marks_the_last_piece(tmp_path: Path) -> None:
    (request,), _ = read(tmp_path, [{**CLAUDE, "system": "S", "cache_control": {"type": "ephemeral"}}])
    assert [piece.mark for piece in request.pieces] == ["", "default"]


def test_converse_and_its_invocation_log(tmp_path: Path) -> None:
    body = {
        "system": [{"text": "S"}, {"cachePoint": {"type": "default"}}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "t"}}]},
        "messages": [{"role": "user", "content": [{"text": "Q"}]}],
    }
    usage = {"inputTokens": 10, "cacheReadInputTokens": 90, "cacheWriteInputTokens": 0}
    record = {
        "schemaType": "ModelInvocationLog",
        "timestamp": TIME,
        "modelId": "anthropic.claude-opus-4-8",
        "input": {"inputBodyJson": body},
        "output": {"outputBodyJson": {"usage": usage}},
    }
    (request,), _ = read(tmp_path, [record])
    assert [piece.path for piece in request.pieces] == [
        "toolConfig.tools[0]",
        "system[0].text",
        "messages[0].content[0].text",
    ]
    assert [piece.mark for piece in request.pieces] == ["", "default", ""]
    assert (request.provider, request.measured) == ("bedrock", Measured(100, 90, 0))


def test_generate_content(tmp_path: Path) -> None:
    body = {
        "systemInstruction": {"parts": [{"text": "S"}]},
        "tools": [{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}],
        "contents": [{"role": "user", "parts": [{"text": "Q"}]}],
    }
    record = {
        "request": body,
        "model": "gemini-2.5-pro",
        "response": {"usageMetadata": {"promptTokenCount": 9, "cachedContentTokenCount": 4}},
    }
    (request,), _ = read(tmp_path, [record])
    assert sorted(piece.path for piece in request.pieces) == [
        "contents[0].parts[0].text",
        "systemInstruction.parts[0].text",
        "tools[0].functionDeclarations[0]",
        "tools[0].functionDeclarations[1]",
    ]
    assert (request.provider, request.measured) == ("gemini", Measured(9, 4, None))


def test_responses_and_what_changes_the_prefix_without_text(tmp_path: Path) -> None:
    body = {
        "model": "gpt-5.6",
        "instructions": "S",
        "reasoning": {"effort": "low"},
        "prompt_cache_key": "k1",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Q"}]},
            {"type": "function_call_output", "output": "R"},
        ],
    }
    (request,), _ = read(
        tmp_path, [{**body, "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 0}}}]
    )
    assert [(piece.path, piece.field) for piece in request.pieces] == [
        ("reasoning.effort", "settings"),
        ("instructions", "system"),
        ("input[0].content[0].text", "messages"),
        ("input[1]", "messages"),
    ]
    assert (request.provider, request.route, request.measured) == ("openai", "k1", Measured(9, 0, None))


def test_deepseek_counts_hits_and_misses(tmp_path: Path) -> None:
    usage = {"prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36, "prompt_tokens": 100}
    (request,), _ = read(tmp_path, [{**CHAT, "model": "deepseek-chat", "usage": usage}])
    assert (request.provider, request.measured) == ("deepseek", Measured(100, 64, None))


def test_claude_code_says_each_answer_once_and_no_prompt(tmp_path: Path) -> None:
    line = {
        "type": "assistant",
        "uuid": "u",
        "sessionId": "s",
        "timestamp": TIME,
        "message": {"id": "m1", "model": "claude-opus-5", "usage": CLAUDE_USAGE},
    }
    found, skipped = read(
        tmp_path, [{"type": "summary", "leafUuid": "x", "sessionId": "s"}, line, {**line, "uuid": "v"}]
    )
    assert [(each.measured, each.conversation, each.pieces) for each in found] == [(Measured(100, 60, 30), "s", ())]
    assert not skipped


def test_codex_says_each_count_once(tmp_path: Path) -> None:
    def count(total: int) -> dict[str, Any]:
        info = {
            "total_token_usage": {"input_tokens": total},
            "last_token_usage": {"input_tokens": 50, "cached_input_tokens": 40},
        }
        return {"timestamp": TIME, "type": "event_msg", "payload": {"type": "token_count", "info": info}}

    head = [
        {"timestamp": TIME, "type": "session_meta", "payload": {"id": "s9"}},
        {"timestamp": TIME, "type": "turn_context", "payload": {"model": "gpt-5.6-codex"}},
    ]
    found, _ = read(tmp_path, [*head, count(50), count(50), count(100)])
    assert [(each.measured, each.conversation, each.model) for each in found] == [
        (Measured(50, 40, None), "s9", "gpt-5.6-codex")
    ] * 2


@pytest.mark.parametrize("size", [64, 300, 5_000])
def test_a_large_session_is_read_whole_and_other_files_in_their_format(tmp_path: Path, size: int) -> None:
    """What a later part of a file begins with would tell another format, or none."""
    usage = {"type": "token_count", "info": {"last_token_usage": {"input_tokens": 50}}}
    session = [
        {"type": "session_meta", "payload": {"id": "s9"}},
        {"type": "turn_context", "payload": {"model": "gpt-5.6-codex"}},
        *(
            {"type": "event_msg", "payload": {**usage, "info": {**usage["info"], "total_token_usage": at}}}
            for at in range(40)
        ),  # type: ignore[dict-item]
    ]
    gateway = {"call_type": "acompletion", "startTime": TIME, "messages": CHAT["messages"], "model": "gpt-5-mini"}
    logs = {"session.jsonl": session, "gateway.jsonl": [*[gateway] * 40, *[CHAT] * 40]}
    for name, records in logs.items():
        (tmp_path / name).write_text("".join(f"{json.dumps(record)}\n" for record in records))
    found: dict[str, list[Request]] = {}
    skipped: dict[str, int] = {}
    for part in parts_to_read([str(tmp_path / name) for name in logs], size, Reading()):
        name = Path(part.path).name
        lost: list[Skipped] = []
        found.setdefault(name, []).extend(requests(part, Reading(), lost.append))
        skipped[name] = skipped.get(name, 0) + len(lost)
    assert [(each.conversation, each.model) for each in found["session.jsonl"]] == [("s9", "gpt-5.6-codex")] * 40
    assert (len(found["gateway.jsonl"]), skipped["gateway.jsonl"]) == (40, 40)


def test_a_map_reads_what_no_format_knows(tmp_path: Path) -> None:
    record = {"req": {"payload": json.dumps(CHAT), "at": TIME}, "res": {"tokens": CHAT_USAGE}, "who": {"chat": 7}}
    assert read(tmp_path, [record])[0] == []
    fields = FieldMap.of(["body=req.payload", "ts=req.at", "usage=res.tokens", "conversation=who.chat"])
    (request,), skipped = read(tmp_path, [record], fields=fields)
    assert (request.time, request.conversation, request.measured) == (SECONDS, "7", Measured(100, 64, None))
    assert [piece.text for piece in request.pieces] == ["S", "Q"]
    assert not skipped


@pytest.mark.parametrize("text", ["ts", "ts=", "tz=request.at"])
def test_a_map_that_cannot_be_used_says_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match=r"write field=path|did you mean 'ts'"):
        FieldMap.of([text])


def test_what_holds_no_request_is_named(tmp_path: Path) -> None:
    found, skipped = read(
        tmp_path, [CHAT, 5, {"event": "started"}, {"model": "x", "messages": [{"role": "user", "content": ""}]}]
    )
    assert len(found) == 1
    assert [(each.line, each.reason) for each in skipped] == [
        (2, "no request of a known form"),
        (3, "no request of a known form"),
        (4, "neither a prompt nor token counts"),
    ]


def test_a_broken_character_changes_nothing_else_of_a_tool(tmp_path: Path) -> None:
    def text(name: str) -> str:
        tool = {"type": "function", "function": {"name": name, "description": "Fährt der Zug, 列車?"}}
        (request,), _ = read(tmp_path, [{**CHAT, "tools": [tool]}])
        return request.pieces[0].text

    assert text("find\ud800").replace("\\ud800", "").replace("\ud800", "") == text("find")
