"""Which conditions of a chat template give another answer for a message once more messages follow."""

from pathlib import Path

import pytest

from promptlint.engine import Engine, Options
from promptlint.finding import Finding

HEAD = """\
{%- set ns = namespace(last=-1, final=-1, first_user=-1, users=[], previous=-1) %}
{%- set start = 1 if messages[0].role == 'system' else 0 %}
{%- set always = true %}{% set off = false %}
{%- for m in messages %}
{%- if m.role == 'user' %}{% set ns.last = loop.index0 %}{% set ns.users = ns.users + [m] %}
{%- if ns.first_user < 0 %}{% set ns.first_user = loop.index0 %}{% endif %}{% endif %}
{%- endfor %}
{%- for i in range(messages | length) %}{% if messages[i].role == 'user' %}{% set ns.final = i %}{% endif %}{% endfor %}
{%- set roles = messages | map(attribute='role') | list %}
"""

BODY = """\
{%%- for message in messages %%}
{%%- set here = loop.index0 %%}
{%%- set current = loop.index0 >= ns.last %%}
<|{{ message.role }}|>{%% if %s %%}<x>{{ message.extra }}</x>{%% endif %%}{{ message.content }}
{%%- set ns.previous = loop.index0 %%}
{%%- endfor %%}
"""


def found(folder: Path, text: str) -> list[Finding]:
    path = folder / "chat_template.jinja"
    path.write_text(text, encoding="utf-8")
    outcome = Engine(Options(isolated=True)).check([path])
    assert not outcome.notices and not outcome.broken
    return [finding for finding in outcome.run.findings if finding.rule == "position-dependent-template"]


@pytest.mark.parametrize(
    "test",
    [
        "loop.index0 > ns.last",
        "ns.last < loop.index0",
        "not (loop.index0 <= ns.last)",
        "message.extra is defined and loop.index0 > ns.last",
        "here > ns.last",
        "current",
        "loop.index0 > ns.final",
        "loop.index0 > last_query_index",
        "loop.index0 >= state.last_user",
        "message == messages[-1]",
        "message == ns.users[-1]",
        "roles[-1] == 'user'",
        "messages[-1].role == 'user'",
        "messages[-1].tool_calls",
        "(messages | last).role == 'user'",
        "message in messages[-4:]",
        "loop.index < messages | length - 4",
        "loop.index0 > messages | length - kept",
        "loop.revindex > 4",
        "messages | length > 20",
        "len(messages) > 20",
        "off or loop.index0 > ns.last",
        "always and loop.index0 > ns.last",
        "loop.index0 > messages | length - (2 if kept else 1)",
    ],
)
def test_what_moves_when_messages_are_added(test: str, tmp_path: Path) -> None:
    (finding,) = found(tmp_path, HEAD + BODY % test)
    assert finding.place.text == test


@pytest.mark.parametrize(
    "test",
    [
        "loop.first",
        "loop.index0 > 2",
        "loop.index0 > start",
        "loop.index0 >= max_turns",
        "loop.index0 > ns.first_user",
        "loop.index0 > ns.previous",
        "here > 3",
        "messages[0].role == 'system'",
        "message.content.split('</think>')[-1] != ''",
        "message.tool_calls[-1].name == 'look'",
        "messages[0].content.split('#')[-1] != ''",
        # How the last message ends is the end of the prompt.
        "loop.last",
        "loop.index0 == messages | length - 1",
        "loop.index < messages | length",
        "loop.revindex == 1",
        "loop.revindex0 > 0",
        "add_generation_prompt and message == messages[-1]",
        # The next message is there as soon as it matters.
        "messages[loop.index0 + 1].role != 'tool'",
        "loop.index0 < (messages | length - 1) and messages[loop.index0 + 1].role == 'tool'",
        "messages | length > 0",
        "messages | length > 1",
        # The template has made up its mind.
        "always or loop.index0 > ns.last",
        "off and loop.index0 > ns.last",
        "not always and loop.index0 > ns.last",
    ],
)
def test_what_stays_when_messages_are_added(test: str, tmp_path: Path) -> None:
    assert not found(tmp_path, HEAD + BODY % test)


def test_places_in_a_loop_inside_are_other_places(tmp_path: Path) -> None:
    calls = "{% for call in message.tool_calls %}{% if loop.index0 > ns.last %}, {% endif %}{{ call }}{% endfor %}"
    assert not found(tmp_path, HEAD + "{% for message in messages %}" + calls + "{{ message.content }}{% endfor %}")


def test_a_loop_over_part_of_the_messages_is_one_over_messages(tmp_path: Path) -> None:
    text = (
        "{% set talk = messages[1:] %}{% for message in talk %}{{ message.role }}: "
        "{% if message == talk[-1] %}{{ message.extra }}{% endif %}{{ message.content }}{% endfor %}"
    )
    (finding,) = found(tmp_path, text)
    assert finding.place.text.startswith("message == talk[-1]")


def test_a_value_that_a_branch_sets_is_reported_at_its_condition(tmp_path: Path) -> None:
    text = (
        HEAD + "{% for message in messages %}{% set text = message.content %}"
        "{% if loop.index0 < ns.last %}{% set text = text.split('</think>')[-1] %}{% endif %}"
        "<|{{ message.role }}|>{{ text }}{% endfor %}"
    )
    (finding,) = found(tmp_path, text)
    assert finding.place.text == "loop.index0 < ns.last"


def test_what_decided_the_list_decides_no_text(tmp_path: Path) -> None:
    text = (
        "{% set talk = messages %}{% if messages[-1].role == 'assistant' %}{% set talk = messages[:-1] %}{% endif %}"
        "{% for message in talk %}{{ message.role }}: {{ message.content }}"
        "{{ ', ' if talk[loop.index0 + 1].role == 'tool' else '' }}{% endfor %}"
    )
    assert not found(tmp_path, text)


@pytest.mark.parametrize(
    ("test", "switch"),
    [
        ("preserve_thinking or loop.index0 > ns.last", "preserve_thinking"),
        ("(clear_thinking is defined and not clear_thinking) or loop.index0 > ns.last", "clear_thinking"),
        ("not (truncate_history and loop.index0 < ns.last)", "truncate_history"),
        ("settings.keepReasoning or loop.index0 > ns.last", "settings.keepReasoning"),
        ("enable_thinking and loop.index0 > ns.last", None),
        ("message.keep_me or loop.index0 > ns.last", None),
        ("prefix.strip() and loop.index0 > ns.last", None),
    ],
)
def test_a_setting_that_keeps_old_messages_makes_a_note(test: str, switch: str | None, tmp_path: Path) -> None:
    (finding,) = found(tmp_path, HEAD + BODY % test)
    assert finding.severity.label == ("note" if switch else "warning")
    assert (switch is not None) == finding.advice.startswith(f"Set `{switch}` ")


def test_a_setting_with_a_default_is_one_still(tmp_path: Path) -> None:
    default = "{% set keep_past = keep_past | default(false) %}"
    (finding,) = found(tmp_path, default + HEAD + BODY % "keep_past or loop.index0 > ns.last")
    assert finding.severity.label == "note"
