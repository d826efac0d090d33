"""Request bodies in YAML: breakpoints and settings are read, prompt files of frameworks are left to their keys."""

from __future__ import annotations

import time

import pytest

from promptlint.prompt import Section
from promptlint.readers.yaml_prompts import read
from promptlint.source import Source
from promptlint.unit import Unit

BODY = """\
model: claude-opus-5
max_tokens: 300
tool_choice: {type: auto}
tools:
  - name: find_book
    input_schema: {type: object}
    cache_control: {type: ephemeral, ttl: 1h}
system:
  - type: text
    text: |
      Be brief.
      Name the shelf.
    cache_control:
      type: ephemeral
messages:
  - role: user
    content: "Is it {{ 'there' }}?"
"""


def unit(text: str, path: str = "prompts/request.yaml") -> Unit:
    return read(Source(path, text))


def test_a_body_has_its_breakpoints_and_settings() -> None:
    found = unit(BODY)
    (prompt,) = found.prompts
    assert prompt.complete and prompt.provider is not None and prompt.provider.name == "anthropic"
    assert [(marker.after, marker.ttl, marker.site) for marker in prompt.markers] == [
        (0, "1h", "tool"),
        (1, None, "block"),
    ]
    places = [found.source.slice(marker.span) for marker in prompt.markers]
    assert places == ["cache_control: {type: ephemeral, ttl: 1h}", "cache_control:\n      type: ephemeral"]
    assert [(each.name, found.source.slice(each.span)) for each in prompt.parameters] == [
        ("tool_choice", "{type: auto}")
    ]
    assert [message.section for message in prompt.messages] == [Section.TOOLS, Section.SYSTEM, Section.USER]


def test_messages_without_anything_for_the_cache_are_read_as_before() -> None:
    (prompt,) = unit(
        "messages:\n  - role: system\n    content: Be brief.\n  - role: user\n    content: '{{ q }}'\n"
    ).prompts
    assert not prompt.complete and not prompt.rendered and prompt.markers == ()


def test_two_documents_are_two_requests() -> None:
    assert [prompt.name for prompt in unit(f"{BODY}---\n{BODY}").prompts] == ["", "2"]


@pytest.mark.parametrize("value", ["true", "null", "~", "3", "-1.5e3", "''", "'3'"])
def test_scalars_are_what_yaml_says(value: str) -> None:
    body = BODY.replace("tool_choice: {type: auto}", f"service_tier: {value}")
    (prompt,) = unit(body).prompts
    nothing = value in ("null", "~")
    assert [each.name for each in prompt.parameters] == ([] if nothing else ["service_tier"])


def test_an_alias_to_what_holds_it_ends() -> None:
    assert unit("messages: &m\n  - role: user\n    content: *m\n    cache_control: {type: ephemeral}\n") is not None


def test_aliases_are_not_multiplied() -> None:
    layers = "".join(f"l{at}: &l{at} [{', '.join([f'*l{at - 1}'] * 9)}]\n" for at in range(1, 12))
    started = time.process_time()
    unit(f"l0: &l0 [a]\n{layers}{BODY}metadata: *l11\n")
    assert time.process_time() - started < 2
