"""Templates in files and the programs that fill them in: one finding, in the template, with the call as related."""

from __future__ import annotations

import json

import pytest

from tests.flow.conftest import Follow

HEAD = "import json\nimport uuid\nimport yaml\nfrom datetime import datetime\nfrom pathlib import Path\n"

SEND = """
    return client.chat.completions.create(
        messages=[{"role": "system", "content": system}, {"role": "user", "content": question}]
    )
"""


def program(*lines: str) -> str:
    return HEAD + "\ndef ask(client, env, question):\n    " + "\n    ".join(lines) + SEND


FILLED = {
    "jinja": (
        "prompts/desk.j2",
        "You are a desk. It is «{{ moment }}». {rules}\n",
        ('system = env.get_template("desk.j2").render(moment=‹datetime.now().isoformat()›)',),
    ),
    "jinja with a mapping": (
        "prompts/desk.j2",
        "You are a desk. It is «{{ moment }}». {rules}\n",
        (
            'values = {"moment": ‹datetime.now().isoformat()›, "shop": "books"}',
            'system = env.get_template("prompts/desk.j2").render(**values)',
        ),
    ),
    "a template in a name": (
        "prompts/desk.j2",
        "You are a desk. It is «{{ moment }}». {rules}\n",
        ('template = env.get_template("desk.j2")', "system = template.render(moment=‹datetime.now().isoformat()›)"),
    ),
    "render_template": (
        "prompts/desk.j2",
        "You are a desk. It is «{{ moment }}». {rules}\n",
        ('system = render_template("desk.j2", moment=‹datetime.now().isoformat()›)',),
    ),
    "format": (
        "prompts/desk.md",
        "You are a desk. It is «{moment}». {rules}\n",
        ('system = Path("prompts/desk.md").read_text().format(moment=‹datetime.now().isoformat()›)',),
    ),
    "format of an open file": (
        "prompts/desk.txt",
        "You are a desk. It is «{moment}». {rules}\n",
        (
            'with open("prompts/desk.txt") as file:',
            "    text = file.read()",
            "system = text.format(moment=‹datetime.now().isoformat()›)",
        ),
    ),
    "a folder and a name": (
        "prompts/desk.md",
        "You are a desk. It is «{moment}». {rules}\n",
        (
            'text = (Path(__file__).parent / "prompts" / "desk.md").read_text()',
            "system = text.format(moment=‹datetime.now().isoformat()›)",
        ),
    ),
    "replace": (
        "prompts/desk.md",
        "You are a desk. It is «{{MOMENT}}». {rules}\n",
        ('system = Path("prompts/desk.md").read_text().replace("{{MOMENT}}", ‹datetime.now().isoformat()›)',),
    ),
    "yaml": (
        "prompts/desk.yaml",
        'system_prompt: "You are a desk. It is «{moment}». {rules}"\n',
        (
            'texts = yaml.safe_load(Path("prompts/desk.yaml").read_text())',
            'system = texts["system_prompt"].format(moment=‹datetime.now().isoformat()›)',
        ),
    ),
    "json": (
        "prompts/desk.json",
        json.dumps(
            {"messages": [{"role": "system", "content": "You are a desk. It is «{moment}». {rules}"}]},
            ensure_ascii=False,
        ),
        (
            'texts = json.load(open("prompts/desk.json"))',
            'system = texts["messages"][0]["content"].format(moment=‹datetime.now().isoformat()›)',
        ),
    ),
}


@pytest.mark.parametrize("kind", FILLED)
def test_what_a_program_fills_into_a_file(follow: Follow, kind: str) -> None:
    name, text, lines = FILLED[kind]
    files = {name: text, "app.py": program(*lines)}
    assert follow(files) == ["clock-in-prefix"]
    # A hook names only the files that changed.
    assert follow(files, name) == ["clock-in-prefix"]


@pytest.mark.parametrize("kind", FILLED)
def test_a_file_that_is_filled_with_what_stays_is_silent_whatever_its_names(follow: Follow, kind: str) -> None:
    name, text, lines = FILLED[kind]
    stays = (line.replace("‹datetime.now().isoformat()›", '"ten"') for line in lines)
    renamed = {"moment": "current_time", "MOMENT": "CURRENT_TIME", "«": "", "»": ""}
    files = {name: text, "app.py": program(*stays)}
    for old, new in renamed.items():
        files = {file: content.replace(old, new) for file, content in files.items()}
    assert follow(files) == []
    assert follow(files, name) == []


def test_a_script_that_fills_in_a_file(follow: Follow) -> None:
    files = {
        "prompts/desk.hbs": "You are a desk. It is «{{moment}}». {rules}\n",
        "app.ts": """
import { readFileSync } from "fs";
import Handlebars from "handlebars";

const template = Handlebars.compile(readFileSync("prompts/desk.hbs", "utf8"));

export const ask = (client, question) => client.chat.completions.create({
  messages: [
    { role: "system", content: template({ moment: ‹new Date().toISOString()› }) },
    { role: "user", content: question },
  ],
});
""",
    }
    assert follow(files) == ["clock-in-prefix"]
    assert follow(files, "prompts/desk.hbs") == ["clock-in-prefix"]


def test_a_helper_that_renders_any_file(follow: Follow) -> None:
    files = {
        "prompts/desk.j2": "You are a desk. It is «{{ moment }}». {rules}\n",
        "render.py": "from jinja2 import Environment\n\nENV = Environment()\n\n"
        "def render(name, **values):\n    return ENV.get_template(name).render(**values)\n",
        "app.py": "from render import render\n"
        + program('system = render("desk.j2", moment=‹datetime.now().isoformat()›)'),
    }
    assert follow(files) == ["clock-in-prefix"]


def test_each_of_several_programs_is_named(follow: Follow) -> None:
    line = 'system = env.get_template("desk.j2").render(run=‹uuid.uuid4()›)'
    files = {
        "prompts/desk.j2": "You are a desk. Run «{{ run }}». {rules}\n",
        "one.py": program(line),
        "kit/two.py": program(line.replace("uuid4()", "uuid4().hex")),
        "kit/three.py": program('system = env.get_template("desk.j2").render(run="none")'),
    }
    assert follow(files) == ["random-id-in-prefix"]


def test_files_of_one_name_are_told_apart_by_their_folder(follow: Follow) -> None:
    text = "You are a desk. It is «{{ moment }}». {rules}\n"
    files = {
        "web/prompts/desk.j2": text,
        "cli/prompts/desk.j2": text.replace("«", "").replace("»", ""),
        "web/app.py": program('system = env.get_template("desk.j2").render(moment=‹datetime.now().isoformat()›)'),
        "cli/app.py": program('system = env.get_template("desk.j2").render(moment="ten")'),
    }
    assert follow(files) == ["clock-in-prefix"]


def test_what_is_set_in_a_template_counts_more_than_what_it_is_given(follow: Follow) -> None:
    files = {
        "prompts/desk.j2": '{% set moment = "ten" %}You are a desk. It is {{ moment }}. {rules}\n',
        "app.py": program('system = env.get_template("desk.j2").render(moment=datetime.now().isoformat())'),
    }
    assert follow(files) == []


def test_an_included_file_takes_the_values_of_the_one_around_it(follow: Follow) -> None:
    files = {
        "prompts/desk.j2": "You are a desk. {% include 'head.j2' %} {rules}\n",
        "prompts/head.j2": "It is «{{ moment }}».\n",
        "app.py": program('system = env.get_template("desk.j2").render(moment=‹datetime.now().isoformat()›)'),
    }
    assert follow(files) == ["clock-in-prefix"]
    assert follow(files, "prompts/head.j2") == ["clock-in-prefix"]


def test_isolated_reads_nothing_else(follow: Follow) -> None:
    name, text, lines = FILLED["jinja"]
    files = {name: text.replace("«", "").replace("»", ""), "app.py": program(*lines).replace("‹", "").replace("›", "")}
    assert follow(files, name, isolated=True) == []
    assert follow({name: text, "app.py": program(*lines)}, name, "app.py", isolated=True) == ["clock-in-prefix"]


def test_standard_input_stands_for_its_file(follow: Follow) -> None:
    name, text, lines = FILLED["jinja"]
    assert follow({name: text, "app.py": program(*lines)}, stdin=name) == ["clock-in-prefix"]


def test_a_program_from_standard_input_imports_its_neighbours(follow: Follow) -> None:
    files = {
        "clock.py": HEAD + "def ‹stamp›():\n    return datetime.now().isoformat()\n",
        "app.py": "from clock import stamp\n" + program('system = f"You are a desk. It is «{stamp()}». {rules}"'),
    }
    assert follow(files, stdin="app.py") == ["clock-in-prefix"]


def test_a_changed_call_changes_the_finding_of_the_template(follow: Follow) -> None:
    name, text, lines = FILLED["jinja"]
    assert follow({name: text, "app.py": program(*lines)}, name) == ["clock-in-prefix"]
    calm = program(*lines).replace("‹datetime.now().isoformat()›", '"ten"')
    assert follow({name: text.replace("«", "").replace("»", ""), "app.py": calm}, name) == []
