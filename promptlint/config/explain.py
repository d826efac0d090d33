"""Which settings apply to a file, and where each comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from promptlint.config.config import Config, Suppress, ValueRule
from promptlint.config.table import SETTINGS
from promptlint.config.values import NEVER_CHANGES
from promptlint.finding import Severity
from promptlint.source import Place

_BY_GLOB = frozenset({"dialects", "per-file-ignores"})
_NOT_SHOWN = frozenset({"extend"})


@dataclass(frozen=True, slots=True)
class Applied:
    """A setting as it applies: its key, or "table.key"; its value in TOML, empty when not set; where that is said."""

    key: str
    value: str
    place: Place | None


def applied(config: Config, path: Path) -> Iterator[Applied]:
    """What applies to a file, in the order of the settings; of tables by glob the entries whose glob matches it."""
    for key in SETTINGS:
        if key in _NOT_SHOWN:
            continue
        value = _table(getattr(config, key.replace("-", "_")))
        if isinstance(value, Mapping):
            names = config.matching(path, value) if key in _BY_GLOB else value
            for name in names:
                yield Applied(_dotted(key, name), _toml(value[name], config), config.stated.get(f"{key}.{name}"))
        elif key == "suppress":
            for entry in value:
                if any(config.matching(path, (entry.path,))):
                    yield Applied(key, _toml(entry, config), entry.place)
        else:
            place = config.stated.get(key)
            said = _toml(value, config) if place is not None else SETTINGS[key].default
            yield Applied(key, said, place)


def _table(value: Any) -> Any:
    """What a record says, by its keys as they are written; other values as they are."""
    if not is_dataclass(value):
        return value
    said = {each.name.replace("_", "-"): getattr(value, each.name) for each in fields(value)}
    return {name: given for name, given in said.items() if given is not None}


def _dotted(key: str, name: str) -> str:
    return f"{key}.{name if name.replace('_', '').replace('-', '').isalnum() and name.isascii() else json.dumps(name)}"


def _toml(value: Any, config: Config) -> str:
    match value:
        case Severity():
            return json.dumps(value.label)
        case ValueRule(events=events):
            names = sorted(event.value for event in events) or [NEVER_CHANGES]
            return json.dumps(names[0] if len(names) == 1 else names)
        case Suppress():
            given = {"rule": value.rule, "at": value.at, "text": value.text, "reason": value.reason}
            return "{ " + ", ".join(f"{name} = {json.dumps(said)}" for name, said in given.items() if said) + " }"
        case Path():
            inside = value.is_relative_to(config.root)
            return json.dumps(value.relative_to(config.root).as_posix() if inside else value.as_posix())
        case frozenset():
            return json.dumps(sorted(value))
        case tuple():
            return f"[{', '.join(_toml(item, config) for item in value)}]"
    return json.dumps(value)
