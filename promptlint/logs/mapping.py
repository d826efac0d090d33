"""`--map`: where the fields of a log stand that is in no format promptlint knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from promptlint.data import unknown
from promptlint.logs.call import Call
from promptlint.logs.formats.plain import calls, is_record, usage_of
from promptlint.logs.record import LogError
from promptlint.logs.values import at, measured, opened, seconds

FIELDS = ("body", "usage", "ts", "id", "conversation", "owner", "model", "provider")
"""What can be mapped; anything else is read as in pairs of request and response."""


@dataclass(frozen=True, slots=True)
class FieldMap:
    """Paths in a record by field."""

    paths: Mapping[str, str]

    @classmethod
    def of(cls, assignments: Iterable[str]) -> FieldMap:
        """The map that `field=path` assignments make.

        Raises LogError for one that is none, UnknownNameError for an unknown field.
        """
        paths = {}
        for assignment in assignments:
            name, equals, path = assignment.partition("=")
            if not equals or not path.strip():
                raise LogError(f"--map {assignment}: no path; write field=path, as in ts=request.created_at")
            if name.strip() not in FIELDS:
                raise unknown("field of --map", name.strip(), FIELDS)
            paths[name.strip()] = path.strip()
        return cls(paths)

    def applied(self, document: Any, call: Call | None) -> Call | None:
        """The call with the mapped fields from the document; None when there is no body and no usage."""
        value = {name: opened(at(document, path)) for name, path in self.paths.items()}
        if call is None:
            body = value.get("body")
            if not isinstance(body, Mapping) and not isinstance(value.get("usage"), Mapping):
                return None
            inner = next(calls(body), None) if isinstance(body, Mapping) and is_record(body) else None
            call = inner or Call(body if isinstance(body, Mapping) else None)
        elif isinstance(value.get("body"), Mapping):
            call = replace(call, body=value["body"])
        texts: dict[str, Any] = {
            name: str(value[name]) for name in ("id", "conversation", "owner", "model", "provider") if value.get(name)
        }
        usage = value.get("usage")
        return replace(
            call,
            measured=measured(usage) or usage_of(usage) or call.measured,
            time=seconds(value.get("ts")) if value.get("ts") is not None else call.time,
            **texts,
        )
