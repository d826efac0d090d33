"""Which JSON is a request, what each vendor's fields are, where everything stands, and what is history."""

import json
from typing import Any

import pytest

from promptlint.events import Evidence
from promptlint.expression import Literal, Name, Unknown
from promptlint.prompt import Field, ProviderHint, Section
from promptlint.readers.requests import read
from promptlint.source import Source, Span
from promptlint.template import PieceKind
from promptlint.traversal import names
from promptlint.unit import Message, PromptSource, Unit

Shown = tuple[str | None, str, str, str]


def unit(body: Any, path: str = "request.json", dialect: str | None = None) -> Unit:
    return read(Source(path, body if isinstance(body, str) else json.dumps(body, indent=1)), dialect)


def lines(*bodies: Any, path: str = "batch.jsonl") -> Unit:
    return read(Source(path, "\n".join(body if isinstance(body, str) else json.dumps(body) for body in bodies)))


def only(found: Unit) -> PromptSource:
    assert found.problems == ()
    (prompt,) = found.prompts
    return prompt


def text_of(message: Message) -> str:
    return "".join("<>" if piece.kind is PieceKind.HOLE else piece.text for piece in message.template.pieces)


def shown(prompt: PromptSource) -> list[Shown]:
    return [(message.role, str(message.section), str(message.field), text_of(message)) for message in prompt.messages]


def sections(prompt: PromptSource) -> list[tuple[str, str]]:
    return [(text_of(message), str(message.section)) for message in prompt.messages]


def at(found: Unit, span: Span) -> str:
    return found.source.slice(span)


def parameters(found: Unit) -> dict[str, str]:
    return {each.name: at(found, each.span) for each in only(found).parameters}


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def model(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


CHAT = {
    "model": "gpt-5.6",
    "messages": [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is it?"}, {"type": "text", "text": "Say."}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "A cat."},
        {"role": "assistant", "content": "A cat."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "And this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                {"type": "text", "text": "Quick.", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "12h"}},
            ],
        },
    ],
    "tools": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}],
    "tool_choice": "auto",
    "prompt_cache_key": "k1",
    "reasoning_effort": "low",
    "response_format": {"type": "json_object"},
    "temperature": 0.2,
}


def test_chat_completions() -> None:
    found = unit(CHAT)
    prompt = only(found)
    calls = json.dumps(CHAT["messages"][2]["tool_calls"])  # type: ignore[index]
    assert [(*each[:3], "".join(each[3].split())) for each in shown(prompt)] == [
        (None, "tools", "tools", "".join(json.dumps(CHAT["tools"][0]).split())),  # type: ignore[index]
        ("developer", "system", "system", "Bebrief."),
        ("user", "history", "messages", "Whatisit?"),
        ("user", "history", "messages", "Say."),
        ("assistant", "history", "messages", "".join(calls.split())),
        ("tool", "history", "messages", "Acat."),
        ("assistant", "history", "messages", "Acat."),
        ("user", "user", "messages", "Andthis?"),
        ("user", "user", "messages", "<>"),
        ("user", "user", "messages", "Quick."),
    ]
    assert (prompt.rendered, prompt.complete, prompt.model) == (True, True, "gpt-5.6")
    assert prompt.provider == ProviderHint("openai", Evidence.DECLARATION)
    (marker,) = prompt.markers
    assert (marker.after, marker.ttl, marker.automatic) == (9, "12h", False)
    assert at(found, marker.span).startswith('"prompt_cache_breakpoint": {')
    assert parameters(found) == {
        "prompt_cache_key": '"k1"',
        "tool_choice": '"auto"',
        "reasoning_effort": '"low"',
        "response_format": '{\n  "type": "json_object"\n }',
    }
    key = prompt.parameters[0]
    assert key.expression == Literal("k1", key.span)
    assert prompt.parameters[-1].expression is None


def test_spans_are_those_of_the_file_through_escapes() -> None:
    text = (
        r'{"messages": [{"role": "system", "content": "Say \"\ud83d\ude00\"\nnow."}, {"role": "user", "content": "x"}]}'
    )
    found = unit(text)
    (piece,) = only(found).messages[0].template.pieces
    assert piece.text == 'Say "😀"\nnow.'
    assert at(found, piece.span) == r"Say \"\ud83d\ude00\"\nnow."


def test_a_tool_is_its_json_as_it_stands_without_markers() -> None:
    tool = '{"name": "f", "cache_control": {"type": "ephemeral"},  "input_schema": {"type": "object"}}'
    last = '{"name": "g", "input_schema": {}, "cache_control": {"type": "ephemeral", "ttl": "1h"}}'
    found = unit(f'{{"tools": [{tool}, {last}], "messages": [{{"role": "user", "content": "x"}}]}}')
    prompt = only(found)
    assert [text_of(message) for message in prompt.messages[:2]] == [
        '{"name": "f", "input_schema": {"type": "object"}}',
        '{"name": "g", "input_schema": {}}',
    ]
    for message, written in zip(prompt.messages, (tool, last), strict=False):
        assert "".join(at(found, piece.span) for piece in message.template.pieces) == written
    assert [(marker.after, marker.ttl) for marker in prompt.markers] == [(0, None), (1, "1h")]
    assert all(message.field is Field.TOOLS for message in prompt.messages[:2])


def test_anthropic() -> None:
    body = {
        "model": "claude-opus-5",
        "max_tokens": 9,
        "cache_control": {"type": "ephemeral", "ttl": "1h"},
        "system": [
            {"type": "text", "text": "Rules.", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "More."},
        ],
        "messages": [
            user("hello"),
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": "s"},
                    {"type": "tool_use", "id": "t1", "name": "f", "input": {"x": 1}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t1",
                        "content": [{"type": "text", "text": "done"}],
                        "cache_control": {"type": "ephemeral"},
                    }
                ],
            },
        ],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "tool_choice": {"type": "auto"},
        "output_config": {"effort": "low"},
        "metadata": {"user_id": "u1"},
    }
    found = unit(body)
    prompt = only(found)
    assert [each[:3] for each in shown(prompt)] == [
        ("system", "system", "system"),
        ("system", "system", "system"),
        ("user", "user", "messages"),
        ("assistant", "history", "messages"),
        ("assistant", "history", "messages"),
        ("tool", "history", "messages"),
    ]
    assert text_of(prompt.messages[3]) == "Hm."
    assert json.loads(text_of(prompt.messages[4]))["name"] == "f"
    assert text_of(prompt.messages[5]) == "done"
    assert prompt.provider == ProviderHint("anthropic", Evidence.DECLARATION)
    assert [(marker.after, marker.ttl, marker.automatic) for marker in prompt.markers] == [
        (0, None, False),
        (5, None, False),
        (5, "1h", True),
    ]
    assert list(parameters(found)) == ["tool_choice", "thinking", "output_config.effort"]


def test_anthropic_media_and_documents() -> None:
    blocks = [
        {"type": "image", "source": {"type": "url", "url": "https://a/b.png"}},
        {"type": "document", "title": "T", "source": {"type": "text", "media_type": "text/plain", "data": "Body."}},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
        {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "In."}]}},
        {"type": "search_result", "source": "s", "title": "R", "content": [{"type": "text", "text": "Found."}]},
        {"type": "text", "text": "Read."},
    ]
    found = unit({"messages": [{"role": "user", "content": blocks}]})
    prompt = only(found)
    assert prompt.provider == ProviderHint("anthropic", Evidence.SHAPE)
    assert [text_of(message) for message in prompt.messages] == [
        "<>",
        "T",
        "Body.",
        "<>",
        "In.",
        "R",
        "Found.",
        "Read.",
    ]
    hole = prompt.messages[0].template.pieces[0]
    assert hole.expression == Unknown((), hole.span)
    assert at(found, hole.span) == '"image"'


def test_gemini() -> None:
    body = {
        "systemInstruction": {"parts": [{"text": "Rules."}]},
        "tools": [{"functionDeclarations": [{"name": "f"}, {"name": "g"}]}, {"googleSearch": {}}],
        "contents": [
            {"role": "user", "parts": [{"text": "hello"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"a": 1}}}]},
            {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": "AA"}}, {"text": "now"}]},
        ],
        "generationConfig": {"temperature": 1, "thinkingConfig": {"thinkingLevel": "low"}},
        "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
    }
    found = unit(body)
    prompt = only(found)
    assert [each[:3] for each in shown(prompt)] == [
        (None, "tools", "tools"),
        (None, "tools", "tools"),
        (None, "tools", "tools"),
        ("system", "system", "system"),
        ("user", "history", "messages"),
        ("assistant", "history", "messages"),
        ("tool", "history", "messages"),
        ("user", "user", "messages"),
        ("user", "user", "messages"),
    ]
    assert [text_of(message) for message in prompt.messages[-2:]] == ["<>", "now"]
    assert prompt.provider == ProviderHint("gemini", Evidence.SHAPE)
    assert list(parameters(found)) == ["toolConfig", "generationConfig.thinkingConfig"]


def test_gemini_as_the_sdk_spells_it() -> None:
    body = {
        "model": "gemini-3-pro",
        "contents": [{"parts": [{"text": "hello"}]}],
        "config": {"system_instruction": "Rules.", "cached_content": "cachedContents/1", "thinking_config": {}},
    }
    found = unit(body)
    prompt = only(found)
    assert sections(prompt) == [("<>", "system"), ("Rules.", "system"), ("hello", "user")]
    assert prompt.provider == ProviderHint("gemini-explicit", Evidence.DECLARATION)
    assert list(parameters(found)) == ["cachedContent", "thinkingConfig"]
    (marker,) = prompt.markers
    assert (marker.after, at(found, marker.span)) == (0, '"cached_content": "cachedContents/1"')


def test_bedrock() -> None:
    body = {
        "modelId": "anthropic.claude-opus-4-6-v1:0",
        "system": [{"text": "Rules."}, {"cachePoint": {"type": "default", "ttl": "1h"}}, {"text": "More."}],
        "toolConfig": {
            "tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {}}}}, {"cachePoint": {"type": "default"}}],
            "toolChoice": {"auto": {}},
        },
        "messages": [
            {"role": "user", "content": [{"text": "hello"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "f", "input": {}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "1", "content": [{"json": {"a": 1}}]}}]},
            {
                "role": "user",
                "content": [
                    {"image": {"format": "png", "source": {"bytes": "AA"}}},
                    {"text": "now"},
                    {"cachePoint": {"type": "default"}},
                ],
            },
        ],
    }
    found = unit(body)
    prompt = only(found)
    assert [each[:3] for each in shown(prompt)] == [
        (None, "tools", "tools"),
        ("system", "system", "system"),
        ("system", "system", "system"),
        ("user", "history", "messages"),
        ("assistant", "history", "messages"),
        ("tool", "history", "messages"),
        ("user", "user", "messages"),
        ("user", "user", "messages"),
    ]
    assert [(marker.after, marker.ttl) for marker in prompt.markers] == [(0, None), (1, "1h"), (7, None)]
    assert prompt.provider == ProviderHint("bedrock", Evidence.DECLARATION)
    assert prompt.model == "anthropic.claude-opus-4-6-v1:0"
    assert list(parameters(found)) == ["toolConfig.toolChoice"]


def test_responses() -> None:
    body = {
        "model": "gpt-5.4",
        "instructions": "Rules.",
        "tools": [{"type": "function", "name": "f", "parameters": {}}],
        "input": [
            {"role": "developer", "content": "More."},
            {"role": "user", "content": "hello"},
            {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Hm."}]},
            {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "1", "output": "done"},
            {
                "type": "message",
                "role": "user",
                "content": [
                    {"type": "input_image", "image_url": "https://a/b.png"},
                    {"type": "input_text", "text": "now", "prompt_cache_breakpoint": {"mode": "explicit"}},
                ],
            },
        ],
        "reasoning": {"effort": "low"},
        "text": {"format": {"type": "text"}, "verbosity": "low"},
        "prompt_cache_options": {"mode": "explicit", "ttl": "30m"},
    }
    found = unit(body)
    prompt = only(found)
    assert [(role, section, field) for role, section, field, _ in shown(prompt)] == [
        (None, "tools", "tools"),
        ("system", "system", "system"),
        ("developer", "system", "system"),
        ("user", "history", "messages"),
        ("assistant", "history", "messages"),
        ("assistant", "history", "messages"),
        ("tool", "history", "messages"),
        ("user", "user", "messages"),
        ("user", "user", "messages"),
    ]
    assert [marker.after for marker in prompt.markers] == [8]
    assert prompt.provider == ProviderHint("openai", Evidence.DECLARATION)
    assert list(parameters(found)) == [
        "prompt_cache_options.mode",
        "prompt_cache_options.ttl",
        "reasoning.effort",
        "text.format",
        "text.verbosity",
    ]


def test_responses_that_go_on_from_what_the_provider_keeps() -> None:
    found = unit({"model": "gpt-5.4", "input": "and now?", "instructions": "Rules.", "previous_response_id": "resp_1"})
    prompt = only(found)
    assert sections(prompt) == [("Rules.", "system"), ("<>", "history"), ("and now?", "user")]
    assert not prompt.complete
    stored = unit({"model": "gpt-5.4", "input": "hello", "prompt": {"id": "pmpt_1"}, "reasoning": {"effort": "low"}})
    assert sections(only(stored)) == [("<>", "system"), ("hello", "user")]


def test_tools_that_come_later_are_tools_among_the_messages() -> None:
    later = {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "f"}]}
    prompt = only(unit({"model": "gpt-5.6", "input": [user("a"), later, {"type": "item_reference", "id": "i"}]}))
    assert [(message.section, message.field) for message in prompt.messages] == [
        (Section.USER, Field.MESSAGES),
        (Section.TOOLS, Field.MESSAGES),
        (Section.HISTORY, Field.MESSAGES),
    ]


def test_cohere() -> None:
    body = {
        "model": "command-a",
        "messages": [{"role": "system", "content": "Rules."}, user("hello")],
        "documents": [{"data": {"text": "snow"}}],
    }
    prompt = only(unit(body))
    assert [section for _, section in sections(prompt)] == ["system", "user", "retrieved"]
    assert prompt.provider is None


@pytest.mark.parametrize(
    "body, provider",
    [
        ({"model": "deepseek-chat", "messages": [user("x")]}, None),
        ({"model": "o3-mini", "messages": [user("x")]}, ("openai", Evidence.DECLARATION)),
        ({"messages": [user("x")]}, None),
        ({"messages": [user("x")], "prompt_cache_key": "k"}, ("openai", Evidence.SHAPE)),
        (
            {"model": "anthropic/claude-opus-5", "messages": [{"role": "system", "content": "r"}, user("x")]},
            "anthropic",
        ),
        ({"model": "claude-opus-5", "messages": [user("x")]}, ("anthropic", Evidence.DECLARATION)),
        ({"system": "r", "messages": [user("x")]}, ("anthropic", Evidence.SHAPE)),
        ({"anthropic_version": "bedrock-2023-05-31", "messages": [user("x")]}, ("bedrock", Evidence.DECLARATION)),
    ],
)
def test_who_a_request_goes_to(body: Any, provider: Any) -> None:
    hint = only(unit(body)).provider
    if isinstance(provider, str):
        assert hint is not None
        assert hint.name == provider
    else:
        assert hint == (ProviderHint(*provider) if provider else None)


def test_what_was_said_before_the_newest_question_is_history() -> None:
    system = {"role": "system", "content": "s"}
    found = only(unit({"messages": [system, user("a"), model("b"), user("c"), model("d"), user("e")]}))
    assert [section for _, section in sections(found)] == ["system", *["history"] * 4, "user"]
    late = only(unit({"messages": [system, user("a"), model("b"), system, user("c")]}))
    assert [(message.section, message.field) for message in late.messages][-2:] == [
        (Section.SYSTEM, Field.MESSAGES),
        (Section.USER, Field.MESSAGES),
    ]


def test_user_messages_in_a_row_are_one_turn() -> None:
    found = only(unit({"messages": [user("a"), model("b"), user("context"), user("c")]}))
    assert [section for _, section in sections(found)] == ["history", "history", "user", "user"]


def test_few_shots_as_system_messages_with_names() -> None:
    example = {"role": "system", "name": "example_user", "content": "e"}
    found = only(unit({"messages": [{"role": "system", "content": "s"}, example, user("x")]}))
    assert [section for _, section in sections(found)] == ["system", "examples", "user"]


def test_turns_that_requests_with_other_questions_share_are_few_shots() -> None:
    shots = [user("2+2"), model("4")]
    found = lines({"messages": [*shots, user("3+3")]}, {"messages": [*shots, user("5+5")]})
    assert [sections(prompt)[0][1] for prompt in found.prompts] == ["examples", "examples"]
    going_on = lines({"messages": [*shots, user("3+3")]}, {"messages": [*shots, user("3+3"), model("6"), user("5")]})
    assert {section for prompt in going_on.prompts for _, section in sections(prompt)} == {"history", "user"}


def test_batches_and_lines() -> None:
    chat = {"model": "gpt-5.6", "messages": [user("a")]}
    found = lines(
        {"custom_id": "one", "method": "POST", "url": "/v1/chat/completions", "body": chat},
        "",
        {"custom_id": "two", "params": {"model": "claude-opus-5", "max_tokens": 1, "messages": [user("{{b}}")]}},
        {"custom_id": "three", "method": "POST", "url": "/v1/responses", "body": {"model": "gpt-5.6", "input": "c"}},
        {"custom_id": "no", "url": "/v1/embeddings", "body": {"model": "text-embedding-3-small", "input": "d"}},
        {"messages": [user("e")]},
        {"key": "six", "request": {"contents": [{"parts": [{"text": "f"}]}]}},
        {"unrelated": True},
    )
    assert found.problems == ()
    assert [prompt.name for prompt in found.prompts] == ["one", "two", "three", "6", "six"]
    assert [sections(prompt)[-1][0] for prompt in found.prompts] == ["a", "{{b}}", "c", "e", "f"]
    names = [prompt.provider.name if prompt.provider else None for prompt in found.prompts]
    assert names == ["openai", "anthropic", "openai", None, "gemini"]
    for prompt in found.prompts:
        message = prompt.messages[-1]
        assert at(found, message.template.pieces[0].span) == text_of(message)


def test_a_batch_in_one_document() -> None:
    requests = [{"custom_id": name, "params": {"messages": [user(name)]}} for name in ("a", "b")]
    assert [prompt.name for prompt in unit({"requests": requests}).prompts] == ["a", "b"]
    assert [prompt.name for prompt in unit([{"messages": [user("a")]}, {"messages": [user("b")]}]).prompts] == [
        "/0",
        "/1",
    ]


def test_lines_are_told_by_what_they_are() -> None:
    assert len(lines({"messages": [user("a")]}, {"messages": [user("b")]}, path="log.json").prompts) == 2


def test_broken_lines_do_not_stop_the_file() -> None:
    good = {"messages": [user("a")]}
    found = lines(good, '{"messages": [{"role": "user", "content": "b"}', good, "{oops, oops", good)
    assert [prompt.name for prompt in found.prompts] == ["1", "2", "3", "5"]
    assert [found.source.position(problem.span.start).line for problem in found.problems] == [2, 4]


def test_a_broken_request_keeps_what_was_read() -> None:
    found = unit('{"messages": [{"role": "system", "content": "r"}, {"role": "user", "content": "x}')
    assert sections(found.prompts[0]) == [("r", "system"), ("x}", "user")]
    assert [problem.span.start for problem in found.problems] == [78]


def test_a_list_of_messages_is_part_of_a_request() -> None:
    prompt = only(unit([{"role": "system", "content": "r"}, user("x")]))
    assert (prompt.rendered, prompt.complete) == (True, False)
    assert unit([model("x")]).prompts == ()


def test_templates() -> None:
    found = unit({"messages": [{"role": "system", "content": "For {{ user }}."}, user("{{question}}")]})
    prompt = only(found)
    assert not prompt.rendered
    hole = prompt.messages[0].template.pieces[1]
    assert isinstance(hole.expression, Name)
    assert (hole.expression.id, at(found, hole.span)) == ("user", "{{ user }}")
    assert at(found, hole.expression.span) == "user"


def test_fixed_turns_in_a_template_are_few_shots() -> None:
    body = {"messages": [{"role": "system", "content": "Add."}, user("2+2"), model("4"), user("{{ sum }}")]}
    assert [section for _, section in sections(only(unit(body)))] == ["system", "examples", "examples", "user"]


def test_a_template_has_one_dialect_in_all_of_its_texts() -> None:
    body = {
        "messages": [{"role": "system", "content": "{{#if a}}x{{/if}} {b}"}, user("{name}, {{question}}")],
        "tools": [{"type": "function", "function": {"name": "{{tool}}"}}],
    }
    prompt = only(unit(body))
    assert [message.template.dialect for message in prompt.messages] == ["handlebars", "handlebars", "strformat"]


@pytest.mark.parametrize("text", ["Answer {answer}.", 'Write {"a": 1}.', "x = {x}", "plain"])
def test_single_braces_do_not_make_a_template(text: str) -> None:
    assert only(unit({"messages": [user(text)]})).rendered


def test_what_was_answered_with_tools_was_sent() -> None:
    called = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "f"}}]}
    prompt = only(unit({"messages": [user("why does {{ x }} fail?"), called, {"role": "tool", "content": "{{ x }}"}]}))
    assert prompt.rendered
    assert not any(piece.kind is PieceKind.HOLE for message in prompt.messages for piece in message.template.pieces)


def test_the_dialect_can_be_stated() -> None:
    body = {"messages": [user("{{ x }} {y}")]}
    assert only(unit(body, dialect="none")).rendered
    stated = only(unit(body, dialect="strformat"))
    assert not stated.rendered
    assert text_of(stated.messages[0]) == "{ x } <>"


def test_words_that_look_like_roles_are_words() -> None:
    prompt = only(unit({"messages": [{"role": "system", "content": "user:\nhello\n## Examples\na\n"}, user("x")]}))
    assert [heading.section for heading in prompt.messages[0].template.headings] == [Section.EXAMPLES]


def test_problems_and_files_of_templates_are_the_units() -> None:
    found = unit({"messages": [{"role": "system", "content": "{% include 'a.j2' %}{{ x }}"}, user("{% if %}")]})
    assert found.wanted == ("a.j2",)
    (problem,) = found.problems
    start = found.source.text.index("{% if %}")
    assert start <= problem.span.start < start + len("{% if %}")


NO_REQUESTS = {
    "package.json": {
        "name": "x",
        "scripts": {"test": "jest"},
        "dependencies": {"a": "1"},
        "contributors": [{"role": "x"}],
    },
    "tsconfig.json": {"compilerOptions": {"strict": True}, "include": ["src"]},
    "en.json": {"messages": ["Hello", "Good bye"], "content": "x"},
    "locale.json": {"messages": [{"id": "a", "content": "Hello"}, {"id": "b", "content": "Bye"}]},
    "users.json": {"messages": [{"role": "admin", "content": "x"}]},
    "openapi.json": {
        "openapi": "3.1.0",
        "paths": {"/chat": {"post": {"requestBody": {"example": {"messages": [{"role": "user", "content": "x"}]}}}}},
    },
    "notebook.ipynb": {"cells": [{"cell_type": "code", "source": ["messages = []"], "outputs": []}], "nbformat": 4},
    "package-lock.json": {"lockfileVersion": 3, "packages": {"": {"name": "x"}}},
    "flow.json": {
        "nodes": [{"data": {"inputs": {"llmMessages": [{"role": "system", "content": "x"}], "messages": []}}}],
        "edges": [],
    },
    "embedding.json": {"model": "text-embedding-3-small", "input": "hello"},
    "embeddings.json": {"model": "text-embedding-3-small", "input": ["a", "b"]},
    "empty.json": {"messages": []},
    "pages.json": {"contents": [{"title": "One", "parts": ["a", "b"]}]},
    "toc.json": {"contents": [{"title": "One", "parts": [{"title": "a"}]}]},
    "form.json": {"input": [{"type": "text", "name": "a"}], "role": "form"},
    "response.json": {"choices": [{"message": {"role": "assistant", "content": "x"}}], "model": "gpt-5"},
    "mixed.json": [{"messages": [{"role": "user", "content": "x"}]}, {"messages": "none"}],
    "chat.json": {"messages": [{"role": "user", "content": 3}]},
    "record.json": {"instructions": "Add.", "input": "2+2", "output": "4", "text": "x"},
    "anything.json": {"prompt": "text", "instructions": ["a"], "role": "x", "input": None},
}


@pytest.mark.parametrize("name", NO_REQUESTS)
def test_what_is_no_request(name: str) -> None:
    found = unit(NO_REQUESTS[name], path=name)
    assert (found.prompts, found.problems) == ((), ())


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"messages": [', "{'role': 1}", '{"role": "x"', "\ud800"])
def test_odd_input(text: str) -> None:
    assert unit(text).prompts == ()


@pytest.mark.parametrize(
    "text",
    [
        '{"tools": [{"function":' + '{"function":' * 50_000 + "1" + "}" * 50_000 + '}], "messages": [',
        '{"messages": [{"role": "user", "content": ' + '[{"type": "tool_result", "content": ' * 50_000,
        '{"messages": [{"role": "user", "content": ' + '[{"toolResult": {"content": ' * 50_000,
        '{"requests":' * 50_000,
    ],
)
def test_depth_has_no_limit(text: str) -> None:
    unit(text)


def test_a_marker_says_what_carries_it() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    answer = [{"type": "thinking", "thinking": "Hm.", **mark}, {"type": "text", "text": "Yes.", **mark}]
    body = {
        "model": "claude-opus-5",
        "cache_control": {"type": "ephemeral"},
        "tools": [{"name": "f", "input_schema": {}, **mark}],
        "messages": [{**user("Hi."), **mark}, {"role": "assistant", "content": answer}, user("And?")],
    }
    assert [marker.site for marker in only(unit(body)).markers] == [
        "tool",
        "message",
        "thinking",
        "block",
        "request",
    ]
    assert [marker.site for marker in only(unit({"messages": [{**user("Hi."), **mark}]})).markers] == ["chat message"]


@pytest.mark.parametrize("key", ["{{ uuid4() }}", "mail-{{ uuid4() }}", "{{ 'a' if day else uuid4() }}"])
def test_what_is_filled_into_a_setting_is_read(key: str) -> None:
    body = {"model": "gpt-5.6", "prompt_cache_key": key, "messages": [user("{{ letter }}")]}
    (given,) = only(unit(body)).parameters
    assert given.expression is not None
    assert "uuid4" in [name.id for name in names(given.expression)]


def test_a_setting_of_a_batch_is_a_sample() -> None:
    body = {"model": "gpt-5.6", "prompt_cache_key": "{{ uuid4() }}", "messages": [user("Hi.")]}
    (given,) = only(unit({"custom_id": "a", "url": "/v1/chat/completions", "body": body})).parameters
    assert isinstance(given.expression, Literal)
