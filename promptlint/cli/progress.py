"""How far a long run is, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterator

from promptlint.track import Item, Track, untracked

_PATIENCE = 2.0
"""Seconds in which nothing is shown."""


def tracking() -> Track:
    """What shows progress on standard error when it is a terminal and a run takes more than two seconds."""
    if not sys.stderr.isatty():
        return untracked
    started = time.monotonic()

    def track(items: Collection[Item], doing: str, /) -> Iterator[Item]:
        waiting = iter(items)
        for done, item in enumerate(waiting):
            if time.monotonic() - started > _PATIENCE:
                yield from _shown(item, waiting, doing, done, len(items))
                return
            yield item

    return track


def _shown(first: Item, rest: Iterator[Item], doing: str, done: int, total: int) -> Iterator[Item]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(doing, total=total, completed=done)
        yield first
        for item in rest:
            progress.advance(task)
            yield item
