"""How a long run says how far it is, without knowing who listens."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Track(Protocol):
    """Hands items on one by one and may say how far it is; the second argument is a word for what happens to them."""

    def __call__(self, items: Collection[Item], doing: str, /) -> Iterable[Item]: ...


def untracked(items: Collection[Item], _doing: str, /) -> Iterable[Item]:
    """The items, and not a word."""
    return items
