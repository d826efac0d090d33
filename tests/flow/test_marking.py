"""Breakpoints in programs: what carries them decides whether they are read."""

from __future__ import annotations

import pytest

from tests.flow.conftest import Follow

CONFIG = 'provider = "anthropic"\n'
MARK = '"cache_control": {"type": "ephemeral"}'

ASK = """
def ask(model, question):
    # One list of messages.
    return model.invoke([MESSAGE, HumanMessage(content=question)])
"""

MESSAGES = {
    "in additional_kwargs, which are not sent": f'SystemMessage(content="{{rules}}", additional_kwargs={{«{MARK}»}})',
    "on a call of a tool, which is built anew": f"""AIMessage(content=[
        {{"type": "tool_use", "id": "1", "name": "shelf", "input": {{}}, «{MARK}»}}])""",
}


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
def test_a_message_of_langchain_loses_its_breakpoint(follow: Follow, message: str) -> None:
    program = ASK.replace("MESSAGE", message)
    assert follow({"promptlint.toml": CONFIG, "a.py": program}) == ["breakpoint-dropped"]


def test_a_block_in_a_message_of_langchain_keeps_its_breakpoint(follow: Follow) -> None:
    message = f'SystemMessage(content=[{{"type": "text", "text": "{{rules}}", {MARK}}}])'
    program = ASK.replace("MESSAGE", message)
    assert follow({"promptlint.toml": CONFIG, "a.py": program}) == []
