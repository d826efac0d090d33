"""Zstandard streams whose early end is noticed: the package's own reader takes it for the end."""

from __future__ import annotations

import io
from typing import IO

_AT_ONCE = 2**18


class ZstdReader(io.RawIOBase):
    """The decompressed bytes of one or more frames. Reading raises EOFError where the last one is not whole."""

    def __init__(self, source: IO[bytes]) -> None:
        import zstandard

        self._source, self._decompressor = source, zstandard.ZstdDecompressor()
        self._frame = self._decompressor.decompressobj()
        self._begun, self._ready = False, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            if self._frame.eof:
                packed = self._frame.unused_data or self._source.read(_AT_ONCE)
                self._frame, self._begun = self._decompressor.decompressobj(), False
            else:
                packed = self._source.read(_AT_ONCE)
            if not packed:
                if self._begun:
                    raise EOFError("compressed data ends early")
                return 0
            self._begun = True
            self._ready = memoryview(self._unpacked(packed))
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _unpacked(self, packed: bytes) -> bytes:
        import zstandard

        try:
            return self._frame.decompress(packed)
        except zstandard.ZstdError as error:
            raise OSError(str(error)) from error
