"""What the configuration says: the part of it that results depend on."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from promptlint.data import load_toml, unknown
from promptlint.events import CONSTANT, Event
from promptlint.served import Serving, read_serving
from promptlint.source import Source
from promptlint.toml_keys import ConfigError as ConfigError
from promptlint.toml_keys import Entry, error_at, kind_of, parse
from promptlint.toml_keys import one_of as _one_of
from promptlint.toml_keys import string as _string

DIALECTS = ("jinja", "strformat", "braces", "macros", "handlebars", "none")
_SURROUNDINGS = ("tools", "system", "history", "user")
_EVENTS = tuple(event.value for event in Event)
_NEVER_CHANGES = "constant"
_PERSONAS = ("regular", "pedantic", "auditor")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

_FILE = "promptlint.toml"
_SHARED_FILE = "pyproject.toml"
_SHARED_TABLE = ("tool", "promptlint")
_MENTION = b"promptlint"


@dataclass(frozen=True, slots=True)
class ValueRule:
    """The events that change a value, none for a constant, and where the configuration says so."""

    events: frozenset[Event]
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """How requests come in; None where it is not stated. `interval` are the seconds between two that begin alike."""

    requests_per_day: int | None = None
    interval: int | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one project. Globs are relative to `root` and read as lines of a .gitignore file.

    `path` is the file they were read from, None without one. `root` is that file's folder, else the repository's.
    Sizes are tokens; `request` None means that what surrounds a template is not visible.
    """

    path: Path | None
    root: Path
    provider: str | None = None
    model: str | None = None
    horizon: str | None = None
    persona: str | None = None
    ignore_below: int = 100
    dialect: str | None = None
    dialects: Mapping[str, str] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    request: Mapping[str, int] | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, ValueRule] = field(default_factory=dict)
    traffic: Traffic = Traffic()
    serving: Serving | None = None

    def dialect_of(self, path: Path) -> str | None:
        """The dialect stated for a file, None where nothing is. Of several globs that match, the last one counts."""
        if self.dialects:
            from pathspec import GitIgnoreSpec

            below = self.below(path)
            for glob in reversed(tuple(self.dialects)):
                if below is not None and GitIgnoreSpec.from_lines([glob]).match_file(below):
                    return self.dialects[glob]
        return self.dialect

    def below(self, path: Path) -> str | None:
        """The path as globs see it: from `root` on, with forward slashes. None when it lies elsewhere.

        Links are followed in folders, not in the file's own name.
        """
        real = Path(os.path.realpath(path.parent), path.name)
        return real.relative_to(self.root).as_posix() if real.is_relative_to(self.root) else None


def find_root(start: Path) -> Path:
    """The repository's folder: the nearest one upwards with a `.git`, else `start` itself (a file's folder)."""
    folder = _folder(start)
    return next((above for above in (folder, *folder.parents) if (above / ".git").exists()), folder)


def load_config(start: Path, *, isolated: bool = False) -> Config:
    """The closest configuration, from `start` upwards: `promptlint.toml`, or a `pyproject.toml` with our table.

    `isolated` reads none. Raises ConfigError for a file that cannot be used.
    """
    folder = _folder(start)
    if not isolated:
        for above in (folder, *folder.parents):
            for path in (above / _FILE, above / _SHARED_FILE):
                table = _table(path)
                if table is not None:
                    settings = {key.replace("-", "_"): _SETTINGS[key](entry) for key, entry in table.entries(_SETTINGS)}
                    return Config(path=path, root=above, **settings)
    return Config(path=None, root=find_root(folder))


def _folder(start: Path) -> Path:
    real = Path(os.path.realpath(start))
    return real if real.is_dir() else real.parent


def _table(path: Path) -> Entry | None:
    """Our table in a file, None when the file does not exist or has none."""
    here = Path.cwd()
    shown = path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)
    shared = path.name == _SHARED_FILE
    try:
        data = path.read_bytes() if path.is_file() else None
    except OSError as error:
        if shared:
            return None
        said = (error.strerror or type(error).__name__).lower()
        message = f"the file cannot be read ({said}); make it readable, or pass --isolated"
        raise error_at(Source(shown, ""), 0, message) from error
    if data is None or (shared and _MENTION not in data):
        return None
    return parse(data, shown).at(*_SHARED_TABLE if shared else ())


def _provider(entry: Entry) -> str:
    # The registry stands above this module; its table does not.
    rows = load_toml("providers.toml")["provider"]
    known = [name for row in rows for name in (row["name"], *row.get("aliases", ()))]
    given = _string(entry, "anthropic")
    if given.strip().lower() not in known:
        raise entry.error(str(unknown("provider", given, known)))
    return given


def _model(entry: Entry) -> str:
    given = _string(entry, "claude-opus-5")
    if not given.strip():
        raise entry.error("'model' is empty; name a model, or leave the key out")
    return given


def _horizon(entry: Entry) -> str:
    return _one_of(entry, "horizon", (row["name"] for row in load_toml("horizons.toml")["horizon"]), "user")


def _persona(entry: Entry) -> str:
    return _one_of(entry, "persona", _PERSONAS, "regular")


def _seconds(entry: Entry) -> int:
    """Seconds, or a whole number with its unit: "90s", "20m", "2h", "1d"."""
    given = f"{entry.value}s" if type(entry.value) is int else _string(entry, "20m")
    found = re.fullmatch(r"\s*([0-9]{1,9})\s*([smhd])\s*", given)
    if found is None or int(found[1]) == 0:
        raise entry.error(f"{entry.name!r} is no length of time; write seconds, or such as '90s', '20m', '2h', '1d'")
    return int(found[1]) * _UNITS[found[2]]


def _tokens(entry: Entry) -> int:
    value = entry.value
    if type(value) is not int:
        raise entry.error(f"{entry.name!r} is {kind_of(value)}; write a whole number of tokens, such as 100")
    if value < 0:
        raise entry.error(f"{entry.name!r} is negative; write a number of tokens, 0 or more")
    return value


def _dialect(entry: Entry) -> str:
    return _one_of(entry, "dialect", DIALECTS, "jinja")


def _dialects(entry: Entry) -> dict[str, str]:
    return {_glob(item, glob): _dialect(item) for glob, item in entry.entries()}


def _globs(entry: Entry) -> tuple[str, ...]:
    if not isinstance(entry.value, list) or not all(isinstance(glob, str) for glob in entry.value):
        what = "holds more than strings" if isinstance(entry.value, list) else f"is {kind_of(entry.value)}"
        raise entry.error(f"{entry.name!r} {what}; write an array of globs, such as ['prompts/*.txt']")
    return tuple(_glob(entry, glob) for glob in entry.value)


def _glob(entry: Entry, glob: str) -> str:
    from pathspec import GitIgnoreSpec

    try:
        patterns = GitIgnoreSpec.from_lines([glob]).patterns
    except (ValueError, re.error):
        patterns = []
    if all(pattern.include is None for pattern in patterns):
        raise entry.error(f"{glob!r} is no glob; write one as in a .gitignore file")
    return glob


def _request(entry: Entry) -> dict[str, int]:
    return {key: _tokens(item) for key, item in entry.entries(_SURROUNDINGS, "key of [request]")}


def _traffic(entry: Entry) -> Traffic:
    read = {"requests-per-day": _requests, "interval": _seconds}
    found = entry.entries(read, "key of [traffic]")
    return Traffic(**{key.replace("-", "_"): read[key](item) for key, item in found})


def _requests(entry: Entry) -> int:
    value = entry.value
    if type(value) is not int or value < 1:
        what = f"is {kind_of(value)}" if type(value) is not int else "is less than one"
        raise entry.error(f"{entry.name!r} {what}; write a whole number of requests, such as 20000")
    return value


def _sizes(entry: Entry) -> dict[str, int]:
    return {name: _tokens(item) for name, item in _names(entry).items()}


def _values(entry: Entry) -> dict[str, ValueRule]:
    return {
        name: ValueRule(_events(item), item.begins.line, item.begins.column) for name, item in _names(entry).items()
    }


def _names(entry: Entry) -> dict[str, Entry]:
    """What is said of each dotted name."""
    said: dict[str, Entry] = {}
    for name, item in entry.leaves():
        if name in said:
            first = said[name].begins.line
            raise item.error(f"{name!r} is stated a second time, first in line {first}; keep one of the two")
        said[name] = item
    return said


def _events(entry: Entry) -> frozenset[Event]:
    given = entry.value if isinstance(entry.value, list) else [entry.value]
    if not given:
        raise entry.error(f"{entry.name!r} names no event; write {_NEVER_CHANGES!r} for a value that never changes")
    if given == [_NEVER_CHANGES]:
        return CONSTANT
    for event in given:
        if not isinstance(event, str):
            raise entry.error(f"{entry.name!r} holds {kind_of(event)}; write an event or an array of events")
        if event == _NEVER_CHANGES:
            raise entry.error(f"{entry.name!r} is {_NEVER_CHANGES!r} and changes as well; keep one of the two")
        if event not in _EVENTS:
            raise entry.error(str(unknown("event", event, (*_EVENTS, _NEVER_CHANGES))))
    return frozenset(Event(event) for event in given)


_SETTINGS: Mapping[str, Callable[[Entry], Any]] = {
    "provider": _provider,
    "model": _model,
    "horizon": _horizon,
    "persona": _persona,
    "ignore-below": _tokens,
    "dialect": _dialect,
    "dialects": _dialects,
    "include": _globs,
    "exclude": _globs,
    "request": _request,
    "sizes": _sizes,
    "traffic": _traffic,
    "values": _values,
    "serving": read_serving,
}
