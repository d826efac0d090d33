"""Text that a program builds before it is sent: formats in two stages, replacements, sums, what is never used."""

from __future__ import annotations

from tests.flow.conftest import Follow

SEND = "\ndef ask(client, question):\n    return client.chat.completions.create(messages=[\n" + (
    '        {"role": "system", "content": SYSTEM}, {"role": "user", "content": question}])\n'
)


def test_x(follow: Follow) -> None:
    files = {
        "a.py": """
from datetime import datetime
SYSTEM = f"You are a desk. It is {{current_datetime}}. {rules}"
def ask(client, question):
    system = SYSTEM.format(current_datetime=datetime.now().isoformat())
    return client.chat.completions.create(
        messages=[{"role": "system", "content": system}, {"role": "user", "content": question}]
    )
"""
    }
    assert follow(files) == ["clock-in-prefix"]
