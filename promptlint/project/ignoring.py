"""Ignore files: what they leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec, PathSpec


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Lines of an ignore file in a folder.

    A pattern that matches a folder matches what is in it as well. For a file, GitIgnoreSpec knows which of its
    matches came about that way; it misjudges folders, for which the last pattern that matches decides.
    """

    folder: str
    of_files: GitIgnoreSpec
    of_folders: PathSpec[Any]

    def says(self, path: str) -> bool | None:
        """Whether a path (a folder's ends in a slash) is left out; None when no pattern matches it."""
        prefix = self.folder.rstrip("/") + "/"
        if not path.startswith(prefix):
            return None
        spec = self.of_folders if path.endswith("/") else self.of_files
        return spec.check_file(path[len(prefix) :]).include


@dataclass(frozen=True, slots=True)
class Ignored:
    """Ignore files, the outermost first."""

    files: tuple[_Patterns, ...] = ()

    def within(self, folder: str, name: str) -> Ignored:
        """With the ignore file of that name in a folder, if there is one."""
        try:
            lines = Path(folder, name).read_bytes().decode("utf-8-sig", "replace").splitlines()
        except OSError:
            return self
        return self.plus(folder, lines)

    def plus(self, folder: str, lines: Sequence[str]) -> Ignored:
        from pathspec import PathSpec

        spec = spec_of(lines)
        return Ignored((*self.files, _Patterns(folder, spec, PathSpec(spec.patterns))))

    def covers(self, path: str) -> bool:
        """Whether a path is left out: the innermost file that mentions it decides. Folders above it do not count."""
        said = (patterns.says(path) for patterns in reversed(self.files))
        return next((answer for answer in said if answer is not None), False)


def spec_of(lines: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error):
        # One line is no pattern. git passes over it, and so do we.
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True
