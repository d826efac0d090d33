"""YAML files: the prompts that stand in them, by what their keys say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from promptlint.dialects.sniff import sniff
from promptlint.readers.cutting import wanted
from promptlint.readers.inside import template_inside
from promptlint.readers.media import medium
from promptlint.readers.vendors.assembly import prompt_of
from promptlint.readers.yaml_bodies import body_of
from promptlint.readers.yaml_keys import is_named, is_unrelated, may_hold_prompts
from promptlint.readers.yaml_requests import Request, requests
from promptlint.readers.yaml_strings import compose
from promptlint.source import Source, Span
from promptlint.template import Problem
from promptlint.unit import Message, PromptSource, Unit

_DOCUMENT = re.compile(r"(?m)^---(?=\s|$)")
_DIRECTIVE = re.compile(r"(?m)^%")


def read(source: Source, dialect: str | None = None) -> Unit:
    """The prompts of the file, in its order. `dialect` None leaves it to the file's fields, then to each text.

    A file without prompts has no problems either, unless its name says that it is one. Never raises on odd input.
    """
    named = is_named(source.path)
    prompts: list[PromptSource] = []
    problems: list[Problem] = []
    documents = 0
    for span in _documents(source.text):
        text = source.slice(span)
        if not named and (is_unrelated(source.path, text) or not may_hold_prompts(text)):
            continue
        found = compose(source.text, span.start, span.end)
        problems.extend(found.problems)
        for node in found.documents:
            if (draft := body_of(node, source.text)) is not None:
                documents += 1
                prompts.append(prompt_of(draft, source, str(documents) if documents > 1 else "", dialect))
                continue
            asked = requests(node, source.path, named)
            documents += bool(asked)
            prompts.extend(_prompt(request, source.path, dialect, documents) for request in asked)
    if not prompts and not named:
        return Unit(source, ())
    templates = [message.template for prompt in prompts for message in prompt.messages]
    problems.extend(problem for template in templates for problem in template.problems)
    names = dict.fromkeys(name for template in templates for name in wanted(template))
    ordered = sorted(dict.fromkeys(problems), key=lambda problem: problem.span)
    return Unit(source, tuple(prompts), tuple(ordered), tuple(names))


def _documents(text: str) -> Iterator[Span]:
    """The parts between `---` lines that hold anything. Each is read alone, so that one broken part spoils no other."""
    if _DIRECTIVE.search(text):
        yield Span(0, len(text))
        return
    starts = [0, *(found.start() for found in _DOCUMENT.finditer(text)), len(text)]
    for start, end in pairwise(starts):
        if text[start:end].strip():
            yield Span(start, end)


def _prompt(request: Request, path: str, dialect: str | None, number: int) -> PromptSource:
    messages = []
    for text in request.texts:
        held, stated = text.scalar.held(), dialect or text.dialect
        if text.media is not None:
            template = medium(held.span, [each.held() for each in text.media], stated)
        else:
            template = template_inside(held, stated or sniff(path, held.value))
        messages.append(Message(template, text.role, text.section))
    name = f"{number}.{request.name}".rstrip(".") if number > 1 else request.name
    return PromptSource(name, tuple(messages), model=request.model)
