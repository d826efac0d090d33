"""What published Python packages taught about requests: what is one, what is part of one, what becomes of values."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Find = Callable[[dict[str, str]], list[str]]

RULES = "Answer in one sentence, name the page that it rests on, and never guess what you do not know. " * 12

FALSE_ALARMS = {
    "a set that picks rows of a table": {
        "a.py": """
async def settings(db, *names):
    wanted = {name for name in names if kept(name)}
    rows = await db.execute(select(Setting).where(Setting.name.in_(wanted)))
    return {row.name: row.value for row in rows}

async def ask(client, db, question):
    known = await settings(db, "voice", "greeting")
    chat = [{"role": "system", "content": known["greeting"] + "RULES"}, {"role": "user", "content": question}]
    return client.chat.completions.create(messages=chat)
""",
    },
    "what is found by an id that was new": {
        "a.py": """
from uuid import uuid4

async def ask(client, store, question):
    claim = str(uuid4())
    await store.mark(claim)
    row = await store.get_row_by_claim(claim)
    chat = [{"role": "system", "content": row.text + "RULES"}, {"role": "user", "content": question}]
    return client.chat.completions.create(messages=chat)
""",
    },
    "messages of a store": {
        "a.py": """
from time import time
from uuid import uuid4

def record(question, answer, calls):
    now = int(time())
    kept = [Message(role="user", content=str(question), created_at=now)]
    for call in calls:
        key = call.id or str(uuid4())
        kept.append(Message(role="assistant", tool_calls=[{"id": key, "name": call.name}], created_at=now))
        kept.append(Message(role="tool", tool_call_id=key, content=str(call.result), created_at=now))
    kept.append(Message(role="assistant", content=answer, created_at=now))
    return Run(messages=kept, status="done")
""",
    },
    "an entry of a session under a key that is not seen": {
        "a.py": """
def system_prompt(context, names):
    lines = ["RULES"]
    for name in names:
        lines.insert(0, context.session.state[name])
    return "\\n".join(lines)
""",
    },
    "an entry that a record of other things does not show": {
        "a.py": """
import os

def state(question):
    return {**first_steps(question, os.getcwd()), "step": 1}

def ask(client, question):
    now = state(question)
    feedback = now.get("feedback")
    hint = f"A person said: {feedback}. " if feedback and feedback != "no" else ""
    return client.chat.completions.create(messages=[{"role": "user", "content": f"{hint}RULES"}])
""",
    },
    "what one message of the conversation asks for": {
        "a.py": """
def skill_prompt(wish):
    wish = (wish or "").strip()
    return f"Write a skill for this wish:\\n{wish}\\nRULES"

def rewrite(messages):
    for message in reversed(messages):
        if message.get("role") != "user":
            continue
        asked = COMMAND.match(text_of(message))
        if asked:
            put_back(messages, skill_prompt(asked.group(1) or ""))
""",
    },
    "a file of an object whose folder is named after the time": {
        "a.py": """
import time

class Agent:
    def __init__(self, state=None):
        self.files = Files.from_state(state) if state else Files(f"/tmp/agent_{time.time()}")

    def ask(self, client, question):
        todo = self.files.get_todo()
        chat = [{"role": "system", "content": f"{todo}\nRULES"}, {"role": "user", "content": question}]
        return client.chat.completions.create(messages=chat)
""",
    },
    "an id that stands in where there is none": {
        "a.py": """
import uuid

def new_id():
    return f"call_{uuid.uuid4().hex}"

def convert_to_anthropic_tool_invoke(call):
    # of the messages so far
    return [ToolUse(type="tool_use", id=call.id or new_id(), name=call.name, input=parse(call.arguments))]
""",
    },
    "messages that a loop goes over by their numbers": {
        "a.py": """
def to_anthropic_messages(messages):
    out, at = [], 0
    while at < len(messages):
        for call in messages[at].get("tool_calls") or []:
            check(call, messages=messages)
            out.append({"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["input"]})
        at += 1
    return out
""",
    },
}

FOUND = {
    "a request whose answer another one is made of": (
        {
            "a.py": """
from datetime import datetime

def outline(client, topic):
    chat = [{"role": "user", "content": f"It is {datetime.now()}. RULES {topic}"}]
    return client.chat.completions.create(messages=chat)

def write(client, topic):
    plan = outline(client, topic)
    return client.chat.completions.create(messages=[{"role": "user", "content": f"RULES {plan}"}])
""",
        },
        ["a.py:5 warning clock-in-prefix"],
    ),
    "a list of messages that another function copies one by one": (
        {
            "a.py": """
from datetime import datetime
from b import send

def chat(model, messages):
    out = [{"role": "system", "content": f"It is {datetime.now()}. RULES"}]
    for each in messages:
        out.append({"role": each["role"], "content": each["content"]})
    return send(model, messages=out)
""",
            "b.py": """
def send(model, messages):
    out = []
    for each in messages:
        if each["role"] == "system":
            out.append(SystemMessage(content=each["content"]))
        else:
            out.append(HumanMessage(content=each["content"]))
    return model.invoke(out)
""",
        },
        ["a.py:6 error clock-in-prefix"],
    ),
    "text that is found for a question by a function that is not seen": (
        {
            "a.py": """
PROMPT = "You search tables.\\n{context_data}\\nRULES"

def ask(self, client, question):
    found = self.builder.build_context(question)
    chat = [{"role": "system", "content": PROMPT.format(context_data=found.text)}]
    return client.chat.completions.create(messages=[*chat, {"role": "user", "content": question}])
""",
        },
        ["a.py:2 warning retrieval-in-prefix"],
    ),
    "the question that an object is made for": (
        {
            "a.py": """
class Picker:
    def __init__(self, query):
        self.query = query

    def ask(self, client):
        text = f"Pick tools for this: {self.query}\\nRULES"
        return client.chat.completions.create(messages=[{"role": "user", "content": text}])
""",
        },
        ["a.py:7 warning user-input-in-prefix"],
    ),
    "a long text in a module that is called after prompts": (
        {
            "prompts.py": """
def curate(query, sources):
    # the user's prompt
    return f"Judge these sources for: {query}\\nRULES\\n{sources}"
""",
        },
        ["prompts.py:4 warning user-input-in-prefix"],
    ),
    "arguments that a private step of a translator writes": (
        {
            "a.py": """
import json

class Gateway:
    def _content_to_messages(self, content):
        calls = []
        for part in content.parts:
            self._take_part(part, calls)
        return [{"role": "assistant", "tool_calls": calls}]

    def _take_part(self, part, calls):
        if part.call:
            written = json.dumps(part.call.args) if part.call.args else "{}"
            calls.append({"type": "function", "function": {"name": part.call.name, "arguments": written}})
""",
        },
        ["a.py:14 warning non-canonical-json"],
    ),
    "a new id for a call of the conversation, each time that it is translated": (
        {
            "a.py": """
import uuid

def convert_to_anthropic_tool_invoke(call):
    # of the messages so far
    return [ToolUse(type="tool_use", id=str(uuid.uuid4()), name=call.name, input=parse(call.arguments))]
""",
        },
        ["a.py:6 warning random-id-in-prefix"],
    ),
}


@pytest.mark.parametrize("files", FALSE_ALARMS.values(), ids=FALSE_ALARMS)
def test_nothing_is_said(find: Find, files: dict[str, str]) -> None:
    assert find(_with_rules(files)) == []


@pytest.mark.parametrize(("files", "expected"), FOUND.values(), ids=FOUND)
def test_it_is_found(find: Find, files: dict[str, str], expected: list[str]) -> None:
    assert find(_with_rules(files)) == expected


def _with_rules(files: dict[str, str]) -> dict[str, str]:
    return {name: text.replace("RULES", RULES) for name, text in files.items()}
