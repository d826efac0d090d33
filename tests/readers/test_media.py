"""Media in templates: holes that know which strings say which medium it is."""

import json
from typing import Any

import pytest

from promptlint.expression import Call, Literal, Name, path
from promptlint.readers import requests, yaml_prompts
from promptlint.readers.media import has_holes
from promptlint.source import Source
from promptlint.template import PieceKind
from promptlint.traversal import names
from promptlint.unit import Message, Unit

TEXT = "Copy the invoice into a table with one row for each item, and keep the spelling of the paper."


def openai(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url, "detail": "low"}}


def sent(part: dict[str, Any], dialect: str | None = None) -> Unit:
    parts = [part, {"type": "text", "text": TEXT}]
    return requests.read(Source("r.json", json.dumps({"messages": [{"role": "user", "content": parts}]})), dialect)


def media(found: Unit) -> list[tuple[str, list[str | None]]]:
    """The word that stands for each medium, and the names that are filled into it."""
    shown = []
    for message in (message for prompt in found.prompts for message in prompt.messages):
        for piece in message.template.pieces:
            if isinstance(piece.expression, Call) and path(piece.expression.function) == ("media",):
                filled = [name.id for argument in piece.expression.arguments for name in names(argument)]
                shown.append((found.source.slice(piece.span), [*filled]))
    return shown


@pytest.mark.parametrize(
    ("part", "word", "name"),
    [
        (openai("{{ scan }}"), '"image_url"', "scan"),
        (openai("data:image/png;base64,{{ scan }}"), '"image_url"', "scan"),
        (openai("{scan}"), '"image_url"', "scan"),
        (openai("https://files.example/{scan}.png"), '"image_url"', "scan"),
        ({"image_url": {"url": "{scan}"}}, '"image_url"', "scan"),
        ({"type": "input_audio", "input_audio": {"data": "{{ call }}", "format": "mp3"}}, '"input_audio"', "call"),
        ({"type": "image", "source": {"type": "base64", "data": "{{ page }}"}}, '"image"', "page"),
        ({"type": "document", "title": "T", "source": {"type": "file", "file_id": "{lease}"}}, '"document"', "lease"),
    ],
)
def test_a_hole_in_a_medium_makes_a_template(part: dict[str, Any], word: str, name: str) -> None:
    found = sent(part)
    (prompt,) = found.prompts
    assert not prompt.rendered
    assert media(found) == [(word, [name])]


def test_a_hole_in_a_medium_of_other_vendors() -> None:
    gemini = {"contents": [{"parts": [{"fileData": {"fileUri": "{{ film }}"}}, {"text": TEXT}]}]}
    bedrock = {"messages": [{"role": "user", "content": [{"video": {"source": {"s3Location": {"uri": "{film}"}}}}]}]}
    for body, word in ((gemini, '"fileData"'), (bedrock, '"video"')):
        assert media(requests.read(Source("r.json", json.dumps(body)))) == [(word, ["film"])]


@pytest.mark.parametrize(
    "url", ["https://files.example/a.png", "data:image/png;base64,AAAA", "x{", "{", "{}", "{ }", '{"a": 1}']
)
def test_a_medium_that_is_written_out_makes_none(url: str) -> None:
    (prompt,) = sent(openai(url)).prompts
    assert prompt.rendered


def test_what_a_model_answered_with_was_sent() -> None:
    answer = {"role": "assistant", "content": [openai("{{ scan }}")]}
    body = {"messages": [{"role": "user", "content": TEXT}, answer]}
    (prompt,) = requests.read(Source("r.json", json.dumps(body))).prompts
    assert prompt.rendered


def test_a_medium_that_is_written_out_in_a_template_is_constant() -> None:
    body = {"messages": [{"role": "user", "content": [openai("https://a.example/b.png"), {"text": "{{ question }}"}]}]}
    found = requests.read(Source("r.json", json.dumps(body)))
    first: Message = found.prompts[0].messages[0]
    (piece,) = first.template.pieces
    assert isinstance(piece.expression, Call)
    assert piece.kind is PieceKind.HOLE
    assert all(isinstance(argument, Literal) for argument in piece.expression.arguments)
    assert not has_holes(first.template)
    assert has_holes(found.prompts[0].messages[1].template)


def test_texts_beside_single_braces_in_an_address_are_read_alike() -> None:
    parts = [openai("{scan}"), {"type": "text", "text": "The sender is {sender}. Copy the invoice."}]
    found = requests.read(Source("r.json", json.dumps({"messages": [{"role": "user", "content": parts}]})))
    holes = [piece for piece in found.prompts[0].messages[1].template.pieces if piece.kind is PieceKind.HOLE]
    assert [hole.expression.id for hole in holes if isinstance(hole.expression, Name)] == ["sender"]


def test_a_stated_dialect_is_that_of_addresses_too() -> None:
    found = sent(openai("{{scan}}"), "strformat")
    assert media(found) == [('"image_url"', [])]
    assert sent(openai("{{scan}}"), "none").prompts[0].rendered


def test_a_broken_address_is_a_problem_at_its_place() -> None:
    found = sent(openai("{% if old %}{{ scan }}"))
    (problem,) = found.problems
    assert found.source.text.startswith("{% if", problem.span.start)


YAML = """\
messages:
  - role: user
    content:
      - type: image_url
        image_url: {url: "%s"}
      - inlineData: {mimeType: audio/mp3, data: "{call}"}
      - type: text
        text: Copy the invoice into a table with one row for each item.
"""


def test_media_in_yaml() -> None:
    found = yaml_prompts.read(Source("prompts/a.yaml", YAML % "{{ scan }}"))
    assert media(found) == [("image_url", ["scan"]), ("inlineData", ["call"])]
    fixed = yaml_prompts.read(Source("prompts/a.yaml", YAML % "https://a.example/b.png"))
    assert media(fixed) == [("image_url", []), ("inlineData", ["call"])]


def test_messages_of_media_alone_are_no_prompt() -> None:
    text = "- role: user\n  content:\n  - {type: image_url, image_url: {url: '{{ scan }}'}}\n"
    assert yaml_prompts.read(Source("data/a.yaml", text)).prompts == ()


def test_parts_that_hold_themselves_end() -> None:
    text = "- role: user\n  content:\n  - &a {type: file, file: *a, name: '{{ x }}'}\n  - {text: Read it to the end.}\n"
    assert media(yaml_prompts.read(Source("prompts/a.yaml", text))) == [("file", ["x"])]
