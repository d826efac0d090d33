"""Files as git holds them at a revision."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from promptlint.readers.opening import LARGEST

_NAMED = re.compile(r"(?P<revision>[^:]*):(?P<path>[^:]+)")
_FILE = re.compile(rb"100\d{3} blob (?P<id>[0-9a-f]+) +(?P<size>\d+)\t(?P<path>.+)", re.DOTALL)
"""A line of `git ls-tree -l` about a file that is no link."""
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
        root = Path(os.fsdecode(_git("rev-parse", "--show-toplevel", about=self.name)).rstrip("\n"))
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


def repository(folder: Path) -> Path:
    """The root of the repository that a folder stands in. Raises RevisionError."""
    top = ("-C", str(folder), "rev-parse", "--show-toplevel")
    root = _git(*top, about=str(folder), to_do="name files that git knows")
    return Path(os.path.realpath(os.fsdecode(root).rstrip("\n")))


def write_tree(revision: str, root: Path, folder: Path) -> None:
    """Write the files that a revision of the repository at `root` holds into a folder. Raises RevisionError.

    Links, other repositories, and files too large to be read are left out.
    """
    if revision.startswith("-"):
        raise RevisionError(f"{revision}: this is no revision; name a commit, a branch or a tag")
    try:
        commit = _git("-C", str(root), "rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()
    except RevisionError:
        raise RevisionError(f"{revision}: git has no such commit here; fetch it, or name another one") from None
    listed = _git("-C", str(root), "ls-tree", "-r", "-z", "-l", "--full-tree", commit).split(b"\0")
    files = [found for line in listed if (found := _FILE.fullmatch(line)) and int(found["size"]) <= LARGEST]
    held = _git("-C", str(root), "cat-file", "--batch", given=b"".join(found["id"] + b"\n" for found in files))
    at = 0
    for found in files:
        head, at = held[at : held.index(b"\n", at)], held.index(b"\n", at) + 1
        if head.endswith(b" missing"):
            raise RevisionError(f"{revision}: git has not all of its files here; fetch them")
        data, at = held[at : at + int(found["size"])], at + int(found["size"]) + 1
        path = folder / os.fsdecode(found["path"])
        # Git itself refuses such names, but a repository made by hand can hold them.
        if ".." not in path.parts and ".git" not in path.parts and path.is_relative_to(folder):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def _git(
    *arguments: str, given: bytes = b"", about: str = "", to_do: str = "name a file, or REV:path as git does"
) -> bytes:
    """What git prints. A partial clone is not completed: promptlint opens no connection; `given` is standard input.

    Raises RevisionError about what was asked for, by default the last argument.
    """
    try:
        done = subprocess.run(
            ["git", *arguments],
            input=given,
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
        raise RevisionError(f"{about or arguments[-1]}: {reason}; {to_do}")
    return done.stdout
