"""What differs first between a request and the earlier one whose prefix it lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from promptlint.audit.reference import MESSAGES_FIELD, SETTINGS_FIELD, TOOLS_FIELD, Seen
from promptlint.audit.texts import Library
from promptlint.logs.values import opened
from promptlint.replay.recent import Recent
from promptlint.shapes.differences import common_prefix, difference

_AROUND = 40
"""Characters of an excerpt on each side of a difference."""

_MASKED = 4_000
"""Characters on each side in which secrets are looked for, so that none is cut in two."""

_LONGEST_LINE = 400
_OFTEN = 8
_PARTS = "0123456789abcdefABCDEF:-.TZ"
"""What a value that differs may begin with although it is another one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference: its place in the later request, its kind, and the later request's tokens behind it that
    the earlier one had behind it too (`stable`). `inside` are the tokens of its piece before it. `is_placed` says that
    both texts are kept, and differ at `offset`.
    """

    piece: int
    path: str
    offset: int
    kind: str
    stable: int
    pair: tuple[int, int]
    inside: int = 0
    is_placed: bool = False


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The two texts around a difference, and the later one's line up to it."""

    before: str = ""
    after: str = ""
    line: str = ""


@dataclass(frozen=True, slots=True)
class _Inside:
    """The first difference of two texts; `same` and `above` are shares of the later one: lines that the earlier one
    has behind the difference too, and what stands before it."""

    offset: int
    kind: str
    same: float
    above: float


class Comparer:
    """Finds differences; texts are looked up where hashes do not say enough."""

    def __init__(self, library: Library, mask: Callable[[str], str]) -> None:
        self._library, self._mask = library, mask
        self._inside: Recent[tuple[int, int], _Inside] = Recent(100_000)
        self._kinds: dict[tuple[str, str, bool], tuple[str, int]] = {}

    def difference(self, earlier: Seen, later: Seen, shared: int) -> Difference | None:
        """What differs behind the `shared` leading pieces; None when one of the two only goes on further."""
        if shared >= len(earlier.keys) or shared >= len(later.keys):
            return None
        stable = _stable(earlier, later, shared)
        fields = earlier.fields[shared], later.fields[shared]
        pair = earlier.keys[shared], later.keys[shared]
        if SETTINGS_FIELD in fields:
            return self._setting(earlier, later, shared, stable)
        if TOOLS_FIELD in fields:
            return self._tools(earlier, later, shared, stable)
        path = later.paths[shared]
        left, right = earlier.keys[shared:], later.keys[shared:]
        if fields == (MESSAGES_FIELD, MESSAGES_FIELD):
            if later.keys[shared] in left[1:]:
                moved = earlier.keys[shared] in right[1:]
                return Difference(shared, path, 0, "reorder" if moved else "truncation", stable, pair)
            if earlier.keys[shared] in right[1:]:
                return Difference(shared, path, 0, "insertion", stable, pair)
        elif fields[0] == fields[1] and _same_set(earlier, later, shared, fields[0]):
            return Difference(shared, path, 0, "reorder", stable, pair)
        return self._text(earlier, later, shared, stable)

    def _setting(self, earlier: Seen, later: Seen, at: int, stable: int) -> Difference:
        """A setting that has another value, or that one of the two has not."""
        owner = later if later.fields[at] == SETTINGS_FIELD else earlier
        return Difference(at, owner.paths[at], 0, "parameter", stable, (earlier.keys[at], later.keys[at]))

    def _tools(self, earlier: Seen, later: Seen, at: int, stable: int) -> Difference:
        pair = earlier.keys[at], later.keys[at]
        owner = later if later.fields[at] == TOOLS_FIELD else earlier
        path = owner.paths[at]
        if _same_set(earlier, later, at, TOOLS_FIELD):
            return Difference(at, path, 0, "reorder", stable + later.size(at), pair)
        left, right = self._tool_values(earlier), self._tool_values(later)
        if not left or not right:
            return Difference(at, path, 0, "tool set", stable, pair)
        if sorted(map(_canonical, left)) == sorted(map(_canonical, right)):
            same_order = [_name(tool) for tool in left] == [_name(tool) for tool in right]
            stable = later.tokens - (later.ends[at - 1] if at else 0)
            one, other = self._library.text(pair[0]), self._library.text(pair[1])
            assert one is not None and other is not None
            offset = common_prefix(one[1], other[1])
            inside = offset * later.size(at) // max(len(other[1]), 1)
            return Difference(at, path, offset, "key-order" if same_order else "reorder", stable, pair, inside, True)
        if Counter(map(_name, left)) != Counter(map(_name, right)) or later.fields[at] != earlier.fields[at]:
            return Difference(at, path, 0, "tool set", stable, pair)
        return self._text(earlier, later, at, stable)

    def _tool_values(self, seen: Seen) -> list[Any]:
        texts = [
            self._library.text(key) for key, field in zip(seen.keys, seen.fields, strict=True) if field == TOOLS_FIELD
        ]
        return [opened(found[1]) for found in texts if found is not None]

    def _text(self, earlier: Seen, later: Seen, at: int, stable: int) -> Difference:
        pair, path, size = (earlier.keys[at], later.keys[at]), later.paths[at], later.size(at)
        inside = self._inside.get(pair)
        if inside is None:
            one, other = self._library.text(pair[0]), self._library.text(pair[1])
            if one is None or other is None or one[0] != other[0]:
                return Difference(at, path, 0, "text" if one is not None else "unknown", stable, pair)
            inside = self._compared(path, one[1], other[1])
            self._inside.put(pair, inside, 1)
        stable += int(inside.same * size)
        return Difference(at, path, inside.offset, inside.kind, stable, pair, int(inside.above * size), True)

    def _compared(self, path: str, before: str, after: str) -> _Inside:
        offset, length = common_prefix(before, after), max(len(after), 1)
        if (left := opened(before)) is not before and left == opened(after):
            return _Inside(offset, "key-order", 1.0, offset / length)
        kind = self._kind(path, before, after, offset)
        return _Inside(offset, kind, _same_lines(before[offset:], after[offset:]) / length, offset / length)

    def _kind(self, path: str, before: str, after: str, offset: int) -> str:
        """What differs; behind words at which the same kind differed many times, it is that kind again, if what stands
        there in both may be a value or is none."""
        words = after[max(offset - _AROUND, 0) : offset].rstrip(_PARTS)
        place = path, words, all(text[offset : offset + 1] in _PARTS for text in (before, after))
        known, times = self._kinds.get(place, ("", 0))
        if times < _OFTEN:
            kind = difference(before, after) or "text"
            self._kinds[place] = kind, times + 1 if kind == known else 1
            return kind
        return known

    def excerpt(self, found: Difference) -> Excerpt:
        """What stands at a difference, secrets masked; empty where the texts are not kept."""
        one, other = (self._library.text(key) for key in found.pair) if found.is_placed else (None, None)
        if one is None or other is None:
            return Excerpt()
        start = other[1].rfind("\n", 0, found.offset) + 1
        return Excerpt(
            self._around(one[1], found.offset),
            self._around(other[1], found.offset),
            other[1][start : found.offset][-_LONGEST_LINE:],
        )

    def _around(self, text: str, offset: int) -> str:
        """The line of a difference as far as it is near, secrets masked before it is cut."""
        start = max(offset - _MASKED, 0)
        masked, at = self._mask(text[start : offset + _MASKED]), offset - start
        line = masked.rfind("\n", 0, at) + 1
        end = masked.find("\n", at)
        return masked[max(line, at - _AROUND) : min(end if end >= 0 else len(masked), at + _AROUND)]


def _stable(earlier: Seen, later: Seen, at: int) -> int:
    """Tokens of the later request's pieces behind the first difference that the earlier one had behind it too."""
    left = Counter(earlier.keys[at:])
    tokens = 0
    for index in range(at, len(later.keys)):
        if left[later.keys[index]] > 0:
            left[later.keys[index]] -= 1
            tokens += later.size(index)
    return tokens


def _same_set(earlier: Seen, later: Seen, at: int, field: int) -> bool:
    left, right = (
        Counter(key for key, number in zip(seen.keys[at:], seen.fields[at:], strict=True) if number == field)
        for seen in (earlier, later)
    )
    return left == right


def _same_lines(before: str, after: str) -> int:
    """Characters of the later text's lines that the earlier one has too, and of the end of the line that differs."""
    end = common_prefix(before[::-1], after[::-1])
    if end >= 0.9 * len(after):
        return end
    (first, *rest), (other, *others) = before.split("\n"), after.split("\n")
    left = Counter(rest)
    count = common_prefix(first[::-1], other[::-1])
    for line in others:
        if left[line] > 0:
            left[line] -= 1
            count += len(line) + 1
    return count


def _canonical(value: Any) -> str:
    import json

    return json.dumps(value, sort_keys=True, default=str)


def _name(tool: Any) -> str:
    for owner in (tool, tool.get("function"), tool.get("toolSpec")) if isinstance(tool, dict) else ():
        if isinstance(owner, dict) and isinstance(owner.get("name"), str):
            return str(owner["name"])
    return _canonical(tool)
