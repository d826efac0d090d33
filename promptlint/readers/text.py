"""Plain text, Markdown and template files: one prompt a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from promptlint.readers.frontmatter import front_matter
from promptlint.source import Source
from promptlint.template import Arm, Branch, Extends, Import, Include, Node, Template
from promptlint.unit import Message, PromptSource, Unit

DIALECTS = {
    "jinja": "promptlint.dialects.jinja",
    "strformat": "promptlint.dialects.strformat",
    "macros": "promptlint.dialects.macros",
    "handlebars": "promptlint.dialects.handlebars",
    "none": "promptlint.dialects.plain",
}
"""Dialect names with the module whose `cut` reads them; a dialect is imported when it is met."""


def read(source: Source, dialect: str | None = None) -> Unit:
    """The file as one prompt. `dialect` None lets the text decide. Never raises on odd input."""
    from promptlint.dialects.sniff import sniff

    front = front_matter(source.text)
    start = front.end if front is not None else 0
    template = cutter(dialect or sniff(source.path, source.text))(source.text, start, len(source.text))
    wanted = tuple(dict.fromkeys(_wanted(template.body)))
    # Dotprompt: text that no {{role}} stands above is the user's (google/dotprompt, "roles").
    role = "user" if front is not None and source.path.endswith(".prompt") else None
    return Unit(source, (PromptSource("", (Message(template, role),)),), template.problems, wanted)


def cutter(dialect: str) -> Callable[[str, int, int], Template]:
    """The function that cuts a string of this dialect."""
    cut: Callable[[str, int, int], Template] = import_module(DIALECTS[dialect]).cut
    return cut


def _wanted(body: tuple[Node, ...]) -> Iterator[str]:
    """Names of the files that a template includes, imports or extends."""
    stack: list[Node | Arm] = list(reversed(body))
    while stack:
        node = stack.pop()
        match node:
            case Include(files=files):
                yield from files
            case Import(file=str() as file) | Extends(file=str() as file):
                yield file
            case Branch(arms=arms):
                stack.extend(reversed(arms))
        stack.extend(reversed(getattr(node, "body", None) or ()))
        stack.extend(reversed(getattr(node, "otherwise", ())))
