"""`promptlint check --fix`, `--unsafe-fixes` and `--diff`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from functools import wraps
from typing import Any, TypeVar

import click

from promptlint.engine import Engine, Options, Outcome
from promptlint.report.mask import mask
from promptlint.report.paint import escaped
from promptlint.storage import write_whole

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Fixes:
    """What is asked of fixes."""

    write: bool
    unsafe: bool
    diff: bool

    @property
    def wanted(self) -> bool:
        return self.write or self.diff

    def written(self, engine: Engine, outcome: Outcome, options: Options) -> Iterator[str]:
        """Write the files; gives a line for each. Raises OSError."""
        from promptlint.fixing import fixed

        for each in fixed(engine, outcome, options, unsafe=self.unsafe):
            write_whole(each.path, each.after)
            yield f"{escaped(each.shown)}: {each.count:,} fixed"

    def shown(self, engine: Engine, outcome: Outcome, options: Options) -> Iterator[str]:
        """What would be changed, as a unified diff with secrets masked."""
        from promptlint.fixing import fixed

        for each in fixed(engine, outcome, options, unsafe=self.unsafe):
            before, after = (mask(text).splitlines(keepends=True) for text in (each.before, each.after))
            for line in unified_diff(before, after, escaped(each.shown), escaped(each.shown)):
                yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def fix_options(command: _Command) -> _Command:
    """The options about fixes; the command gets them as one argument, `fixes`."""

    @click.option("--fix", is_flag=True, help="Write what is safe to fix into the files, then report what is left.")
    @click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: also those that change what is sent.")
    @click.option("--diff", is_flag=True, help="Print what --fix would change, and write nothing.")
    @wraps(command)
    def with_fixes(*args: Any, fix: bool, unsafe_fixes: bool, diff: bool, **rest: Any) -> Any:
        if unsafe_fixes and not (fix or diff):
            raise click.UsageError("--unsafe-fixes says which fixes to make; name --fix or --diff as well")
        return command(*args, fixes=Fixes(fix, unsafe_fixes, diff), **rest)

    return with_fixes  # type: ignore[return-value]
