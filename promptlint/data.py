"""Where the rules and their tables are: beside the package in a checkout, inside it once installed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any


@cache
def rules_path() -> Path:
    """The folder that holds the rules: `promptlint/_rules` in an installed wheel, `rules` in a checkout."""
    here = Path(__file__).parent
    installed = here / "_rules"
    return installed if installed.is_dir() else here.parent / "rules"


def data_path(*parts: str) -> Path:
    """The path of a table, or of a folder of tables, below `data` in the rules' folder. It need not exist."""
    return rules_path().joinpath("data", *parts)


@cache
def load_toml(name: str) -> dict[str, Any]:
    """The table in the file `name` below `data`, such as "sizes.toml". It is shared: read it, never change it.

    Raises FileNotFoundError when there is no such file, tomllib.TOMLDecodeError (a ValueError) when it is not TOML.
    """
    import tomllib

    return tomllib.loads(data_path(*name.split("/")).read_text(encoding="utf-8"))


class UnknownNameError(ValueError):
    """Something was asked for by a name that nothing has; the message gives the nearest one."""


def unknown(kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """The error for a `name` that is not among `known`. Its message gives the nearest one, letter case apart."""
    from difflib import get_close_matches

    folded = {candidate.casefold(): candidate for candidate in known}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.0)
    return UnknownNameError(
        f"no {kind} is called {name!r}" + "".join(f"; did you mean {folded[word]!r}?" for word in near)
    )
