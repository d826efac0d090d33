"""Plain text, Markdown and template files: one prompt a file."""

from __future__ import annotations

from promptlint.dialects.sniff import sniff
from promptlint.readers.cutting import template_of, wanted
from promptlint.readers.frontmatter import front_matter
from promptlint.source import Source
from promptlint.unit import Message, PromptSource, Unit


def read(source: Source, dialect: str | None = None) -> Unit:
    """The file as one prompt. `dialect` None lets the text decide. Never raises on odd input."""
    front = front_matter(source.text)
    start = front.end if front is not None else 0
    template = template_of(source.text, start, len(source.text), dialect or sniff(source.path, source.text))
    # Dotprompt: text that no {{role}} stands above is the user's (google/dotprompt, "roles").
    role = "user" if front is not None and source.path.endswith(".prompt") else None
    prompt = PromptSource("", (Message(template, role),))
    return Unit(source, (prompt,), template.problems, wanted(template))
