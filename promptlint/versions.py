"""What two arguments of `diff` name: a file, or a file at a revision of git; a request, or a template."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from promptlint.comparing.comparison import Comparison, compare
from promptlint.comparing.version import Request, Version
from promptlint.engine import Engine, Options
from promptlint.layout.appraisal import Appraisal
from promptlint.project.revisions import revision
from promptlint.providers.registry import Provider, provider
from promptlint.readers.json_strings import parse
from promptlint.readers.opening import Unreadable, source_of
from promptlint.readers.requests import bodies
from promptlint.source import Source
from promptlint.template import Problem

FIELDS = ("tools", "system", "messages")

_JSON = frozenset({".json", ".jsonl", ".ndjson"})


class VersionError(ValueError):
    """Something that cannot be compared; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked for; None stands for what the files and the configuration say."""

    provider: str | None = None
    order: tuple[str, ...] | None = None
    dialect: str | None = None
    isolated: bool = False


def compared(a: str, b: str, prompts: Sequence[str], asked: Asked) -> Comparison:
    """The comparison of what two arguments name; `prompts` are names of one prompt for both, or of one for each.

    Raises VersionError, OSError, ConfigError and UnknownNameError for what the user gave.
    """
    names = (prompts[0], prompts[-1]) if prompts else (None, None)
    sides = list(zip((a, b), names, strict=True))
    previous, current = (_version(argument, name, asked, asked.provider) for argument, name in sides)
    _refuse_unlike(previous, current)
    caching = _provider(previous, current)
    if any(version.appraisal.provider.name != caching.name for version in (previous, current)):
        # One counter and one match rule for both.
        previous, current = (_version(argument, name, asked, caching.name) for argument, name in sides)
    orders = [asked.order] if asked.order else list(caching.orders)
    try:
        return compare(previous, current, caching, orders)
    except RecursionError:
        raise VersionError(f"{a}, {b}: nested too deeply to be compared; flatten them") from None


def order_of(text: str) -> tuple[str, ...]:
    """A render order as users write it. Raises VersionError."""
    names = tuple(name.strip().lower() for name in text.split(","))
    if sorted(names) != sorted(FIELDS):
        raise VersionError(f"{text!r} is no order; name each of {', '.join(FIELDS)} once, separated by commas")
    return names


def _version(argument: str, prompt: str | None, asked: Asked, named: str | None) -> Version:
    engine = Engine(Options(provider=named, dialect=asked.dialect, isolated=asked.isolated))
    at = revision(argument)
    if at is None:
        path = Path(argument)
        unit, appraisals = engine.document(path)
    else:
        opened = source_of(at.read(), argument)
        if isinstance(opened, Unreadable):
            raise VersionError(f"{opened.path}: {opened.message}")
        path = at.file
        unit, appraisals = engine.document(path, opened.source.text)
        # Readers go by the file's own name; from here on the revision belongs to it.
        unit.source.path = argument
    if not appraisals and unit.problems:
        raise VersionError(_broken(unit.source, unit.problems[0]))
    requests: Sequence[Request | None] = [None] * len(appraisals)
    if path.suffix.lower() in _JSON and (found := _requests(unit.source)):
        requests = found
    index = _chosen(argument, appraisals, prompt)
    return Version(argument, unit.source, appraisals[index], requests[index])


def _requests(source: Source) -> list[Request]:
    """The requests in the file. Raises VersionError with the place where the JSON is broken."""
    spans, problems = bodies(source)
    if problems:
        raise VersionError(_broken(source, problems[0]))
    requests = []
    for span in spans:
        node, _ = parse(source.text, span.start, span.end)
        assert node is not None
        try:
            requests.append(Request(json.loads(source.text[span.start : span.end]), node))
        except (RecursionError, ValueError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            problem = Problem(span, f"this request cannot be compared ({reason}); mend it")
            raise VersionError(_broken(source, problem)) from None
    return requests


def _broken(source: Source, problem: Problem) -> str:
    at = source.position(problem.span.start)
    return f"{source.path}:{at.line}:{at.column}: {problem.message}"


def _chosen(argument: str, appraisals: Sequence[Appraisal], prompt: str | None) -> int:
    """The index of the prompt that is meant."""
    names = [appraisal.prompt.name for appraisal in appraisals]
    if not names:
        raise VersionError(f"{argument}: no prompt and no request that promptlint can read; name another file")
    if prompt is None and len(names) == 1:
        return 0
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    if prompt is None:
        raise VersionError(f"{argument}: {len(names)} prompts; choose one with --prompt: {shown}")
    if prompt not in names:
        raise VersionError(f"{argument}: no prompt is called {prompt!r}; there are: {shown}")
    return names.index(prompt)


def _refuse_unlike(previous: Version, current: Version) -> None:
    kinds = ["template" if version.request is None else "request" for version in (previous, current)]
    if len(set(kinds)) > 1:
        raise VersionError(
            f"{previous.name} is a {kinds[0]} and {current.name} a {kinds[1]}; compare two requests or two templates"
        )


def _provider(previous: Version, current: Version) -> Provider:
    """Who caches: what is known of the first version, which filled the cache, else of the second."""
    for version in (previous, current):
        if version.appraisal.provider_known:
            return version.appraisal.provider
    return provider("generic")
