"""TOML with the places of its keys, and errors that point at them. The standard library's parser has no places."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from promptlint.data import unknown
from promptlint.source import Place, Source, Span

_TOKEN = re.compile(
    r"#[^\n]*"
    r'|"""(?:\\[\s\S]|[^\\])*?"{3,5}'
    r"|'''[\s\S]*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|[\[\]{}=,.\n]"
    r"|[^\s#\"'\[\]{}=,.]+"
)
_ARRAY_HEADER = re.compile(r"[ \t]*\[\[[ \t]*")
_WORD = re.compile(r"[\w.\-\"']*")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Offset of a key, and of the dotted key or header that it is a part of."""

    part: int
    whole: int


def locate(text: str) -> dict[tuple[str, ...], KeyPlace]:
    """Every key of a valid TOML text, by its path from the top, where it is first written.

    Headers, dotted and quoted keys and inline tables count. Tables of an array that `[[x]]` headers write have their
    number in their path, ("x", "0"); elements of other arrays have the path of their array.
    """
    scan = _Scan()
    for token in _TOKEN.finditer(text):
        scan.take(token[0], token.start())
    return scan.found


def table_lines(text: str, header: int) -> Span | None:
    """The lines of one table of an array, from its header `[[x]]` to its last value; `header` is where `x` stands.

    Comments behind the last value belong to what follows. None where no such header stands in a valid TOML text.
    """
    start = text.rfind("\n", 0, header) + 1
    if _ARRAY_HEADER.fullmatch(text, start, header) is None:
        return None
    end = depth = 0
    is_value = True  # the header's own line counts
    for token in _TOKEN.finditer(text, header):
        if token[0] == "\n" and depth <= 0:
            end, is_value, depth = token.end() if is_value else end, False, 0
        elif token[0] in ("[", "{"):
            if not is_value:
                break
            depth += 1
        elif token[0] in ("]", "}"):
            depth -= 1
        elif not token[0].startswith("#"):
            is_value = True
    return Span(start, len(text) if is_value else end)


class _Scan:
    """Reads tokens one by one; the stack holds open brackets of values, so depth costs no recursion."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, ...], KeyPlace] = {}
        self._table: tuple[str, ...] = ()
        self._path: tuple[str, ...] = ()
        self._open: list[tuple[str, tuple[str, ...]]] = []
        self._parts: list[tuple[str, int]] = []
        self._in_value = False
        self._brackets = 0
        self._elements: dict[tuple[str, ...], int] = {}

    def take(self, token: str, at: int) -> None:
        if token.startswith("#"):
            return
        if self._in_value:
            self._value(token)
        else:
            self._key(token, at)

    def _value(self, token: str) -> None:
        if token in ("[", "{"):
            self._open.append((token, self._path))
            self._in_value = token == "["
        elif token in ("]", "}"):
            self._close()
        elif token == ",":
            self._in_value = bool(self._open) and self._open[-1][0] == "["
        elif token == "\n":
            self._in_value = bool(self._open)

    def _key(self, token: str, at: int) -> None:
        if token == "=":
            self._path = self._record(self._open[-1][1] if self._open else self._table)
            self._in_value = True
        elif token == "]" and self._parts:
            self._header()
        elif token == "}":
            self._close()
            self._in_value = True
        elif token == "[":
            self._brackets += 1
        elif token == "\n":
            self._brackets = 0
        elif token not in ("]", ".", ","):
            self._parts.append((_name(token), at))

    def _header(self) -> None:
        first = self._parts[0][1]
        self._table = self._record(())
        if self._brackets == 2:
            number = self._elements.get(self._table, 0)
            self._elements[self._table] = number + 1
            self._table = (*self._table, str(number))
            self.found[self._table] = KeyPlace(first, first)

    def _close(self) -> None:
        if self._open:
            self._path = self._open.pop()[1]

    def _record(self, path: tuple[str, ...]) -> tuple[str, ...]:
        whole = self._parts[0][1] if self._parts else 0
        for name, at in self._parts:
            path = (*path, name)
            self.found.setdefault(path, KeyPlace(at, whole))
        self._parts.clear()
        return path


def _name(token: str) -> str:
    if token.startswith('"') and "\\" in token:
        import tomllib

        name: str = tomllib.loads(f"key = {token}")["key"]
        return name
    return token[1:-1] if token.startswith(('"', "'")) else token


class ConfigError(ValueError):
    """A configuration that cannot be used; the message is `file:line:col: what is wrong; what to do`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A value with the key it stands under; the whole text's has no key."""

    source: Source
    places: Mapping[tuple[str, ...], KeyPlace]
    path: tuple[str, ...]
    value: Any

    @property
    def name(self) -> str:
        return self.path[-1] if self.path else self.source.path

    @property
    def place(self) -> Place:
        """Where the key stands, with the names that a dot joins to it."""
        start = self._found().whole
        word = _WORD.match(self.source.text, start)
        return Place(self.source, Span(start, word.end() if word is not None else start))

    def error(self, message: str) -> ConfigError:
        return error_at(self.source, self._found().part, message)

    def _found(self) -> KeyPlace:
        """The key's place, else the one of what it stands in: elements of inline arrays have none of their own."""
        for end in range(len(self.path), 0, -1):
            if (place := self.places.get(self.path[:end])) is not None:
                return place
        return KeyPlace(0, 0)

    def items(self) -> Iterator[Entry]:
        """The elements of an array. Raises ConfigError when it is none."""
        if not isinstance(self.value, list):
            raise self.error(f"{self.name!r} is {kind_of(self.value)}; make it an array")
        for number, value in enumerate(self.value):
            yield Entry(self.source, self.places, (*self.path, str(number)), value)

    def at(self, *path: str) -> Entry | None:
        """The value under a path of keys, None when there is none."""
        value = self.value
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return None if value is None else Entry(self.source, self.places, (*self.path, *path), value)

    def entries(self, known: Collection[str] | None = None, kind: str = "setting") -> Iterator[tuple[str, Entry]]:
        """What a table holds. Raises ConfigError when it is none, or has a key that is not among `known`."""
        if not isinstance(self.value, dict):
            raise self.error(f"{self.name!r} is {kind_of(self.value)}; make it a table")
        for key, value in self.value.items():
            entry = Entry(self.source, self.places, (*self.path, key), value)
            if known is not None and key not in known:
                raise entry.error(str(unknown(kind, key, known)))
            yield key, entry

    def leaves(self) -> Iterator[tuple[str, Entry]]:
        """What a table of names holds; `user.id = ...` and a table `user` with a key `id` both give "user.id"."""
        # Dotted keys nest deeper than a function may call itself.
        waiting = list(self.entries())[::-1]
        while waiting:
            name, entry = waiting.pop()
            if isinstance(entry.value, dict):
                waiting.extend([(f"{name}.{key}", below) for key, below in entry.entries()][::-1])
            else:
                yield name, entry


def string(entry: Entry, example: str) -> str:
    """The value where it is a string. Raises ConfigError, with an example of what to write."""
    if not isinstance(entry.value, str):
        raise entry.error(f"{entry.name!r} is {kind_of(entry.value)}; write a string, such as {example!r}")
    return entry.value


def one_of(entry: Entry, kind: str, known: Iterable[str], example: str) -> str:
    """The value where it is one of the known names. Raises ConfigError with the nearest."""
    given, names = string(entry, example), tuple(known)
    if given not in names:
        raise entry.error(str(unknown(kind, given, names)))
    return given


def parse(data: bytes, shown: str) -> Entry:
    """The whole text. Raises ConfigError when it is not TOML in UTF-8 without a byte order mark."""
    import tomllib

    source = _text(data, shown)
    try:
        return Entry(source, locate(source.text), (), tomllib.loads(source.text))
    except RecursionError as error:
        raise error_at(source, 0, "the values are nested too deeply; flatten them") from error
    except ValueError as error:
        raise _syntax_error(source, str(error)) from error


def error_at(source: Source, offset: int, message: str) -> ConfigError:
    position = source.position(offset)
    return ConfigError(f"{source.path}:{position.line}:{position.column}: {message}")


def kind_of(value: object) -> str:
    """What TOML calls such a value, with its article."""
    kinds = {bool: "a boolean", int: "an integer", float: "a float", str: "a string", list: "an array", dict: "a table"}
    return kinds.get(type(value), "a date or time")


def _text(data: bytes, shown: str) -> Source:
    try:
        source = Source(shown, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        before = Source(shown, data[: error.start].decode("utf-8"))
        raise error_at(before, len(before.text), "the file is not UTF-8; save it as UTF-8") from error
    if source.text.startswith("\ufeff"):
        raise error_at(source, 0, "the file begins with a byte order mark; save it as UTF-8 without one")
    return source


def _syntax_error(source: Source, said: str) -> ConfigError:
    place = _PLACE.search(said)
    problem = said[: place.start()] if place is not None else said
    if place is None:
        offset = 0
    elif place[1] is None:
        offset = len(source.text)
    else:
        offset = source.line_starts()[int(place[1]) - 1] + int(place[2]) - 1
    return error_at(source, offset, f"this is not TOML: {problem[:1].lower()}{problem[1:]}; correct the syntax")
