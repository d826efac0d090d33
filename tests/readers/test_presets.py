"""Presets: what is sent, in which order, and what the markers stand for."""

import json
from typing import Any

import pytest

from promptlint.events import Event
from promptlint.expression import Call, Expression, Unknown
from promptlint.lifetimes.classify import lifetime_of
from promptlint.prompt import Field, Section
from promptlint.readers import requests
from promptlint.readers.presets import read
from promptlint.source import Position, Source
from promptlint.template import Piece, PieceKind
from promptlint.unit import Message, PromptSource, Unit

STORYTELLER = """\
{"name": "storyteller",
 "prompts": [
  {"id": "main", "role": "system", "content": "You narrate a sea voyage. {{random::stormy::calm}} weather."},
  {"id": "style", "role": "system", "content": "Third person. {{pick::Short::Long}} paragraphs."},
  {"id": "lore", "role": "system", "marker": true},
  {"id": "chat", "marker": true},
  {"id": "jb", "role": "system", "content": "Roll: {{roll:d20}}. Continue."}],
 "caching_at_depth": 0}
"""


def unit(body: Any, dialect: str | None = None) -> Unit:
    return read(Source("preset.json", body if isinstance(body, str) else json.dumps(body, indent=1)), dialect)


def only(found: Unit) -> PromptSource:
    assert found.problems == ()
    (prompt,) = found.prompts
    return prompt


def said(messages: tuple[Message, ...]) -> list[str]:
    return ["".join(piece.text or "<>" for piece in message.template.pieces) for message in messages]


def holes(prompt: PromptSource) -> list[Piece]:
    return [piece for each in prompt.messages for piece in each.template.pieces if piece.kind is PieceKind.HOLE]


def text(name: str, **more: Any) -> dict[str, Any]:
    return {"identifier": name, "role": "system", "content": f"{name}.", **more}


def marker(name: str, **more: Any) -> dict[str, Any]:
    return {"identifier": name, "marker": True, **more}


def test_a_preset_in_the_order_of_its_prompts() -> None:
    prompt = only(unit(STORYTELLER))
    assert [(message.role, message.section, message.field) for message in prompt.messages] == [
        ("system", Section.SYSTEM, Field.SYSTEM),
        ("system", Section.SYSTEM, Field.SYSTEM),
        ("system", Section.RETRIEVED, Field.SYSTEM),
        ("assistant", Section.HISTORY, Field.MESSAGES),
        ("system", Section.SYSTEM, Field.MESSAGES),
    ]
    assert (prompt.rendered, prompt.complete) == (False, False)
    assert all(message.template.dialect in ("macros", "none") for message in prompt.messages)


def test_macros_stand_where_they_are_written_and_are_what_the_tables_say() -> None:
    found = unit(STORYTELLER)
    source = found.source
    places = {source.slice(hole.span): (source.position(hole.span.start), hole) for hole in holes(only(found))}
    assert [place for place, _ in places.values()] == [
        Position(3, 74),
        Position(4, 63),
        Position(5, 3),
        Position(6, 3),
        Position(7, 52),
    ]
    random, pick, _, _, roll = (expression_of(hole) for _, hole in places.values())
    assert isinstance(random, Call)
    assert lifetime_of(random, source).events == {Event.REQUEST}
    assert lifetime_of(roll, source).events == {Event.REQUEST}
    assert lifetime_of(pick, source).events == frozenset()
    for lifetime in (lifetime_of(random, source), lifetime_of(roll, source)):
        assert lifetime.main is not None
        assert lifetime.main.kind == "choice"


def expression_of(hole: Piece) -> Expression:
    assert hole.expression is not None
    return hole.expression


def test_markers() -> None:
    names = ["worldInfoBefore", "charDescription", "scenario", "dialogueExamples", "worldInfoAfter", "chatHistory"]
    prompt = only(unit({"prompts": [text("main"), *map(marker, names)]}))
    assert [message.section for message in prompt.messages] == [
        Section.SYSTEM,
        Section.RETRIEVED,
        Section.SYSTEM,
        Section.SYSTEM,
        Section.EXAMPLES,
        Section.RETRIEVED,
        Section.HISTORY,
    ]
    assert all(hole.expression == Unknown((), hole.span) for hole in holes(prompt))


def test_the_order_names_what_is_sent() -> None:
    prompts = [text("jailbreak"), text("main"), text("off"), text("absent"), marker("chatHistory")]
    order = [
        {"identifier": "main", "enabled": True},
        {"identifier": "off", "enabled": False},
        {"identifier": "chatHistory", "enabled": True},
        {"identifier": "unheard-of", "enabled": True},
        {"identifier": "jailbreak", "enabled": True},
    ]
    other = {"character_id": 100000, "order": order[:1]}
    for stated in (
        order,
        [other, {"character_id": 100001, "order": order}],
        [{"character_id": 100001, "order": order}, other],
    ):
        assert said(only(unit({"prompts": prompts, "prompt_order": stated})).messages) == ["main.", "<>", "jailbreak."]


def test_without_an_order_what_is_not_switched_off_is_sent() -> None:
    prompt = only(unit({"prompts": [text("a"), text("b", enabled=False), marker("chat"), text("c", content="")]}))
    assert said(prompt.messages) == ["a.", "<>"]


def test_prompts_inside_the_chat_stand_in_it_the_deepest_first() -> None:
    prompts = [
        text("a", injection_position=1, injection_depth=0),
        text("b", injection_position=1, injection_depth=4),
        text("c", injection_position=0, injection_depth=4),
        marker("chatHistory"),
        text("d"),
    ]
    prompt = only(unit({"prompts": prompts}))
    assert said(prompt.messages) == ["c.", "<>", "b.", "a.", "d."]
    assert [message.field for message in prompt.messages] == [Field.SYSTEM, *[Field.MESSAGES] * 4]


def test_roles() -> None:
    prompts = [text("a"), text("b", role="user"), text("c"), marker("chat"), text("d", role="assistant")]
    prompt = only(unit({"prompts": prompts}))
    assert [(message.role, message.section, message.field) for message in prompt.messages] == [
        ("system", Section.SYSTEM, Field.SYSTEM),
        ("user", Section.USER, Field.MESSAGES),
        ("system", Section.SYSTEM, Field.MESSAGES),
        ("assistant", Section.HISTORY, Field.MESSAGES),
        ("assistant", Section.HISTORY, Field.MESSAGES),
    ]


def test_the_dialect_can_be_stated() -> None:
    body = {"prompts": [text("a", content="{{x}}"), marker("chat")]}
    assert said(only(unit(body, "none")).messages) == ["{{x}}", "<>"]


@pytest.mark.parametrize(
    "body",
    [
        {"prompts": [{"id": "a", "content": "x"}]},
        {"prompts": ["a", "b"]},
        {"prompts": [{"content": "x", "marker": True}]},
        {"prompts": [{"id": "a", "role": "admin", "marker": True}]},
        {"prompts": []},
        {"prompts": {"a": 1}, "prompt_order": []},
        [{"prompts": [marker("chat")]}],
        "",
        '{"prompts": [',
        '{"prompts": [{"id": "a", "marker": tr',
    ],
)
def test_what_is_no_preset(body: Any) -> None:
    found = unit(body)
    assert (found.prompts, found.problems) == ((), ())


def test_a_broken_preset_keeps_what_was_read() -> None:
    found = unit(STORYTELLER[: STORYTELLER.index("Continue")])
    assert said(found.prompts[0].messages)[-1].startswith("Roll: ")
    assert [found.source.position(problem.span.start) for problem in found.problems] == [Position(7, 45)]


def test_a_preset_is_no_request() -> None:
    assert requests.read(Source("preset.json", STORYTELLER)).prompts == ()
