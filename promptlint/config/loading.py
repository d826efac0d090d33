"""Which file configures a folder, and the files that it builds on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from promptlint.config.config import Config
from promptlint.config.rule_names import RuleNames
from promptlint.config.table import SETTINGS, TABLES
from promptlint.source import Place, Source
from promptlint.toml_keys import Entry, error_at, parse

FILES = ("promptlint.toml", ".promptlint.toml", "pyproject.toml")
"""Names of configuration files; the first one of a folder that has our table counts."""

_SHARED_FILE = "pyproject.toml"
_SHARED_TABLE = ("tool", "promptlint")
_MENTION = b"promptlint"
_EXTEND = "extend"
_RULE_DIRS = "rule-dirs"


def find_root(start: Path) -> Path:
    """The repository's folder: the nearest one upwards with a `.git`, else `start` itself (a file's folder)."""
    folder = _folder(start)
    return next((above for above in (folder, *folder.parents) if (above / ".git").exists()), folder)


def load_config(start: Path, *, isolated: bool = False) -> Config:
    """The closest configuration, from `start` upwards: the first of FILES that has our table, and what it extends.

    `isolated` reads none. Raises ConfigError for a file that cannot be used.
    """
    folder = _folder(start)
    if not isolated:
        for above in (folder, *folder.parents):
            for name in FILES:
                table = _table(above / name)
                if table is not None:
                    return _config(above / name, table)
    return Config(path=None, root=find_root(folder))


def _config(path: Path, table: Entry) -> Config:
    files = list(_extended(path, table))
    values: dict[str, Any] = {}
    stated: dict[str, Place] = {}
    names = RuleNames(tuple(_rule_dirs(files)))
    for file, entries in files:
        for key, entry in entries.entries(SETTINGS):
            if key == _EXTEND:
                continue
            setting = SETTINGS[key]
            value = setting.read(entry, file.parent, names)
            field = key.replace("-", "_")
            if key in TABLES and field in values:
                value = values[field] + value if isinstance(value, tuple) else {**values[field], **value}
            values[field] = value
            stated[key] = entry.place
            if isinstance(entry.value, dict):
                stated |= {f"{key}.{name}": leaf.place for name, leaf in entry.leaves()}
    return Config(path=path, root=path.parent, stated=stated, **values)


def _extended(path: Path, table: Entry) -> Iterator[tuple[Path, Entry]]:
    """The file and those that it extends, the most distant one first."""
    chain = [(path, table)]
    while (entry := chain[-1][1].at(_EXTEND)) is not None:
        if not isinstance(entry.value, str):
            raise entry.error("'extend' is no path; write a string, such as '../promptlint.toml'")
        target = Path(os.path.realpath(chain[-1][0].parent / Path(entry.value).expanduser()))
        if any(target == Path(os.path.realpath(known)) for known, _ in chain):
            raise entry.error(f"{entry.value!r} extends this file in turn; break the circle")
        below = _table(target)
        if below is None:
            raise entry.error(f"{entry.value!r} is no file with a promptlint configuration; check the path")
        chain.append((target, below))
    yield from reversed(chain)


def _rule_dirs(files: list[tuple[Path, Entry]]) -> Iterator[Path]:
    """Folders of the user's own rules, whose names the other settings may use."""
    for file, entries in files:
        if (entry := entries.at(_RULE_DIRS)) is not None:
            yield from SETTINGS[_RULE_DIRS].read(entry, file.parent, RuleNames(()))


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
