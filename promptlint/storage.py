"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_whole(path: Path, text: str) -> None:
    """Write text as UTF-8, with its line ends as they are. A reader sees the old file or the new one, never a part.

    A link is followed, and a file keeps its permissions. Pipes and devices are written to directly. Raises OSError
    whose message is `path: what is wrong; what to do`.
    """
    data = text.encode("utf-8", "replace")
    try:
        real = Path(os.path.realpath(path))
        if real.exists() and not real.is_file():
            real.write_bytes(data)
        else:
            _replace(real, data)
    except OSError as error:
        said = (error.strerror or type(error).__name__).lower()
        raise OSError(f"{path}: it cannot be written ({said}); check the folder and its permissions") from error


def holds(path: Path, text: str) -> bool:
    """Whether a file's bytes are this text in UTF-8: others (a byte order mark, UTF-16) are not written to."""
    try:
        return path.read_bytes() == text.encode("utf-8")
    except (OSError, UnicodeEncodeError):
        return False


def _replace(path: Path, data: bytes) -> None:
    mode = path.stat().st_mode if path.exists() else 0o666 & ~_umask()
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).chmod(mode)
            Path(file.name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(file.name).unlink()
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
