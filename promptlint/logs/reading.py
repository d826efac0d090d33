"""A part of a log as requests."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

from promptlint.logs.bodies import Fields, compact, fields_of
from promptlint.logs.call import Call
from promptlint.logs.documents import Skip, documents
from promptlint.logs.formats.recognise import ODD, Record, format_named, format_of, odd, records
from promptlint.logs.mapping import FieldMap
from promptlint.logs.places import Part, parts_of
from promptlint.logs.record import MESSAGES, SETTINGS, SYSTEM, TOOLS, Piece, Request, Skipped
from promptlint.providers.registry import Provider, provider, provider_for_model

_NOT_SETTINGS = frozenset(
    {"model", "tools", "system", "images", "image_detail", "prompt_cache_key", "stream", "max_tokens"}
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a log is read: the provider and the format that the user named, and the fields that they mapped."""

    provider: str = ""
    format: str = ""
    fields: FieldMap = field(default_factory=lambda: FieldMap({}))


def parts_to_read(files: Sequence[str], size: int, reading: Reading) -> list[Part]:
    """The files in parts of about `size` bytes; each part of a file is read in the file's format, and sessions are read
    whole, because their records mean what those before them say. Raises OSError."""
    found: list[Part] = []
    for name in files:
        parts = parts_of([name], size)
        if len(parts) > 1:
            told = format_named(reading.format) if reading.format else format_of(documents(parts[0], _unnoticed))
            parts = [Part(name)] if told.is_session else [replace(part, format=told.name) for part in parts]
        found += parts
    return found


def _unnoticed(_: Skipped) -> None:
    """Whoever reads the part notices what is skipped."""


def requests(part: Part, reading: Reading, skip: Skip) -> Generator[Request, None, int]:
    """The requests in a part of a file; what holds none is handed to `skip`. Returns how many lines the part has."""
    counted = _Counted(documents(part, skip))
    chosen = reading.format or part.format
    for record in records(counted, format_named(chosen) if chosen else None):
        calls, reason = _mapped(record, reading.fields) if reading.fields.paths else (record.calls, record.reason)
        if reason:
            skip(Skipped(part.path, record.line, reason))
        for call in calls:
            try:
                request = _request(part.path, record.line, call, reading)
            except ODD as error:
                skip(Skipped(part.path, record.line, odd(error)))
                continue
            if request is None:
                skip(Skipped(part.path, record.line, "neither a prompt nor token counts"))
            else:
                yield request
    return counted.lines


class _Counted:
    """Documents, and the number of lines once they are all read."""

    def __init__(self, inner: Generator[tuple[int, Any], None, int]) -> None:
        self._inner, self.lines = inner, 0

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        self.lines = yield from self._inner


def _mapped(record: Record, fields: FieldMap) -> tuple[list[Call], str]:
    """The calls with what the map finds in the record, and why there is none; it may find one where no format does."""
    found = []
    try:
        for call in record.calls or (None,):
            if (applied := fields.applied(record.document, call)) is not None:
                found.append(applied)
    except ODD as error:
        return found, odd(error)
    return found, "" if found and not record.calls else record.reason


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _request(path: str, line: int, call: Call, reading: Reading) -> Request | None:
    body = call.body or {}
    fields = fields_of(body) if body else None
    if fields is None and call.measured is None:
        return None
    model = call.model or _text(body.get("model") or body.get("modelId"))
    model = model.encode("utf-8", "replace").decode()  # it is written to a file as it stands
    served = provider(reading.provider) if reading.provider else _provider(call.provider, model, _shape(body))
    salts = (
        str(body[name]) for name in served.salts if name not in served.cache_keys and isinstance(body.get(name), str)
    )
    return Request(
        path,
        line,
        call.id,
        call.time,
        served.name,
        model,
        "\x1f".join((served.name, model, call.owner, *salts)),
        next((str(body[name]) for name in served.cache_keys if isinstance(body.get(name), str)), ""),
        call.conversation,
        _ordered(fields, body, served) if fields else (),
        call.measured,
    )


def _ordered(fields: Fields, body: Mapping[str, Any], served: Provider) -> tuple[Piece, ...]:
    """The pieces in the provider's render order, its settings above the first field that they break."""
    order = served.orders[0] if served.orders else (TOOLS, SYSTEM, MESSAGES)
    settings: dict[str, list[Piece]] = {}
    for name, steps, broken in _settings(served.name):
        value: Any = body
        for step in steps:
            value = value.get(step) if isinstance(value, dict) else None
        if value is not None:
            piece = Piece(name, SETTINGS, "", value if isinstance(value, str) else compact(value))
            settings.setdefault(order[0] if broken == "all" else broken, []).append(piece)
    return tuple(piece for name in order for group in (settings, fields) for piece in group.get(name, ()))


@cache
def _settings(name: str) -> tuple[tuple[str, list[str], str], ...]:
    """The settings that break a provider's prefix: name, the steps to it in a body, the first field that it breaks."""
    breaks = provider(name).breaks.items()
    return tuple(
        (each, each.split("."), broken)
        for each, broken in breaks
        if each not in _NOT_SETTINGS and broken not in ("none", "unknown")
    )


def _shape(body: Mapping[str, Any]) -> str:
    """The provider that a body's own form tells, "" where everybody takes it."""
    if "contents" in body:
        return "gemini"
    if "anthropic_version" in body or "toolConfig" in body or "modelId" in body:
        return "bedrock"
    system = body.get("system")
    if "messages" in body and (isinstance(system, str) or (isinstance(system, list) and "model" in body)):
        return "anthropic"
    if "input" in body or "instructions" in body or "prompt_cache_key" in body:
        return "openai"
    return ""


@lru_cache(maxsize=4096)
def _provider(hint: str, model: str, shape: str) -> Provider:
    found = (provider_for_model(f"{hint}/{model}") if hint and model else None) or (
        provider_for_model(model) if model else None
    )
    if found is not None:
        return found
    for name in (hint.rsplit(".", 1)[-1].replace("_", "-"), shape, "generic"):
        try:
            return provider(name)
        except ValueError:
            continue
    raise AssertionError("generic is a provider")
