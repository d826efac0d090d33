"""Paths as reports show them: to users from the working folder on, to services from the repository's root on."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from promptlint.config import find_root
from promptlint.project.discover import relative
from promptlint.report.paint import escaped


def shown_path(file: Path) -> str:
    """A file as a line on a terminal names it: from the working folder on where it lies below, and harmless."""
    return escaped(relative(file, Path.cwd()))


def repository_path(shown: str) -> str:
    """A shown path from the repository's root on, with forward slashes; absolute when it lies elsewhere.

    Links to folders are followed. Without a repository the working folder stands in.
    """
    path = Path(shown)
    real = Path(os.path.realpath(path.parent), path.name)
    root = _root(Path.cwd())
    return real.relative_to(root).as_posix() if real.is_relative_to(root) else real.as_posix()


def repository_uri(shown: str) -> str:
    """The same as a URI reference (RFC 3986): percent-encoded, relative inside the repository, `file:` elsewhere."""
    path = quote(repository_path(shown).encode("utf-8", "replace"))
    return f"file://{path}" if path.startswith("/") else path


@lru_cache(maxsize=4)
def _root(folder: Path) -> Path:
    return find_root(folder)
