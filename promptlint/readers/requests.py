"""Request bodies in JSON, batches of them, and JSON lines: what was sent, or the template of what is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from promptlint.readers.cutting import wanted
from promptlint.readers.json_strings import JsonArray, JsonNode, JsonObject, parse
from promptlint.readers.request_shapes import draft_of, draft_of_messages
from promptlint.readers.vendors.assembly import prompt_of
from promptlint.readers.vendors.draft import Draft, objects, string
from promptlint.readers.vendors.examples import with_shared_examples
from promptlint.readers.vendors.openai_chat import is_message, read_messages
from promptlint.source import Source, Span
from promptlint.template import Problem
from promptlint.unit import Unit

_KEYWORD = re.compile(r'"(?:messages|contents|input|role|instructions|prompt)"\s*:')
_LOOKS_SENT = re.compile(r'"(?:messages|contents)"\s*:\s*\[')
_LINES = frozenset({".jsonl", ".ndjson"})
_LINE = re.compile(r"[^\r\n]*\S[^\r\n]*")


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    draft: Draft


def read(source: Source, dialect: str | None = None) -> Unit:
    """The requests in a JSON file, or one for each line; none when it holds something else.

    `dialect` None lets the text say whether a request is a template, "none" says that it was sent. Never raises on odd
    input: what is broken is a problem, and what is no request is nobody's.
    """
    if _KEYWORD.search(source.text) is None:
        return Unit(source, ())
    drafts, problems = _from_lines(source) if _is_lines(source) else _from_whole(source)
    prompts = [prompt_of(each.draft, source, each.name, dialect) for each in drafts]
    if not prompts:
        return Unit(source, (), tuple(problems) if _LOOKS_SENT.search(source.text) else ())
    prompts = with_shared_examples(prompts)
    templates = [message.template for prompt in prompts for message in prompt.messages]
    problems.extend(problem for template in templates for problem in template.problems)
    names = dict.fromkeys(name for template in templates for name in wanted(template))
    return Unit(source, tuple(prompts), tuple(problems), tuple(names))


def bodies(source: Source) -> tuple[tuple[Span, ...], tuple[Problem, ...]]:
    """Where the body of each request in the file stands, in the order of `read`, and what of the JSON is broken."""
    drafts, problems = _from_lines(source) if _is_lines(source) else _from_whole(source)
    return tuple(each.draft.body.span for each in drafts), tuple(problems)


def _is_lines(source: Source) -> bool:
    """Whether each line is a document: by the file's name, or because the first one is and another follows."""
    if PurePosixPath(source.path.replace("\\", "/")).suffix.lower() in _LINES:
        return True
    lines = _LINE.finditer(source.text)
    first, second = next(lines, None), next(lines, None)
    if first is None or second is None or not first[0].lstrip().startswith("{"):
        return False
    return not parse(source.text, *first.span())[1]


def _from_whole(source: Source) -> tuple[list[_Named], list[Problem]]:
    root, problems = parse(source.text, 0, len(source.text))
    return list(_requests(root, "")) if root is not None else [], list(problems)


def _from_lines(source: Source) -> tuple[list[_Named], list[Problem]]:
    found: list[_Named] = []
    problems: list[Problem] = []
    for line in _LINE.finditer(source.text):
        root, broken = parse(source.text, *line.span())
        problems.extend(broken[:1])
        if root is not None:
            found.extend(_requests(root, str(source.position(line.start()).line)))
    return found, problems


def _requests(root: JsonNode, name: str) -> Iterator[_Named]:
    """The requests in a document: itself, the one that it wraps, or those of its list."""
    if isinstance(root, JsonObject):
        if isinstance(inline := root.get("requests"), JsonArray):
            root = inline
        elif (found := _request(root, name)) is not None:
            yield found
    if not isinstance(root, JsonArray) or not root.items:
        return
    if all(is_message(item) for item in root.items):
        if (draft := read_messages(root)) is not None:
            yield _Named(name, draft)
        return
    requests = [_request(item, f"{name}/{at}") for at, item in enumerate(objects(root))]
    # A list of anything else can hold what looks like a request by chance.
    if len(requests) == len(root.items) and None not in requests:
        yield from (request for request in requests if request is not None)


def _request(body: JsonObject, name: str) -> _Named | None:
    """A body, bare or as a line of a batch."""
    called = string(body.get("custom_id")) or name
    inner, params, request = body.get("body"), body.get("params"), body.get("request")
    if isinstance(inner, JsonObject) and body.get("custom_id", "url", "method") is not None:
        draft = draft_of(inner, string(body.get("url")))
    elif isinstance(params, JsonObject) and body.get("custom_id") is not None:
        draft = draft_of_messages(params)
    elif isinstance(request, JsonObject) and request.get("contents") is not None:
        called, draft = string(body.get("key")) or name, draft_of(request)
    else:
        draft = draft_of(body)
    if draft is None:
        return None
    draft.sent = draft.body is not body
    return _Named(called, draft)
