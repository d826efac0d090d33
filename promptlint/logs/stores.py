"""Logs in object stores, read through Arrow's file systems. Nothing is asked for that the user did not name."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from promptlint.logs.record import LogError

_SCHEMES = ("s3", "gs")
AT_ONCE = 2**20
"""Bytes that are fetched at a time."""


def is_stored(name: str) -> bool:
    """Whether a name is that of something in a store: `s3://bucket/path`, not a path of this machine."""
    return "://" in name


def stored(name: str, is_log: Callable[[str], bool]) -> Iterator[str]:
    """The objects that a name means: itself, those that match it (`*` reaches over `/`), or the logs below it.

    Raises LogError for a store that cannot be read, OSError when it does not answer.
    """
    from pyarrow.fs import FileSelector, FileType

    root, path, query = _parts(name)
    system = _system(root)

    def objects(folder: str) -> Iterator[str]:
        for each in system.get_file_info(FileSelector(folder, recursive=True, allow_not_found=True)):
            if each.type == FileType.File:
                yield each.path

    found: Iterator[str]
    if "*" in path:
        start = path.partition("*")[0].rpartition("/")[0]
        found = (each for each in objects(start) if fnmatchcase(each, path))
    elif system.get_file_info(path).type == FileType.File:
        found = iter((path,))
    else:
        found = (each for each in objects(path.rstrip("/")) if is_log(each.rpartition("/")[2]))
    scheme = root.partition("://")[0]
    yield from (f"{scheme}://{quote(each)}{query}" for each in sorted(found))


def size_of(name: str) -> int:
    """Bytes of an object. Raises OSError."""
    root, path, _ = _parts(name)
    return int(_system(root).get_file_info(path).size or 0)


def opened(name: str) -> Any:
    """An object as a stream of bytes that can seek and peek. Raises OSError."""
    root, path, _ = _parts(name)
    return io.BufferedReader(_system(root).open_input_file(path), AT_ONCE)


def _parts(name: str) -> tuple[str, str, str]:
    """The store with its settings, the path in it from the bucket on, and the settings as they stand in the name."""
    split = urlsplit(name)
    if split.scheme not in _SCHEMES:
        raise LogError(f"{name}: only s3:// and gs:// are read from here; for others: curl -L URL | promptlint audit -")
    if "@" in split.netloc:
        bucket = split.netloc.rpartition("@")[2]
        raise LogError(f"{split.scheme}://{bucket}: keys are taken from the environment; leave them out of the name")
    query = f"?{split.query}" if split.query else ""
    return f"{split.scheme}://{split.netloc}{query}", f"{split.netloc}{unquote(split.path)}", query


@cache
def _system(root: str) -> Any:
    import pyarrow
    from pyarrow.fs import FileSystem

    try:
        return FileSystem.from_uri(root)[0]
    except (pyarrow.ArrowNotImplementedError, ImportError) as error:
        raise LogError(f"{root}: this build of pyarrow cannot read it; install pyarrow from its wheel") from error
    except pyarrow.ArrowInvalid as error:
        raise LogError(f"{root}: {error}") from error
