"""Cache keys, salts and settings that are part of the prefix: in one request, and between those of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptlint.checks.parameters import varying_parameter
from promptlint.engine import Engine, Options
from promptlint.events import Cause, Confidence, Event, Evidence, Lifetime
from promptlint.finding import Severity
from promptlint.layout.appraise import appraise
from promptlint.prompt import Parameter, Prompt
from promptlint.providers.registry import provider
from promptlint.rulebook import rule
from promptlint.source import Place, Source, Span

from .conftest import Check
from .test_breakpoints import assistant, claude, user

MAIL = {"role": "developer", "content": "Sort letters into loans, visits and press. Answer with one word." * 3}


def mail(letter: str = "{{ letter }}", **more: Any) -> dict[str, Any]:
    return {"model": "gpt-5.6", **more, "messages": [MAIL, user(letter)]}


@pytest.mark.parametrize(
    ("key", "severity"),
    [
        ("{{ uuid4() }}", Severity.ERROR),
        ("mail-{{ now().isoformat() }}", Severity.ERROR),
        ("{{ request_id }}", Severity.WARNING),
        ("{{ conversation_id }}", None),
        ("{{ user_id }}", None),
        ("{{ settings.key }}", None),
        ("mail-v3", None),
    ],
)
def test_a_routing_key_may_belong_to_a_conversation(check: Check, key: str, severity: Severity | None) -> None:
    found = check("unstable-cache-key", mail(prompt_cache_key=key))
    assert [finding.severity for finding in found] == ([severity] if severity is not None else [])
    if found:
        assert found[0].place.text == f'"{key}"'


@pytest.mark.parametrize(
    ("salt", "severity"),
    [("{{ uuid4() }}", Severity.ERROR), ("{{ session_id }}", Severity.WARNING), ("{{ tenant_id }}", None)],
)
def test_a_salt_has_to_last_longer(check: Check, salt: str, severity: Severity | None) -> None:
    found = check("unstable-cache-key", mail(model="hosted_vllm/house-model", cache_salt=salt))
    assert [finding.severity for finding in found] == ([severity] if severity is not None else [])


def test_a_name_means_something_to_its_provider_only(check: Check) -> None:
    salted = {"cache_salt": "{{ uuid4() }}", "user_id": "{{ uuid4() }}"}
    assert check("unstable-cache-key", mail(**salted)) == []
    (found,) = check("unstable-cache-key", mail(model="deepseek-chat", **salted))
    assert "`user_id`" in found.message


def test_a_trace_id_in_metadata_is_none_of_its_business(check: Check) -> None:
    assert check("unstable-cache-key", mail(prompt_cache_key="mail", metadata={"trace": "{{ uuid4() }}"})) == []


@pytest.mark.parametrize(
    ("keys", "reported"),
    [(["a", "b", "c"], True), (["a", "b"], False), (["a", "b", "a"], False), (["a", "a", "a"], False)],
)
def test_keys_are_compared_over_a_file(check: Check, keys: list[str], reported: bool) -> None:
    bodies = [mail(f"Letter {at}.", prompt_cache_key=key) for at, key in enumerate(keys)]
    assert bool(check("unstable-cache-key", *bodies)) == reported


def test_conversations_have_keys_of_their_own(check: Check) -> None:
    bodies = [mail(prompt_cache_key=f"talk-{at}") for at in range(3)]
    for at, body in enumerate(bodies):
        body["messages"] = [MAIL, user(f"Letter {at}."), assistant("Loans."), user("Sure?")]
    assert check("unstable-cache-key", *bodies) == []


def varying(name: str, of: str, *events: Event) -> list[Severity]:
    """Severities for a parameter that a reader of code found to change so."""
    source = Source("call.py", "effort(step)")
    place = Place(source, Span(0, 12))
    cause = Cause("counter", frozenset(events), Evidence.CALL, Confidence.HIGH, "`effort(step)`", place)
    given = Parameter(name, place, None, Lifetime((cause,)) if events else Lifetime())
    appraisal = appraise(Prompt("call.py", "", (), parameters=(given,)), provider(of), provider_known=True)
    return [finding.severity for finding in varying_parameter(appraisal, rule("varying-parameter"))]


def test_a_setting_counts_where_the_registry_says_that_it_breaks_the_prefix() -> None:
    assert varying("thinking", "anthropic", Event.REQUEST) == [Severity.ERROR]
    assert varying("reasoning.effort", "openai", Event.TURN) == [Severity.ERROR]
    assert varying("temperature", "openai", Event.REQUEST) == []
    assert varying("tool_choice", "openai", Event.REQUEST) == []  # documented as harmless
    assert varying("tool_choice", "anthropic", Event.REQUEST) == [Severity.ERROR]
    assert varying("thinking", "generic", Event.REQUEST) == []


@pytest.mark.parametrize("event", [Event.USER, Event.SESSION, Event.DAY, Event.DEPLOY])
def test_a_users_choice_is_legal(event: Event) -> None:
    assert varying("thinking", "anthropic", event) == []


CALLS = {
    "call.py": """
def call(client, messages):
    last = messages[-1]
    return client.messages.create(
        model="claude-opus-5", max_tokens=9, messages=messages,
        thinking={"type": "enabled"} if last["role"] == "user" else {"type": "disabled"},
    )
""",
    "call.ts": """
export function call(messages: Msg[]) {
  const bare = messages.at(-1)?.role === "assistant";
  return { model: pick(), max_tokens: 9, thinking: bare ? { type: "disabled" } : { type: "adaptive" }, messages };
}
""",
}


@pytest.mark.parametrize("name", CALLS)
def test_a_setting_that_looks_at_the_newest_message_varies(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(CALLS[name])
    options = Options(select=frozenset({"varying-parameter"}), isolated=True)
    (found,) = Engine(options).check([tmp_path / name]).run.findings
    assert found.severity is Severity.ERROR and found.place.text.startswith("thinking")
    (tmp_path / name).write_text(CALLS[name].replace("[-1]", "[0]").replace("at(-1)", "at(0)"))
    assert Engine(options).check([tmp_path / name]).run.findings == ()


def test_a_constant_is_silent() -> None:
    assert varying("thinking", "anthropic") == []


@pytest.mark.parametrize(("second", "reported"), [("low", False), ("high", True)])
def test_a_setting_is_compared_between_calls_of_a_conversation(check: Check, second: str, reported: bool) -> None:
    first = claude(user("Hi."), output_config={"effort": "low"})
    on = claude(user("Hi."), assistant("Yes."), user("And?"), output_config={"effort": second})
    found = check("varying-parameter", first, on)
    assert bool(found) == reported
    if found:
        assert (found[0].place.text, found[0].related[0].place.text) == ('"high"', '"low"')


def test_calls_that_do_not_go_on_from_each_other_are_not_compared(check: Check) -> None:
    first = claude(user("Hi."), output_config={"effort": "low"})
    other = claude(user("Ho."), assistant("Yes."), user("And?"), output_config={"effort": "high"})
    changed = claude(user("Hi."), assistant("Yes."), user("And?"), system="Be brief.", output_config={"effort": "high"})
    assert check("varying-parameter", first, other, changed) == []
