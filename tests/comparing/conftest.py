"""Versions made of texts, without files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptlint.comparing.comparison import Comparison
from promptlint.versions import Asked, compared

Compare = Callable[..., Comparison]


@pytest.fixture(scope="module")
def compare(tmp_path_factory: pytest.TempPathFactory) -> Compare:
    """Compares two request bodies, or two texts of templates, written to files."""
    folder = tmp_path_factory.mktemp("compared")

    def run(a: Any, b: Any, *, indent: int | None = None, suffix: str = ".j2", **asked: Any) -> Comparison:
        paths = []
        for name, given in (("a", a), ("b", b)):
            text = given if isinstance(given, str) else json.dumps(given, indent=indent, ensure_ascii=False)
            path = Path(folder) / f"{name}{suffix if isinstance(given, str) else '.json'}"
            path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
            paths.append(str(path))
        return compared(paths[0], paths[1], (), Asked(isolated=True, **asked))

    return run
