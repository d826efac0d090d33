"""Whole files through parse, link, appraise and check, for what issues of users are about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptlint.engine import Engine, Options

BODY = {
    "model": "some-model",
    "messages": [
        {
            "role": "system",
            "content": "You sort mail. Example: order 550e8400-e29b-41d4-a716-446655440000 of 2024-05-03 is late."
            + " Answer with one word of the list." * 30,
        },
        {"role": "user", "content": "Where is 550e8400-e29b-41d4-a716-446655440123?"},
    ],
}


def found(folder: Path, name: str, text: str) -> list[tuple[str, str, int, int]]:
    """Rule, severity, line and column of each finding in a file of that name and text."""
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    outcome = Engine(Options(isolated=True)).check([path])
    assert not outcome.notices and not outcome.broken
    places = [(finding, finding.place.source.position(finding.place.span.start)) for finding in outcome.run.findings]
    return [(finding.rule, finding.severity.label, at.line, at.column) for finding, at in places]


def test_a_sample_with_a_date_and_an_id_in_an_example_is_silent(tmp_path: Path) -> None:
    assert found(tmp_path, "request.json", json.dumps(BODY)) == []


def test_a_sample_with_a_time_in_its_first_line_is_not(tmp_path: Path) -> None:
    system, user = BODY["messages"]
    assert isinstance(system, dict)
    timed = {**system, "content": "Now: 2026-01-15T10:15:22Z.\n" + system["content"]}
    text = json.dumps({**BODY, "messages": [timed, user]})
    column = text.index("2026-01-15") + 1
    assert found(tmp_path, "request.json", text) == [("clock-in-prefix", "warning", 1, column)]


CHAT = """{{- bos_token }}
%s
{%%- for message in messages %%}
{{- '<|' + message.role + '|>' + message.content + '<|end|>' }}
{%%- endfor %%}
{%%- if add_generation_prompt %%}{{- '<|assistant|>' }}{%%- endif %%}
"""


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("{{- '<|system|>Today is ' + strftime_now('%Y-%m-%d') + '.' }}", [("date-in-prefix", "note", 2, 29)]),
        ("{{- '<|system|>It is ' + strftime_now('%H:%M') + '.' }}", [("clock-in-prefix", "error", 2, 26)]),
        ("{%- set today = strftime_now('%Y-%m-%d') %}", []),
        ("{%- if not date is defined %}{%- set date = '26 Jul 2024' %}{%- endif %}{{- 'Today: ' + date }}", []),
        ("{{- '<|system|>You write dates as 2024-01-31.' }}", []),
        ("{%- if tools %}{{- '<|tools|>' + (tools | tojson) }}{%- endif %}", []),
    ],
)
def test_dates_in_chat_templates(tmp_path: Path, head: str, expected: list[tuple[str, str, int, int]]) -> None:
    assert found(tmp_path, "chat_template.jinja", CHAT % head) == expected


def test_the_default_system_text_of_a_template_is_followed(tmp_path: Path) -> None:
    text = (
        "{%- set today = strftime_now('%Y-%m-%d') %}\n"
        "{%- if messages[0].role == 'system' %}{%- set text = messages[0].content %}{%- else %}"
        "{%- set text = 'The date is ' + today %}{%- endif %}\n"
        "{{- '<|system|>' + text + '\\n' }}\n"
        "{{- 'Always answer in the language of the question. ' }}\n"
        "{%- for message in messages %}{{- message.content }}{%- endfor %}\n"
    )
    assert found(tmp_path, "chat_template.jinja", text) == [("date-in-prefix", "note", 3, 20)]
