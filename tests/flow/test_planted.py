"""Programs made of a small grammar: a source reaches the hole that it is written to, a constant is silent."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.flow.conftest import RULES, flowed, without_marks

SOURCES = {
    "py": ("datetime.now().isoformat()", "str(uuid.uuid4())", "time.time()", "uuid.uuid4().hex"),
    "ts": ("new Date().toISOString()", "crypto.randomUUID()", "Date.now()", "new Date().toLocaleTimeString()"),
}
CONSTANTS = {"py": ("'ten'", "42", "OPENING"), "ts": ("'ten'", "42", "OPENING")}
HEADS = {
    "py": "import time\nimport uuid\nfrom datetime import datetime\nOPENING = 'at ten'\n",
    "ts": "import crypto from 'crypto';\nconst OPENING = 'at ten';\n",
}
MODULES = ("app", "one", "two", "deep/three")
MOST_CALLS = 6


@dataclass
class Project:
    """Modules that grow; `here` is the one in which the value at hand can be written as `value`."""

    language: str
    value: str
    here: str
    calls: int = 0
    count: int = 0
    imports: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in MODULES})
    bodies: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in MODULES})

    @property
    def is_python(self) -> bool:
        return self.language == "py"

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def define(self, module: str, python: str, script: str) -> None:
        self.bodies[module].append(python if self.is_python else script)

    def reach(self, name: str, module: str, user: str) -> None:
        """Make a name of one module known in another."""
        if module == user:
            return
        if self.is_python:
            self.imports[user].add(f"from {module.replace('/', '.')} import {name}")
        else:
            up = "../" if "/" in user else "./"
            self.imports[user].add(f'import {{ {name} }} from "{up}{module}";')

    def texts(self) -> dict[str, str]:
        ask = (
            "def ask(client, question):\n    return client.chat.completions.create(messages=[\n"
            f'        {{"role": "system", "content": {self.value} + "{RULES}"}},\n'
            '        {"role": "user", "content": question},\n    ])\n'
            if self.is_python
            else "export const ask = (client, question) => client.chat.completions.create({ messages: [\n"
            f'  {{ role: "system", content: {self.value} + "{RULES}" }},\n'
            '  { role: "user", content: question },\n] });\n'
        )
        found = {}
        for module in MODULES:
            parts = (HEADS[self.language], *sorted(self.imports[module]), "", *self.bodies[module])
            found[f"{module}.{self.language}"] = "\n".join(parts) + "\n" + (ask if module == self.here else "")
        return found


def returned(project: Project, module: str) -> None:
    name = project.name("f")
    project.define(
        project.here,
        f"def {name}():\n    return {project.value}\n",
        f"export function {name}() {{\n  return {project.value};\n}}\n",
    )
    project.reach(name, project.here, module)
    project.value, project.here, project.calls = f"{name}()", module, project.calls + 1


def named(project: Project, module: str) -> None:
    name = project.name("f")
    project.define(
        project.here,
        f"def {name}(flag=True):\n    held = {project.value}\n    again = held\n    return again\n",
        f"export const {name} = (flag = true) => {{\n  const held = {project.value};\n  let again = held;\n"
        "  return again;\n};\n",
    )
    project.reach(name, project.here, module)
    project.value, project.here, project.calls = f"{name}()", module, project.calls + 1


def handed_over(project: Project, module: str) -> None:
    name = project.name("f")
    project.define(
        module,
        f"def {name}(first, value):\n    return value\n",
        f"export function {name}(first: string, value: any) {{\n  return value;\n}}\n",
    )
    project.reach(name, module, project.here)
    project.value, project.calls = f"{name}('x', {project.value})", project.calls + 1


def of_an_object(project: Project, module: str) -> None:
    name = project.name("C")
    project.define(
        project.here,
        f"class {name}:\n    def get(self):\n        return self.make()\n\n"
        f"    def make(self):\n        return {project.value}\n",
        f"export class {name} {{\n  get() {{ return this.make(); }}\n  make() {{ return {project.value}; }}\n}}\n",
    )
    project.reach(name, project.here, module)
    made = f"{name}().get()" if project.is_python else f"new {name}().get()"
    project.value, project.here, project.calls = made, module, project.calls + 2


def in_a_record(project: Project, module: str) -> None:
    project.value = (
        f"({{'a': 1, 'b': {project.value}}})['b']" if project.is_python else f"({{ a: 1, b: {project.value} }}).b"
    )


def in_a_list(project: Project, module: str) -> None:
    project.value = f"[{project.value}, 'x'][0]"


HOPS = (returned, named, handed_over, of_an_object, in_a_record, in_a_list)


def formatted_in_place(project: Project, module: str) -> None:
    value = project.value.replace('"', "'")
    project.value = (
        f'f"You sell. It is «{{{value}}}». "' if project.is_python else f"`You sell. It is «${{{value}}}». `"
    )


def added_in_place(project: Project, module: str) -> None:
    project.value = f'("You sell. It is " + «{project.value}» + ". ")'


def replaced(project: Project, module: str) -> None:
    name = project.name("T")
    project.define(
        module,
        f'{name} = "You sell. It is «[[now]]». "\n',
        f'export const {name} = "You sell. It is «[[now]]». ";\n',
    )
    project.reach(name, module, project.here)
    value = f"str({project.value})" if project.is_python else f"String({project.value})"
    project.value = f'{name}.replace("[[now]]", {value})'


def formatted_later(project: Project, module: str) -> None:
    if not project.is_python:
        replaced(project, module)
        return
    name = project.name("T")
    project.define(module, f'SHOP = "books"\n{name} = f"You sell {{SHOP}}. It is «{{{{now}}»}}. "\n', "")
    project.reach(name, module, project.here)
    project.value = f"{name}.format(now={project.value})"


WRITINGS = (formatted_in_place, added_in_place, replaced, formatted_later)


def added(project: Project, module: str) -> None:
    project.value = f'("Be kind. " + {project.value})'


def joined(project: Project, module: str) -> None:
    parts = f'["Be kind.", {project.value}, "Stay calm."]'
    project.value = f'"\\n".join({parts})' if project.is_python else f'{parts}.join("\\n")'


TEXT_HOPS = (returned, named, handed_over, of_an_object, added, joined)


@st.composite
def projects(draw: st.DrawFn, planted: bool) -> Project:
    language = draw(st.sampled_from(["py", "ts"]))
    value = draw(st.sampled_from((SOURCES if planted else CONSTANTS)[language]))
    project = Project(language, value, draw(st.sampled_from(MODULES)))
    steps = [
        *draw(st.lists(st.sampled_from(HOPS), max_size=4)),
        draw(st.sampled_from(WRITINGS)),
        *draw(st.lists(st.sampled_from(TEXT_HOPS), max_size=4)),
    ]
    for step in steps:
        if project.calls < MOST_CALLS - 1 or step in (*WRITINGS, added, joined):
            step(project, draw(st.sampled_from(MODULES)))
    return project


def places(texts: dict[str, str]) -> list[tuple[str, str]]:
    """What is marked, with the file that it stands in."""
    return [
        (name, without_marks(text[: text.index("«")]) + "|" + text[text.index("«") + 1 : text.index("»")])
        for name, text in texts.items()
        if "«" in text
    ]


def found(texts: dict[str, str]) -> list[tuple[str, str]]:
    """What is found, with all that stands above it in its file."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            (
                (Path.cwd() / finding.path).relative_to(Path(folder).resolve()).as_posix(),
                finding.place.source.text[: finding.place.span.start] + "|" + finding.place.text,
            )
            for finding in flowed(Path(folder).resolve(), texts)
        ]


def reaches(project: Project) -> None:
    assert found(project.texts()) == places(project.texts())


def is_silent(project: Project) -> None:
    assert found(project.texts()) == []


NORMAL = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
THOROUGH = settings(max_examples=1_000, deadline=None, suppress_health_check=list(HealthCheck))


@NORMAL
@given(projects(planted=True))
def test_a_source_reaches_the_hole_that_it_is_written_to(project: Project) -> None:
    reaches(project)


@NORMAL
@given(projects(planted=False))
def test_without_a_source_there_is_silence(project: Project) -> None:
    is_silent(project)


@pytest.mark.long
@THOROUGH
@given(projects(planted=True))
def test_many_sources_reach_the_holes_that_they_are_written_to(project: Project) -> None:
    reaches(project)


@pytest.mark.long
@THOROUGH
@given(projects(planted=False))
def test_without_sources_there_is_silence_in_many_programs(project: Project) -> None:
    is_silent(project)
