"""Secrets in prompts: real ones are said, made-up ones are not, none is shown. Keys here are random and nobody's."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptlint.engine import Engine, Options
from promptlint.finding import Finding
from promptlint.report.concise import concise
from promptlint.report.full import full
from promptlint.report.json_v1 import json_v1
from promptlint.report.paint import Paint

API_KEY = "sk-proj-" + "Zk3vQ9xTb7Lw2RmHc8NsUj5dYe4GfWa6Kp"
GITHUB = "ghp_" + "R7tWq2ZkV9mXc4LbN8sHd3Jf6YpGa5Ue1QoT"
AWS = "AKIA" + "Q3ZT7VNP4XKD2WLB"
PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----"


def findings(folder: Path, text: str, name: str = "prompts/system.j2") -> list[Finding]:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    outcome = Engine(Options(select=frozenset({"secret-in-prefix"}), isolated=True)).check([path])
    for shown in (json_v1(outcome.run), *concise(outcome.run, Paint(False)), *full(outcome.run, Paint(False))):
        assert not any(secret in shown for secret in (API_KEY, GITHUB, AWS, "MIIEvQIBADANBgk", "kR7wQz2p"))
    return list(outcome.run.findings)


@pytest.mark.parametrize(
    ("text", "secret", "severity"),
    [
        (f"Use {API_KEY} for the calls.", API_KEY, "error"),
        (f"Authorization: token {GITHUB}", GITHUB, "error"),
        (f"The account is {AWS}.", AWS, "error"),
        (f"Sign with\n{PEM}\n", PEM[27:-25], "error"),
        ("Read postgres://report:kR7wQz2p@db/sales.", "kR7wQz2p", "warning"),
        ("user: desk\npassword: kR7wQz2p\n", "kR7wQz2p", "warning"),
        ('{"api_key": "kR7wQz2pLm4"}', "kR7wQz2pLm4", "warning"),
    ],
)
def test_a_secret_is_found_where_it_stands(tmp_path: Path, text: str, secret: str, severity: str) -> None:
    (found,) = findings(tmp_path, text)
    assert found.place.text == secret
    assert found.severity.label == severity


@pytest.mark.parametrize(
    "text",
    [
        "Keys begin with sk-... or ghp_.",
        "sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_YOUR_TOKEN_0123456789abcdefghijkl",
        "sk-proj-abcdefghijklmnop1234567890",
        "AKIAIOSFODNN7EXAMPLE",
        "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
        "password: changeme123",
        "password: hunter2",
        "password: at least 8 signs, 1 digit",
        "api_key = os.environ['KEY1']",
        "token: {{ token }}, key: ${API_KEY_1}",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
        "a token of 550e8400-e29b-41d4-a716-446655440000 is an id",
        "```\npassword: kR7wQz2p\n```",
        "max_tokens=100000, token budget: 4096",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    ],
)
def test_what_documentation_makes_up_is_silent(tmp_path: Path, text: str) -> None:
    assert findings(tmp_path, f"Be brief.\n{text}\n") == []


def test_a_secret_is_found_across_the_pieces_that_a_reader_makes(tmp_path: Path) -> None:
    # The heading cuts the text in two; escapes make the file's characters more than the text's.
    body = '{"messages": [{"role": "system", "content": "Say \\"hi\\".\\n\\n## Keys\\n' + API_KEY + '"}]}'
    (found,) = findings(tmp_path, body, "prompts/request.json")
    assert found.place.text == API_KEY


def test_of_a_request_that_was_sent_only_what_its_author_wrote_is_read(tmp_path: Path) -> None:
    body = '{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "' + API_KEY + '"}]}'
    assert findings(tmp_path, body, "prompts/request.json") == []


def test_the_same_secret_is_said_once(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, f"Use {API_KEY}.\nNever {GITHUB[:8]}.\nAgain: {API_KEY}.\n")
    assert [related.message for related in found.related] == ["and here"]
