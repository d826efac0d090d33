"""A file as git holds it at a revision."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from promptlint.readers.opening import LARGEST

_NAMED = re.compile(r"(?P<revision>[^:]*):(?P<path>[^:]+)")
_SECONDS = 30


class RevisionError(OSError):
    """A revision or path that git does not have; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Revision:
    """`REV:path` as git reads it: the path counts from the repository's root, or from here when it starts with `./`.

    No revision stands for what is staged.
    """

    name: str
    path: str

    @property
    def file(self) -> Path:
        """Where the file stands in the working tree."""
        if self.path.startswith(("./", "../")):
            return Path(self.path)
        root = Path(os.fsdecode(_git("rev-parse", "--show-toplevel")).rstrip("\n"))
        return root / self.path

    def read(self) -> bytes:
        """The bytes at the revision. Raises RevisionError."""
        size = int(_git("cat-file", "-s", self.name))
        if size > LARGEST:
            # No more is read than of a file in a folder, and the message is made there.
            return b" " * (LARGEST + 1)
        return _git("cat-file", "blob", self.name)


def revision(argument: str) -> Revision | None:
    """The revision that an argument names; None when it is a path, which a file of that name always is."""
    found = _NAMED.fullmatch(argument)
    if found is None or Path(argument).exists() or argument.startswith("-"):
        return None
    return Revision(argument, found["path"])


def _git(*arguments: str) -> bytes:
    """What git prints. A partial clone is not completed: promptlint opens no connection."""
    try:
        done = subprocess.run(
            ["git", *arguments],
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"},
        )
    except FileNotFoundError:
        raise RevisionError("git is not installed; give paths of files") from None
    except (subprocess.TimeoutExpired, ValueError) as error:
        raise RevisionError(f"git did not answer ({type(error).__name__}); give paths of files") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = said[0].removeprefix("fatal: ").rstrip(".") if said else "git failed"
        raise RevisionError(f"{arguments[-1]}: {reason}; name a file, or REV:path as git does")
    return done.stdout
