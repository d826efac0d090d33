from __future__ import annotations

from collections.abc import Callable

import pytest

from promptlint.events import FIXED, Event
from promptlint.expression import Attribute, Bound, Compare, Element, Expression, Literal, Name, Truth
from promptlint.lifetimes.classify import Classifier, Declared
from promptlint.source import Source, Span

Read = Callable[[str], tuple[Expression, Source]]
AT = Span(0, 0)


@pytest.mark.parametrize(
    ("text", "cause", "few"),
    [
        # Presence: a few stable variants, whatever the value is.
        ("user_name", "identity user", True),
        ("not user_name", "identity user", True),
        ("tools", "tools deploy", True),
        ("tenant_id and tools", "tenant tenant, tools deploy", True),
        ("current_date", "", True),
        ("now()", "", True),
        ("session_id", "", True),
        ("question", "", True),
        ("retrieved_docs", "", True),
        ("not (messages and question)", "", True),
        ("step", "", True),
        ("something", "", True),
        ("should_explain(x)", "", True),
        ("user.is_admin", "variant user", True),
        # Comparisons that ask for presence.
        ("question != ''", "", True),
        ("memories == None", "", True),
        ("(documents | length) > 0", "", True),
        ("len(search_results) == 0", "", True),
        ("documents.length > 0", "", True),
        ("enable_tools == True", "variant user", True),
        # Comparisons that change with what is compared.
        ("now().hour < 12", "clock day", False),
        ("now().minute < 30", "clock day", False),
        ("current_time > deadline", "clock day", False),
        ("now().year > 2025", "clock deploy", False),
        ("not (now().hour < 12)", "clock day", False),
        ("tools and now().hour < 12", "tools deploy, clock day", False),
        ("iteration > 3", "counter request", False),
        ("budget.left < budget.max_steps", "counter request, config deploy", False),
        ("question == 'help'", "input turn", False),
        ("(documents | length) > 5", "retrieval turn", False),
        ("random.random() < 0.5", "choice request", False),
        ("user.plan == 'pro'", "variant user", True),
        ("user_name == 'Ada'", "identity user", True),
        ("session_id == 'x'", "session session", True),
        ("tenant_id == 'acme'", "tenant tenant", True),
        ("something == 'x'", "", True),
        # A draw is there at one time and not at another.
        ("random.choice([True, False])", "choice request", False),
        # What is asked of a history.
        ("(messages | length) > 3", "", True),
        ("len(messages) % 2 == 0", "", True),
        ("messages.length > 3", "", True),
        ("loop.index0 == (messages | length) - 1", "", True),
        ("messages[-1].content == 'x'", "history turn", False),
    ],
)
def test_conditions(read: Read, text: str, cause: str, few: bool) -> None:
    lifetime = Classifier().condition(*read(text))
    found = ", ".join(" ".join([cause.kind, *sorted(cause.events)]) for cause in lifetime.causes)
    assert found == cause
    assert lifetime.few is few
    assert not lifetime.growing


@pytest.mark.parametrize(
    "text",
    [
        "True",
        "1 == 1",
        "message.role == 'user'",
        "messages[0].role == 'system'",
        "messages[0]['role'] == 'system'",
        "messages[-1].role != 'assistant'",
        "not (message.role == 'user')",
        "'tool_calls' in message",
        "loop.first",
        "loop.index0 == 0",
    ],
)
def test_conditions_that_nothing_changes(read: Read, text: str) -> None:
    found = Classifier().condition(*read(text))
    assert found.events <= {Event.DEPLOY}, "at most the caller's own system text"
    assert found.known and not found.growing


def test_the_role_of_a_bound_message_is_fixed() -> None:
    source = Source("chat.jinja", "")
    message = Bound("entry", Element(Name("messages", AT), AT), source, AT)
    test = Compare((Attribute(message, "role", AT), Literal("user", AT)), AT)
    assert Classifier().condition(test, source) == FIXED


def test_unknown_conditions_are_unknown_and_few(read: Read) -> None:
    lifetime = Classifier().condition(*read("flag == 'x'"))
    assert (lifetime.causes, lifetime.known, lifetime.few) == ((), False, True)


def test_declarations_count_in_conditions(read: Read) -> None:
    declared = {"mode": Declared(frozenset({Event.TURN})), "step": Declared(frozenset())}
    assert Classifier(declared).condition(*read("mode == 'x'")).events == {Event.TURN}
    assert Classifier(declared).condition(*read("step > 3")) == FIXED


def test_deep_conditions_are_unknown() -> None:
    test: Expression = Name("x", AT)
    for _ in range(5_000):
        test = Truth((test,), AT)
    lifetime = Classifier().condition(test, Source("prompt.j2", ""))
    assert (lifetime.known, lifetime.few, lifetime.causes) == (False, True, ())
