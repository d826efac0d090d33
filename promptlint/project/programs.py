"""Which programs are looked at for prompts when a walk meets them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import PurePath

from promptlint.data import load_toml
from promptlint.program import SCRIPT_SUFFIXES

PROGRAM_SUFFIXES = frozenset({".py", *SCRIPT_SUFFIXES})
"""Files in the languages that promptlint follows; stubs build nothing."""

_LONGEST_LINE = 300
"""Bytes a line on average, above which a file is what a bundler or minifier wrote."""

_HINT = re.compile(rb"role|messages|[Ss]ystem|[Pp]rompt|PROMPT|SYSTEM|nstructions|contents")


def is_program(path: PurePath) -> bool:
    """Whether a file met on a walk is a program that can build a product's prompts: tests and minified files cannot."""
    if path.suffix.lower() not in PROGRAM_SUFFIXES or path.name.endswith((".min.js", ".bundle.js")):
        return False
    _, names = _silent()
    return not is_for_tests(path) and not names.fullmatch(path.name)


def is_for_tests(path: PurePath) -> bool:
    """Whether a file lies in a folder of tests."""
    folders, _ = _silent()
    return bool(folders & {part.lower() for part in path.parts[:-1]})


def hints_at_prompts(data: bytes) -> bool:
    """Whether a program is written by people and has any of the words that requests are written with."""
    return is_written(data) and _HINT.search(data) is not None


def is_written(data: bytes) -> bool:
    """Whether a program is written by people, and not by a bundler."""
    return len(data) < _LONGEST_LINE * (data.count(b"\n") + 1)


@cache
def _silent() -> tuple[frozenset[str], re.Pattern[str]]:
    table = load_toml("sinks.toml")["silent"]
    return frozenset(table["folders"]), re.compile(table["files"])
