"""Readers of single settings. Each raises ConfigError at its key, saying what is wrong and what to write."""

from __future__ import annotations

import re
from pathlib import Path

from promptlint.config.config import Traffic, ValueRule
from promptlint.data import load_toml, unknown
from promptlint.events import CONSTANT, Event
from promptlint.toml_keys import Entry, kind_of, one_of, string

DIALECTS = ("jinja", "strformat", "braces", "macros", "handlebars", "none")
SURROUNDINGS = ("tools", "system", "history", "user")
EVENTS = tuple(event.value for event in Event)
NEVER_CHANGES = "constant"
HORIZONS = ("conversation", "user", "fleet", "tomorrow")
"""The names in `horizons.toml`, which a run without a configuration has no need to open."""
BASELINE = ".promptlint-baseline.json"
PERSONAS = ("regular", "pedantic", "auditor")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def flag(entry: Entry) -> bool:
    if not isinstance(entry.value, bool):
        raise entry.error(f"{entry.name!r} is {kind_of(entry.value)}; write true or false")
    return entry.value


def path(entry: Entry, folder: Path, example: str) -> Path:
    """A path that runs from the configuration's folder on."""
    return folder / Path(string(entry, example)).expanduser()


def folders(entry: Entry, folder: Path) -> tuple[Path, ...]:
    """Folders that exist."""
    found = tuple(path(item, folder, "lint/rules") for item in entry.items())
    for item, each in zip(entry.items(), found, strict=True):
        if not each.is_dir():
            raise entry.error(f"{item.value!r} is no folder; name one, from the configuration's folder on")
    return found


def provider(entry: Entry) -> str:
    # The registry stands above this module; its table does not.
    rows = load_toml("providers.toml")["provider"]
    known = [name for row in rows for name in (row["name"], *row.get("aliases", ()))]
    given = string(entry, "anthropic")
    if given.strip().lower() not in known:
        raise entry.error(str(unknown("provider", given, known)))
    return given


def model(entry: Entry) -> str:
    given = string(entry, "claude-opus-5")
    if not given.strip():
        raise entry.error("'model' is empty; name a model, or leave the key out")
    return given


def horizon(entry: Entry) -> str:
    return one_of(entry, "horizon", HORIZONS, "user")


def persona(entry: Entry) -> str:
    return one_of(entry, "persona", PERSONAS, "regular")


def seconds(entry: Entry) -> int:
    """Seconds, or a whole number with its unit: "90s", "20m", "2h", "1d"."""
    given = f"{entry.value}s" if type(entry.value) is int else string(entry, "20m")
    found = re.fullmatch(r"\s*([0-9]{1,9})\s*([smhd])\s*", given)
    if found is None or int(found[1]) == 0:
        raise entry.error(f"{entry.name!r} is no length of time; write seconds, or such as '90s', '20m', '2h', '1d'")
    return int(found[1]) * _UNITS[found[2]]


def tokens(entry: Entry) -> int:
    value = entry.value
    if type(value) is not int:
        raise entry.error(f"{entry.name!r} is {kind_of(value)}; write a whole number of tokens, such as 100")
    if value < 0:
        raise entry.error(f"{entry.name!r} is negative; write a number of tokens, 0 or more")
    return value


def dialect(entry: Entry) -> str:
    return one_of(entry, "dialect", DIALECTS, "jinja")


def dialects(entry: Entry) -> dict[str, str]:
    return {glob(item, written): dialect(item) for written, item in entry.entries()}


def globs(entry: Entry) -> tuple[str, ...]:
    if not isinstance(entry.value, list) or not all(isinstance(item, str) for item in entry.value):
        what = "holds more than strings" if isinstance(entry.value, list) else f"is {kind_of(entry.value)}"
        raise entry.error(f"{entry.name!r} {what}; write an array of globs, such as ['prompts/*.txt']")
    return tuple(glob(entry, written) for written in entry.value)


def glob(entry: Entry, written: str) -> str:
    """A glob that is written in a setting: its key, or an element."""
    from pathspec import GitIgnoreSpec

    try:
        patterns = GitIgnoreSpec.from_lines([written]).patterns
    except (ValueError, re.error):
        patterns = []
    if all(pattern.include is None for pattern in patterns):
        raise entry.error(f"{written!r} is no glob; write one as in a .gitignore file")
    return written


def request(entry: Entry) -> dict[str, int]:
    return {key: tokens(item) for key, item in entry.entries(SURROUNDINGS, "key of [request]")}


def traffic(entry: Entry) -> Traffic:
    read = {"requests-per-day": requests, "interval": seconds}
    found = entry.entries(read, "key of [traffic]")
    return Traffic(**{key.replace("-", "_"): read[key](item) for key, item in found})


def requests(entry: Entry) -> int:
    value = entry.value
    if type(value) is not int or value < 1:
        what = f"is {kind_of(value)}" if type(value) is not int else "is less than one"
        raise entry.error(f"{entry.name!r} {what}; write a whole number of requests, such as 20000")
    return value


def sizes(entry: Entry) -> dict[str, int]:
    return {name: tokens(item) for name, item in names(entry).items()}


def values(entry: Entry) -> dict[str, ValueRule]:
    return {name: ValueRule(events(item), item.place) for name, item in names(entry).items()}


def names(entry: Entry) -> dict[str, Entry]:
    """What is said of each dotted name."""
    said: dict[str, Entry] = {}
    for name, item in entry.leaves():
        if name in said:
            at = said[name].place
            first = at.source.position(at.span.start).line
            raise item.error(f"{name!r} is stated a second time, first in line {first}; keep one of the two")
        said[name] = item
    return said


def events(entry: Entry) -> frozenset[Event]:
    given = entry.value if isinstance(entry.value, list) else [entry.value]
    if not given:
        raise entry.error(f"{entry.name!r} names no event; write {NEVER_CHANGES!r} for a value that never changes")
    if given == [NEVER_CHANGES]:
        return CONSTANT
    for event in given:
        if not isinstance(event, str):
            raise entry.error(f"{entry.name!r} holds {kind_of(event)}; write an event or an array of events")
        if event == NEVER_CHANGES:
            raise entry.error(f"{entry.name!r} is {NEVER_CHANGES!r} and changes as well; keep one of the two")
        if event not in EVENTS:
            raise entry.error(str(unknown("event", event, (*EVENTS, NEVER_CHANGES))))
    return frozenset(Event(event) for event in given)
