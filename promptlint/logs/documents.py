"""The JSON documents of a file: lines, one document, rows of Parquet; plain or compressed."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import IO, Any

from promptlint.logs.places import STANDARD_INPUT, Part, is_lines, opened
from promptlint.logs.record import Skipped
from promptlint.logs.zstd import ZstdReader

LONGEST_LINE = 64 * 2**20
"""Bytes of a line that is read; a longer one is skipped without being held in memory."""

LARGEST_DOCUMENT = 512 * 2**20
"""Bytes of a file that is one document; JSON has to be held whole to be read."""

_ZSTD = b"\x28\xb5\x2f\xfd"
_GZIP = b"\x1f\x8b"
_PARQUET = b"PAR1"
_BOM = b"\xef\xbb\xbf"

Document = tuple[int, Any]
"""A line number (from 1; rows count too) and the value that stands there."""
Skip = Callable[[Skipped], None]


def documents(part: Part, skip: Skip) -> Generator[Document, None, int]:
    """The documents of a part of a file, in order. What cannot be read is handed to `skip`, and the rest is read.

    Line numbers count from the part's own first line. Returns how many lines, rows or items the part has.
    """
    with _opened(part.path) as stream:
        head = _head(stream)
        if head.startswith(_PARQUET):
            return (yield from _rows(part.path, stream, skip))
        if is_lines(part.path) or part.start or part.end is not None:
            return (yield from _lines(part, stream, skip))
        return (yield from _whole(part, stream, skip))


def parsed(line: bytes) -> Any:
    """The value of a JSON text, as json.loads reads it. Raises ValueError."""
    import msgspec

    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return json.loads(line.strip())
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _head(stream: Any) -> bytes:
    try:
        return bytes(stream.peek(4)[:4])
    except (EOFError, OSError, zlib.error):
        return b""  # whoever reads on is told of it


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    source: Any = sys.stdin.buffer if path == STANDARD_INPUT else opened(path)
    try:
        head = source.peek(4)[:4]
        stream: Any = source
        if head.startswith(_GZIP):
            stream = gzip.open(source)  # noqa: SIM115
        elif head == _ZSTD:
            stream = io.BufferedReader(ZstdReader(source))
        yield stream
    finally:
        if path != STANDARD_INPUT:
            source.close()


def _lines(part: Part, stream: IO[bytes], skip: Skip) -> Generator[Document, None, int]:
    number, at = 0, part.start
    if part.start:
        stream.seek(part.start - 1)
        if stream.read(1) != b"\n":
            at += _discard(stream)
    while part.end is None or at < part.end:
        number += 1
        try:
            line = stream.readline(LONGEST_LINE + 1)
            length = len(line)
            if length > LONGEST_LINE:
                length += _discard(stream) if not line.endswith(b"\n") else 0
                skip(Skipped(part.path, number, f"a line longer than {LONGEST_LINE >> 20} MB"))
                line = b""
        except (EOFError, OSError, zlib.error) as error:
            skip(Skipped(part.path, number, f"the file is damaged from here on ({_said(error)})"))
            return number
        if not length:
            return number - 1
        at += length
        if line.startswith(_BOM):
            line = line.removeprefix(_BOM)
        if line and not line.isspace():
            try:
                value = parsed(line)
            except ValueError as error:
                skip(Skipped(part.path, number, f"not JSON ({_said(error)})"))
                continue
            yield number, value
    return number


def _discard(stream: IO[bytes]) -> int:
    """Reads up to the next line end; how many bytes that were."""
    count = 0
    while block := stream.readline(2**20):
        count += len(block)
        if block.endswith(b"\n"):
            break
    return count


def _whole(part: Part, stream: IO[bytes], skip: Skip) -> Generator[Document, None, int]:
    """One document, or lines when the file holds several; the items of an array are documents of their own."""
    try:
        data = stream.read(LARGEST_DOCUMENT + 1)
    except (EOFError, OSError, zlib.error) as error:
        skip(Skipped(part.path, 0, f"the file is damaged ({_said(error)})"))
        return 0
    if len(data) > LARGEST_DOCUMENT:
        skip(Skipped(part.path, 0, f"a document larger than {LARGEST_DOCUMENT >> 20} MB; write it as JSON lines"))
        return 0
    data = data.removeprefix(_BOM)
    try:
        value = parsed(data)
    except ValueError as error:
        if b"\n{" in data.strip():
            return (yield from _lines(Part(part.path), io.BytesIO(data), skip))
        skip(Skipped(part.path, 0, f"not JSON ({_said(error)})"))
        return 0
    items = value if isinstance(value, list) else [value]
    yield from enumerate(items, 1)
    return len(items)


def _rows(path: str, stream: IO[bytes], skip: Skip) -> Generator[Document, None, int]:
    import pyarrow
    import pyarrow.parquet

    number = 0
    try:
        table = pyarrow.parquet.ParquetFile(stream if stream.seekable() else io.BytesIO(stream.read()))
        for batch in table.iter_batches(batch_size=256):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pyarrow.ArrowException, OSError) as error:
        skip(Skipped(path, number, f"the file is damaged from here on ({_said(error)})"))
    return number


def _said(error: BaseException) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
