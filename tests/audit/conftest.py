"""Generated logs, each with one cause planted, or none; in the form of OpenAI and of Anthropic."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any
from uuid import UUID

import pytest

Record = dict[str, Any]

TEXT = """train ticket platform refund delay station carriage seat window journey guard signal bridge valley morning
evening return single saver luggage bicycle timetable connection minute change request answer please check"""
WORDS = TEXT.split()
SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}, "id": {"type": "string"}}}
START = 1_795_946_400.0
OPENAI, ANTHROPIC = "gpt-5-mini", "claude-sonnet-4-5"


def prose(chance: random.Random, words: int) -> str:
    lines = []
    for _ in range(max(words // 12, 1)):
        lines.append(" ".join(chance.choice(WORDS) for _ in range(min(words, 12))).capitalize() + ".")
    return "\n".join(lines)


class Writer:
    """A service that answers in conversations; hooks plant a cause."""

    def __init__(self, form: str, seed: int = 7) -> None:
        self.form, self.chance, self.time = form, random.Random(seed), START
        self.system = prose(self.chance, 1500)
        self.tools = [
            {
                "name": name,
                "description": prose(self.chance, 60),
                "schema": SCHEMA,
            }
            for name in ("find_train", "sell_ticket", "refund")
        ]
        self.records: list[Record] = []

    def talk(
        self,
        turns: int,
        prompt: Callable[[int], str] | None = None,
        messages: Callable[[int, list[Record]], list[Record]] | None = None,
        tools: Callable[[int], list[Record]] | None = None,
        pause: float = 20,
        **more: Callable[[int], Any],
    ) -> None:
        history: list[Record] = []
        for turn in range(turns):
            self.time += pause
            history.append({"role": "user", "content": prose(self.chance, 40)})
            sent = messages(turn, deepcopy(history)) if messages else deepcopy(history)
            self.add(
                prompt(turn) if prompt else self.system,
                sent,
                tools(turn) if tools else self.tools,
                {name: value(turn) for name, value in more.items()},
            )
            history.append({"role": "assistant", "content": prose(self.chance, 60)})

    def add(self, system: str, messages: list[Record], tools: list[Record], more: Record) -> None:
        if self.form == "openai":
            body: Record = {
                "model": OPENAI,
                "tools": [{"type": "function", "function": _function(tool, "parameters")} for tool in tools],
                "messages": [{"role": "system", "content": system}, *messages],
            }
        else:
            mark = {"type": "ephemeral"}
            *rest, newest = messages
            content = [{"type": "text", "text": newest["content"], "cache_control": mark}]
            body = {
                "model": ANTHROPIC,
                "system": [{"type": "text", "text": system, "cache_control": mark}],
                "tools": [_function(tool, "input_schema") for tool in tools],
                "messages": [*rest, {"role": newest["role"], "content": content}],
            }
        usage = more.pop("usage", None)
        self.records.append(
            {"timestamp": self.time, "request": {**body, **more}, **({"usage": usage} if usage else {})}
        )

    def lines(self) -> str:
        return "".join(json.dumps(record) + "\n" for record in self.records)


def _function(tool: Record, schema: str) -> Record:
    if "order" in tool:
        values = {"name": tool["name"], "description": tool["description"], "schema": tool["schema"]}
        return {schema if name == "schema" else name: values[name] for name in tool["order"]}
    return {"name": tool["name"], "description": tool["description"], schema: tool["schema"]}


def clock(writer: Writer) -> None:
    for _ in range(4):
        writer.talk(5, prompt=lambda turn: f"It is 10:{len(writer.records):02}:07 now.\n{writer.system}")


def identifier(writer: Writer) -> None:
    head, tail = writer.system[:2000], writer.system[2000:]
    for _ in range(4):
        writer.talk(
            5, prompt=lambda turn: f"{head}\nRequest {UUID(int=writer.chance.getrandbits(128), version=4)}\n{tail}"
        )


def _uuid(writer: Writer) -> UUID:
    return UUID(int=writer.chance.getrandbits(128), version=4)


def counter(writer: Writer) -> None:
    for _ in range(4):
        writer.talk(6, prompt=lambda turn: f"This is step {turn + 1} of 9.\n{writer.system}")


def reorder(writer: Writer) -> None:
    for _ in range(4):
        writer.talk(6, tools=lambda turn: writer.chance.sample(writer.tools, 3))


def key_order(writer: Writer) -> None:
    def tools(turn: int) -> list[Record]:
        first, *rest = writer.tools
        return [{**first, "order": writer.chance.sample(["name", "description", "schema"], 3)}, *rest]

    for _ in range(4):
        writer.talk(6, tools=tools)


def edit(writer: Writer) -> None:
    def messages(turn: int, history: list[Record]) -> list[Record]:
        history[0]["content"] = f"{history[0]['content']}\nStill open: {prose(writer.chance, 8)}"
        return history

    for _ in range(4):
        writer.talk(8, messages=messages)


def truncation(writer: Writer) -> None:
    for _ in range(3):
        writer.talk(10, messages=lambda turn, history: history[-7:])


def tool_set(writer: Writer) -> None:
    more = {"name": "book_bicycle", "description": prose(random.Random(3), 30), "schema": {"type": "object"}}
    other = {"name": "order_meal", "description": prose(random.Random(4), 30), "schema": {"type": "object"}}
    for _ in range(3):
        writer.talk(6, tools=lambda turn: [*(([more], [other], [])[turn % 3]), *writer.tools])


def parameter(writer: Writer) -> None:
    if writer.form == "openai":
        for _ in range(3):
            writer.talk(6, reasoning_effort=lambda turn: ("low", "high")[turn % 2])
    else:
        for _ in range(3):
            writer.talk(6, tool_choice=lambda turn: ({"type": "auto"}, {"type": "any"})[turn % 2])


def gap(writer: Writer) -> None:
    for _ in range(3):
        writer.talk(5, pause=2000)
        writer.time += 4000


def routing(writer: Writer) -> None:
    """OpenAI: another cache key for each request. Anthropic has none: reports that say nothing was read."""
    if writer.form == "openai":
        writer.talk(12, prompt_cache_key=lambda turn: f"k{turn}")
    else:
        usage = {"input_tokens": 20, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 4000}
        writer.talk(12, usage=lambda turn: usage)


def threshold(writer: Writer) -> None:
    """OpenAI: a prompt below the minimum. Anthropic: breakpoints behind what differs."""
    if writer.form == "openai":
        short, writer.tools = prose(writer.chance, 300), []
        for _ in range(12):
            writer.talk(1, prompt=lambda turn: short)
        return
    for _ in range(10):
        writer.talk(1)
        body = writer.records[-1]["request"]
        del body["system"][0]["cache_control"]


SYSTEM = {"openai": "messages[0].content", "anthropic": "system[0].text"}
FORMS = tuple(SYSTEM)


def _same(*blamed: str) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(FORMS, blamed)


def _in_system(rule: str, kind: str) -> dict[str, tuple[str, ...]]:
    return {form: (rule, kind, path) for form, path in SYSTEM.items()}


PLANTED: dict[str, tuple[Callable[[Writer], None], dict[str, tuple[str, ...]]]] = {
    "clock": (clock, _in_system("clock-in-prefix", "time")),
    "id": (identifier, _in_system("random-id-in-prefix", "uuid")),
    "counter": (counter, _in_system("turn-state-in-prefix", "counter")),
    "reorder": (reorder, _same("tool-hash-churn", "reorder", "tools[*]")),
    "key order": (key_order, _same("non-canonical-json", "key-order", "tools[*]")),
    "edit": (edit, _same("history-rewrite", "text", "messages[*].content")),
    "truncation": (truncation, _same("front-truncation", "truncation", "messages[*].content")),
    "tool set": (tool_set, _same("tool-hash-churn", "tool set", "tools[*]")),
    "parameter": (
        parameter,
        {
            "openai": ("varying-parameter", "parameter", "reasoning_effort"),
            "anthropic": ("varying-parameter", "parameter", "tool_choice"),
        },
    ),
    "gap": (gap, _same("gap-miss", "gap", "")),
    "routing": (
        routing,
        {"openai": ("routing-miss", "routing", ""), "anthropic": ("routing-miss", "miss", "")},
    ),
    "threshold": (
        threshold,
        {
            "openai": ("below-minimum", "below-minimum", ""),
            "anthropic": ("breakpoint-on-volatile", "breakpoint", "messages[*].content[*].text"),
        },
    ),
}
"""By name: how it is planted, and by form the rule, kind and path that it is blamed on."""


def growing(writer: Writer) -> None:
    for _ in range(4):
        writer.talk(6)


def independent(writer: Writer) -> None:
    for _ in range(20):
        writer.talk(1)


def deploy(writer: Writer) -> None:
    """Four conversations go on while a new release brings other instructions."""
    old, new = writer.system, writer.system.replace("ticket", "voucher", 9)
    tools = [{**tool, "description": tool["description"] + " Ask first."} for tool in writer.tools]
    talks: list[list[Record]] = [[] for _ in range(4)]
    for turn in range(6):
        for talk in talks:
            writer.time += 11
            talk.append({"role": "user", "content": prose(writer.chance, 40)})
            writer.add(old if turn < 3 else new, deepcopy(talk), writer.tools if turn < 3 else tools, {})
            talk.append({"role": "assistant", "content": prose(writer.chance, 60)})


def tenants(writer: Writer) -> None:
    for _ in range(3):
        for name in ("Harbour Rail", "Valley Trams"):
            writer.talk(4, prompt=lambda turn, name=name: f"You answer for {name}.\n{writer.system}")  # type: ignore[misc]


CLEAN = {"append-only": growing, "independent questions": independent, "deploy": deploy, "two tenants": tenants}


PLANS = {**CLEAN, **{name: plan for name, (plan, _) in PLANTED.items()}}


@cache
def written(name: str, form: str) -> str:
    writer = Writer(form)
    PLANS[name](writer)
    return writer.lines()


@pytest.fixture
def log() -> Callable[[str, str], str]:
    """The JSON lines of a plan in a form."""
    return written


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`planted` is a form, a name and what is blamed; `clean` and `plan` are names; `form` is a form."""
    planted = [(form, name, blamed[form]) for name, (_, blamed) in PLANTED.items() for form in FORMS]
    values = {"planted": planted, "clean": list(CLEAN), "plan": list(PLANS), "form": list(FORMS)}
    for name, each in values.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, each, ids=_called)


def _called(value: object) -> str | None:
    return "-".join(value[:2]) if isinstance(value, tuple) else None
