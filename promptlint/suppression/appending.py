"""Entries of `[[suppress]]`, added to a configuration file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from promptlint.finding import Finding
from promptlint.suppression.entries import pointer_at
from promptlint.toml_keys import ConfigError

_LONGEST = 80
"""Characters of a finding's text that an entry quotes."""


def with_entries(data: bytes, file: Path, findings: Iterable[tuple[str, Finding]], reason: str) -> str:
    """A configuration's text with an entry for each finding, whose file is given from the configuration's folder on.

    `data` is what stands in the file; its lines end as they did, and so do those of the entries. Raises ConfigError for
    a file that cannot hold further entries.
    """
    header = "[[tool.promptlint.suppress]]" if file.name == "pyproject.toml" else "[[suppress]]"
    blocks = list(dict.fromkeys(f"{header}\n{_lines(path, finding, reason)}" for path, finding in findings))
    import tomllib

    try:
        text = data.decode("utf-8")
        end = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
        start = f"{text.rstrip()}{end}{end}" if text.strip() else ""
        changed = start + "\n".join(blocks).replace("\n", end)
        tomllib.loads(changed)
    except ValueError as error:
        raise ConfigError(
            f"{file}:1:1: {header} cannot be added behind 'suppress = [...]' or to a broken file; add it by hand"
        ) from error
    return changed


def _lines(path: str, finding: Finding, reason: str) -> str:
    # A path without a slash would mean files of that name in every folder.
    given = {"path": path if "/" in path else f"/{path}", "rule": finding.rule}
    if pointer := pointer_at(finding.place):
        given["at"] = pointer
    if quoted := next((line.strip() for line in finding.place.text.splitlines() if line.strip()), ""):
        given["text"] = quoted[:_LONGEST]
    if reason:
        given["reason"] = reason
    return "".join(f"{key} = {_quoted(value)}\n" for key, value in given.items())


def _quoted(text: str) -> str:
    """A basic string of TOML, which has JSON's escapes but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
