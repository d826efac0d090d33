"""Messages that are changed when they have grown old."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Follow = Callable[..., list[str]]

REQUEST = """
def ask(client, messages, question):
{body}
    rules = "{{rules}}"
    return client.chat.completions.create(
        model="m",
        messages=[{{"role": "system", "content": rules}}, *{sent}, {{"role": "user", "content": question}}],
    )
"""


def program(body: str, sent: str = "messages") -> str:
    return REQUEST.replace("{body}", body.strip("\n")).replace("{sent}", sent).replace("{{", "{").replace("}}", "}")


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ('    for each in messages[:-6]:\n        «each["content"]» = "[old]"', "messages"),
        (
            "    for each in messages[1:-6]:\n        if is_old(each):\n            «each.content» = short(each)",
            "messages",
        ),
        ('    for i, each in enumerate(messages[:-6]):\n        «each["content"]» = f"{i}"', "messages"),
        ("    for i in range(len(messages) - 6):\n        «messages[i]» = short(messages[i])", "messages"),
        ("    sent = [short(each) «for each in messages[:-10]»] + messages[-10:]", "sent"),
    ],
)
def test_old_messages_that_are_changed(follow: Follow, body: str, sent: str) -> None:
    assert follow({"desk.py": program(body, sent)}) == ["history-rewrite"]


def test_a_function_that_changes_them_and_returns_them(follow: Follow) -> None:
    shortened = (
        'def shortened(talk):\n    for each in talk[:-6]:\n        «each.content» = "[old]"\n    return talk\n\n'
    )
    assert follow({"desk.py": shortened + program("", "shortened(messages)")}) == ["history-rewrite"]


@pytest.mark.parametrize(
    "body",
    [
        # The same for all of them, whenever they are sent.
        '    for each in messages:\n        each["content"] = each["content"].strip()',
        # Once in a while, when there are too many.
        '    if len(messages) > 200:\n        for each in messages[:-6]:\n            each["content"] = "[old]"',
        '    if tokens(messages) < 9:\n        return None\n    for each in messages[:-6]:\n        each.text = ""',
        # Other lists than the one that is sent.
        '    for each in copies[:-6]:\n        each["content"] = "[old]"',
        # What no request shows.
        "    for each in messages[:-6]:\n        each.seen = True",
        "    for each in messages[:-6]:\n        print(each.content)",
    ],
)
def test_what_is_no_change_of_old_messages(follow: Follow, body: str) -> None:
    assert follow({"desk.py": program(body)}) == []
