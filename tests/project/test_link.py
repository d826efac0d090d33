"""Prompts as they are sent: includes, inheritance, macros, names, roles and sections."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptlint.config import load_config
from promptlint.events import Event
from promptlint.project.link import Surroundings, link
from promptlint.project.workspace import Workspace
from promptlint.prompt import Field, Prompt, Section, Segment
from promptlint.readers.choose import read
from promptlint.source import Source


def linked(folder: Path, name: str, around: Surroundings | None = None, **files: str) -> Prompt:
    """The prompt of one of the files in a folder; `__` in a key stands for the dot."""
    for key, text in files.items():
        path = folder / key.replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    workspace = Workspace(read)
    path = folder / name
    unit = workspace.unit(path)
    assert not isinstance(unit, str)
    find = workspace.project(path).find
    return link(unit, unit.prompts[0], find, workspace.declared(path), around)  # type: ignore[union-attr]


def alone(text: str, path: str = "system.j2") -> Prompt:
    unit = read(Source(path, text))
    return link(unit, unit.prompts[0], lambda source, name: None, {})


def written(prompt: Prompt) -> str:
    """The prompt's text with its holes in angle brackets."""
    return "".join(segment.text if segment.text is not None else f"<{_shown(segment)}>" for segment in prompt.segments)


def _shown(segment: Segment) -> str:
    return segment.place.text.strip("{}-+ ") if segment.place is not None else segment.name


def events(prompt: Prompt) -> list[str]:
    return [event for segment in prompt.segments for event in sorted(segment.lifetime.events)]


def test_an_include_is_written_where_it_stands(tmp_path: Path) -> None:
    prompt = linked(tmp_path, "a.j2", a__j2="A {% include 'b.j2' %} C", b__j2="{{ x }}B")
    assert written(prompt) == "A <x>B C"
    assert [path.rsplit("/")[-1] for path in prompt.files] == ["a.j2", "b.j2"]


@pytest.mark.parametrize("name", ["b.j2", "./b.j2", "prompts/b.j2"])
def test_includes_are_looked_for_beside_and_above(tmp_path: Path, name: str) -> None:
    (tmp_path / ".git").mkdir()
    files = {"prompts/deep/a__j2": "{% include '" + name + "' %}", "prompts/b__j2": "B"}
    assert written(linked(tmp_path, "prompts/deep/a.j2", **files)) == "B"


def test_nothing_outside_of_the_project_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.j2").write_text("hidden")
    (tmp_path / "project" / ".git").mkdir(parents=True)
    text = "{% include '../secret.j2' %}{% include '" + str(tmp_path / "secret.j2") + "' %}A"
    prompt = linked(tmp_path / "project", "a.j2", a__j2=text)
    assert "hidden" not in written(prompt)
    assert prompt.files[1:] == ()


def test_a_missing_include_is_unknown(tmp_path: Path) -> None:
    prompt = linked(tmp_path, "a.j2", a__j2="A{% include 'gone.j2' %}B{% include ['gone.j2', 'b.j2'] %}", b__j2="C")
    assert written(prompt) == "A<'gone.j2'>BC"
    assert not prompt.segments[1].lifetime.known


def test_blocks_of_a_child_take_the_place_of_the_parents(tmp_path: Path) -> None:
    prompt = linked(
        tmp_path,
        "child.j2",
        parent__j2="[{% block head %}H{% endblock %}|{% block body %}B{% endblock %}]",
        child__j2="{% extends 'parent.j2' %}ignored{% block body %}{{ super() }}+{{ now() }}{% endblock %}",
    )
    assert written(prompt) == "[H|B+<now()>]"


def test_macros_of_another_file_get_the_callers_values(tmp_path: Path) -> None:
    macros = "{% macro line(value, end='.') %}- {{ value }}{{ end }}{% endmacro %}{% set tone = 'dry' %}"
    text = "{% from 'm.j2' import line %}{% import 'm.j2' as m %}{{ line(now()) }}{{ m.line('x', '!') }}{{ m.tone }}"
    prompt = linked(tmp_path, "a.j2", a__j2=text, m__j2=macros)
    assert written(prompt) == "- <value>.- x!dry"
    assert events(prompt) == ["request"]


def test_a_call_block_is_written_by_the_macro() -> None:
    prompt = alone("{% macro box() %}<{{ caller() }}>{% endmacro %}{% call box() %}{{ x }} in{% endcall %}")
    assert written(prompt) == "<<x> in>"


def test_a_macro_that_calls_itself_ends() -> None:
    prompt = alone("{% macro tree(n) %}({{ tree(n.left) }}{{ tree(n.right) }}){% endmacro %}{{ tree(root) }}")
    assert written(prompt).startswith("(<tree(n.left)>")


def test_a_name_has_the_value_it_was_given() -> None:
    prompt = alone("{% set stamp = now().isoformat() %}{% set line = 'At ' ~ stamp %}{{ line }} {{ stamp[:10] }}")
    assert events(prompt) == ["request", "day"]
    main = prompt.segments[0].lifetime.main
    assert main is not None
    assert [hop.note for hop in main.hops] == ["`line` is set here", "`stamp` is set here"]


def test_a_default_says_what_an_optional_value_is() -> None:
    constant = "{% if date_string is not defined %}{% set date_string = '26 Jul 2024' %}{% endif %}{{ date_string }}"
    assert events(alone(constant)) == []
    clock = constant.replace("'26 Jul 2024'", "strftime_now('%d %b %Y')")
    assert events(alone(clock)) == ["day"]
    assert events(alone(clock.replace("{{ date_string }}", ""))) == [], "a date that is never printed"


def test_a_branch_gives_a_name_all_of_its_values() -> None:
    prompt = alone(
        "{% if a %}{% set x = now() %}{% elif b %}{% set x = uuid4() %}{% else %}{% set x = 1 %}{% endif %}{{ x }}"
    )
    assert {cause.kind for cause in prompt.segments[0].lifetime.causes} == {"clock", "id"}


def test_a_loop_keeps_its_names_but_not_those_of_a_namespace() -> None:
    loop = "{% for i in l %}{% set x = now() %}{% set ns.y = now() %}{% endfor %}"
    text = "{% set x = 1 %}{% set ns = namespace(y=1) %}" + loop
    assert events(alone(text + "{{ x }}")) == []
    assert events(alone(text + "{{ ns.y }}")) == ["request"]


def test_a_body_set_to_a_name_is_written_where_the_name_stands() -> None:
    prompt = alone("{% set rules %}Be kind to {{ user.name }}.{% endset %}Intro. {{ rules }}")
    assert written(prompt) == "Intro. Be kind to <user.name>."


def test_text_inside_tags_is_text() -> None:
    prompt = alone("{{- '<|system|>Today is ' + strftime_now('%Y-%m-%d') + '. ' }}", "chat_template.jinja")
    assert written(prompt) == "<|system|>Today is <strftime_now('%Y-%m-%d')>. "


def test_roles_in_the_text_start_messages() -> None:
    prompt = alone("<|im_start|>system\nYou help.<|im_end|>\n<|im_start|>user\n{{ question }}<|im_end|>\n", "chat.j2")
    fields = [(segment.field, segment.section) for segment in prompt.segments]
    assert fields[0] == (Field.SYSTEM, Section.SYSTEM)
    assert (Field.MESSAGES, Section.USER) in fields
    assert not any(segment.assumed for segment in prompt.segments)


def test_role_tags_start_messages() -> None:
    prompt = alone("{% chat role='system' %}A{% endchat %}{% chat role='user' %}B{% endchat %}", "chat.j2")
    assert [(segment.text, segment.field) for segment in prompt.segments] == [
        ("A", Field.SYSTEM),
        ("B", Field.MESSAGES),
    ]


def test_one_text_with_the_question_in_it_is_the_users_message() -> None:
    prompt = alone("Sort the mail.\n{{ email_body }}\nOne word.\n", "sort.j2")
    assert {segment.field for segment in prompt.segments} == {Field.MESSAGES}
    assert all(segment.assumed for segment in prompt.segments)


def test_headings_give_sections_where_they_hold_something() -> None:
    prompt = alone("Intro.\n# Documents\n{{ found }}\n# Examples\nQ: a\n# User request\nnever a hole\n", "system.md")
    sections = {segment.section for segment in prompt.segments}
    assert sections == {Section.SYSTEM, Section.RETRIEVED, Section.EXAMPLES}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("system.j2", "A {{ frob }} B", {Event.DEPLOY}),
        ("thing.j2", "A {{ frob }} B", set()),
        ("thing.j2", "A\n<documents>\n{{ frob }}\n</documents>\nB", {Event.TURN}),
    ],
)
def test_an_unknown_hole_takes_the_default_of_a_section_that_is_said(
    path: str, text: str, expected: set[Event]
) -> None:
    (hole,) = [segment for segment in alone(text, path).segments if segment.text is None]
    assert hole.lifetime.events == expected
    assert hole.lifetime.known == bool(expected)


def test_what_surrounds_a_template_stands_where_it_is_sent(tmp_path: Path) -> None:
    prompt = linked(tmp_path, "system.j2", Surroundings(tools=10, history=20, user=5), system__j2="You help.")
    assert [segment.name or segment.text for segment in prompt.segments] == ["tools", "You help.", "history", "user"]
    assert prompt.complete


def test_a_declaration_points_into_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "promptlint.toml").write_text('[values]\nplan = "session"\n')
    prompt = linked(tmp_path, "a.j2", a__j2="{{ plan }}")
    place = load_config(tmp_path).values["plan"].place
    assert place.text == "plan"
    assert place.source.position(place.span.start).line == 2
    assert prompt.segments[0].lifetime.events == {Event.SESSION}


def test_crlf_and_indentation_do_not_move_positions(tmp_path: Path) -> None:
    text = "You help.\r\n# Examples\r\nQ: {{ x }}\r\n"
    prompt = linked(tmp_path, "system.j2", system__j2=text)
    for segment in prompt.segments:
        assert segment.place is not None
        if segment.text is not None:
            assert segment.place.text.replace("\r\n", "\n") == segment.text
    assert "".join(segment.place.text for segment in prompt.segments if segment.place) == text
