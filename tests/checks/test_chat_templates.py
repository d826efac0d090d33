"""Traps in chat templates, by the model's name."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from promptlint.data import load_toml
from promptlint.providers.registry import provider

from .conftest import Check
from .test_breakpoints import assistant, user

TOOLS = [{"type": "function", "function": {"name": "find_book"}}]
TALK = [user("Is it there?"), assistant("Yes."), user("Where?")]
THOUGHT = [user("Is it there?"), assistant("<think>It is.</think>Yes."), user("Where?")]
SESSION = {"role": "system", "content": "Session {{ session_id }}."}


def traps(check: Check, model: str, messages: list[dict[str, Any]], of: str = "vllm", **more: Any) -> list[str]:
    body = {"model": model, **more, "messages": messages}
    return [finding.message for finding in check("chat-template-trap", body, config=f'provider = "{of}"\n')]


@pytest.mark.parametrize(
    ("model", "messages", "more", "words"),
    [
        ("openai/gpt-oss-120b", [user("Hi.")], {}, ["the current date"]),
        ("meta-llama/Llama-3.3-70B-Instruct", [user("Hi.")], {}, ["today's date"]),
        ("meta-llama/Llama-3.3-70B-Instruct", [user("Hi.")], {"chat_template_kwargs": {"date_string": "x"}}, []),
        ("meta-llama/Llama-3.1-8B-Instruct", [user("Hi.")], {"tools": TOOLS}, []),
        ("meta-llama/Llama-3.1-8B-Instruct", [SESSION, user("{{ q }}")], {"tools": TOOLS}, ["below the system text"]),
        ("mistralai/Mistral-7B-Instruct-v0.3", TALK, {"tools": TOOLS}, ["before the last user message"]),
        ("mistralai/Mistral-7B-Instruct-v0.3", TALK, {}, []),
        ("mistralai/Mistral-7B-Instruct-v0.3", [user("Hi.")], {"tools": TOOLS}, []),
        ("Qwen/Qwen3-32B", THOUGHT, {}, ["drops the reasoning"]),
        ("Qwen/Qwen3-32B", TALK, {}, []),
        ("Qwen/Qwen3.8-32B", THOUGHT, {}, []),
        ("deepseek-ai/DeepSeek-R1", THOUGHT, {}, ["drops the reasoning"]),
        ("Qwen/Qwen2.5-7B-Instruct", THOUGHT, {"tools": TOOLS}, []),
    ],
)
def test_a_trap_needs_a_model_and_what_it_catches(
    check: Check, model: str, messages: list[dict[str, Any]], more: dict[str, Any], words: list[str]
) -> None:
    found = traps(check, model, messages, **more)
    assert len(found) == len(words) and all(word in said for word, said in zip(words, found, strict=True))


def test_reasoning_in_a_member_of_its_own_counts(check: Check) -> None:
    answer = {"role": "assistant", "reasoning_content": "It is.", "content": "Yes."}
    assert traps(check, "qwen/qwen3-8b", [user("Is it there?"), answer, user("Where?")])


def test_only_engines_render_a_models_own_template(check: Check) -> None:
    assert traps(check, "openai/gpt-oss-20b", [user("Hi.")], of="groq") == []
    assert traps(check, "openai/gpt-oss-20b", [user("Hi.")], of="generic") == []


@pytest.mark.parametrize("row", load_toml("chat_templates.toml")["trap"], ids=lambda row: row["name"])
def test_a_row_is_complete(row: dict[str, Any]) -> None:
    assert set(row["needs"]) <= {"tools", "earlier turns", "reasoning", "changing system text"}
    assert all(provider(name).kind == "engine" for name in row["engines"])
    assert row["source"].startswith("https://") and isinstance(row["checked_on"], date)
    assert all(glob == glob.lower() for glob in row["models"])
    assert row["do"].endswith(".") and not row["said"].endswith(".")
