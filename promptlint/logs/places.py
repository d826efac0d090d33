"""Which files hold the log, and how they are cut so that several processes can read one."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from promptlint.logs import stores

STANDARD_INPUT = "-"

_LINES = (".jsonl", ".ndjson", ".log")
_SUFFIXES = (*_LINES, ".json", ".har", ".parquet")
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1")
_COMPRESSED = (".gz", ".zst", ".zstd")


@dataclass(frozen=True, slots=True)
class Part:
    """The lines of a file that begin in a range of its bytes; `end` None reads to its end. `format` is that of the
    file, "" where it is to be told from the part."""

    path: str
    start: int = 0
    end: int | None = None
    format: str = ""


def files_of(arguments: Iterable[str]) -> list[str]:
    """The files that the arguments name: paths, globs, folders (searched for logs), the same in object stores, and
    `-`, each once, in order.

    Raises FileNotFoundError for a name behind which there is nothing, LogError for a store that cannot be read.
    """
    found: dict[str, None] = {}
    for argument in arguments:
        names = list(_files(argument))
        if not names:
            raise FileNotFoundError(f"{argument}: {_missing(argument)}")
        found.update(dict.fromkeys(names))
    return list(found)


def parts_of(files: Sequence[str], size: int) -> list[Part]:
    """The files in parts of about `size` bytes. Only plain lines can be cut; anything else is one part."""
    parts: list[Part] = []
    for name in files:
        length = size_of(name) if _is_cuttable(name) else 0
        starts = range(0, length, size) if length > size else range(1)
        parts += [Part(name, start, start + size if start + size < length else None) for start in starts]
    return parts


def size_of(name: str) -> int:
    """Bytes of a file, 0 for standard input. Raises OSError."""
    if name == STANDARD_INPUT:
        return 0
    return stores.size_of(name) if stores.is_stored(name) else Path(name).stat().st_size


def opened(name: str) -> Any:
    """A file as a stream of bytes. Raises OSError."""
    return stores.opened(name) if stores.is_stored(name) else Path(name).open("rb", stores.AT_ONCE)


def is_lines(path: str) -> bool:
    """Whether the file's name says that each of its lines is a document; standard input is such a file."""
    return path == STANDARD_INPUT or _bare(path).endswith(_LINES)


def _files(argument: str) -> Iterator[str]:
    if stores.is_stored(argument):
        yield from stores.stored(argument, _is_log)
    elif argument == STANDARD_INPUT or Path(argument).is_file():
        yield argument
    elif Path(argument).is_dir():
        yield from sorted(str(path) for path in Path(argument).rglob("*") if path.is_file() and _is_log(path.name))
    else:
        yield from (name for name in sorted(glob.glob(argument, recursive=True)) if Path(name).is_file())  # noqa: PTH207


def _missing(argument: str) -> str:
    if not stores.is_stored(argument) and Path(argument).is_dir():
        return f"no log in this folder; the names of logs end in {', '.join(_SUFFIXES)}, also compressed"
    return "no such log; give files, globs, folders or `-`"


def _is_log(name: str) -> bool:
    return _bare(name).endswith(_SUFFIXES) and not name.startswith(".")


def _is_cuttable(name: str) -> bool:
    if name == STANDARD_INPUT or not _lower(name).endswith(_LINES):
        return False
    with opened(name) as stream:
        return not stream.read(4).startswith(_PACKED)


def _lower(name: str) -> str:
    """The name in lower case; that of an object without the settings of its store."""
    return (name.partition("?")[0] if stores.is_stored(name) else name).lower()


def _bare(name: str) -> str:
    """The name in lower case without the suffix of a compression."""
    lower = _lower(name)
    return next((lower.removesuffix(suffix) for suffix in _COMPRESSED if lower.endswith(suffix)), lower)
