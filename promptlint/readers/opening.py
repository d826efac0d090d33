"""A file's bytes as text."""

from __future__ import annotations

import codecs
import stat
from dataclasses import dataclass
from pathlib import Path

from promptlint.source import Source, Span
from promptlint.template import Problem

LARGEST = 4_000_000
"""Bytes. A larger file is no prompt: no model reads a million tokens of template."""

_HEAD = 8192


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that was read; `problems` say what of it is not quite text."""

    source: Source
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that was not read, with the reason and what to do about it."""

    path: str
    message: str


def open_source(path: Path, shown: str) -> Opened | Unreadable:
    """The file's text under the name that users see. Line ends stay as they are, a byte order mark is dropped.

    UTF-8, and UTF-16 with a mark, are read; what is neither is read as UTF-8 with replacement characters and a
    problem at the first of them. A file of more than LARGEST bytes is not read. Never raises on what it finds.
    """
    try:
        entry = path.stat()
        if stat.S_ISDIR(entry.st_mode):
            return Unreadable(shown, "this is a folder; name a file")
        if entry.st_size > LARGEST:
            return Unreadable(shown, _too_large(entry.st_size))
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        return Unreadable(shown, _reason(error))
    except ValueError:
        return Unreadable(shown, "there is no such file; check the path")
    # A pipe has no size before it is read.
    return source_of(data, shown)


def source_of(data: bytes, shown: str) -> Opened | Unreadable:
    """The text of a file's bytes, wherever they come from, by the rules of `open_source`."""
    if len(data) > LARGEST:
        return Unreadable(shown, _too_large(len(data)))
    encoding, name, data = _encoding(data)
    head = data[:_HEAD].decode(encoding, "replace")
    if "\0" in head:
        return Unreadable(shown, "this is a binary file; name text files, or exclude it in the configuration")
    return _decoded(data, encoding, name, shown)


def _encoding(data: bytes) -> tuple[str, str, bytes]:
    """Codec, name as people write it, and the bytes behind the byte order mark."""
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8", "UTF-8", data[len(codecs.BOM_UTF8) :]
    if data.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le", "UTF-16", data[len(codecs.BOM_UTF16_LE) :]
    if data.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be", "UTF-16", data[len(codecs.BOM_UTF16_BE) :]
    return "utf-8", "UTF-8", data


def _decoded(data: bytes, encoding: str, name: str, shown: str) -> Opened:
    try:
        return Opened(Source(shown, data.decode(encoding)))
    except UnicodeDecodeError as error:
        at = len(data[: error.start].decode(encoding))
    message = f"this file is not {name}; read with replacement characters; save it as UTF-8"
    return Opened(Source(shown, data.decode(encoding, "replace")), (Problem(Span(at, at + 1), message),))


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "there is no such file; check the path"
    if isinstance(error, PermissionError):
        return "permission denied; make the file readable, or exclude it in the configuration"
    said = error.strerror or type(error).__name__
    return f"it cannot be read ({said.lower()}); check the file, or exclude it in the configuration"


def _too_large(size: int) -> str:
    limit = f"{LARGEST // 1_000_000} MB"
    return f"{size:,} bytes are more than the {limit} that are read; split the file, or exclude it in the configuration"
