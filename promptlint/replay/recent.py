"""A cache of bounded size for what repeats in a log."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """What was put in or asked for lately: at least `limit` of size, at most twice that.

    Two generations: a full one becomes the old one, and what is asked for in the old one moves to the young one.
    """

    def __init__(self, limit: int) -> None:
        self._limit, self._size = limit, 0
        self._young: dict[K, tuple[V, int]] = {}
        self._old: dict[K, tuple[V, int]] = {}

    def get(self, key: K) -> V | None:
        """The value, None when it is not here (any more)."""
        if (found := self._young.get(key)) is not None:
            return found[0]
        if (found := self._old.pop(key, None)) is None:
            return None
        self._keep(key, found)
        return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        self._keep(key, (value, size))

    def put_all(self, keys: Iterable[K], value: V) -> None:
        """The same value under many keys, each of size 1."""
        self._turn()
        before = len(self._young)
        self._young.update(dict.fromkeys(keys, (value, 1)))
        self._size += len(self._young) - before

    def _keep(self, key: K, entry: tuple[V, int]) -> None:
        self._turn()
        if (known := self._young.get(key)) is not None:
            self._size -= known[1]
        self._young[key] = entry
        self._size += entry[1]

    def _turn(self) -> None:
        if self._size >= self._limit:
            self._old, self._young, self._size = self._young, {}, 0
