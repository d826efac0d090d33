"""What differs first between a request and the earlier one whose prefix it lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from promptlint.audit.reference import MESSAGES_FIELD, Seen
from promptlint.audit.texts import Library
from promptlint.logs.values import opened
from promptlint.replay.recent import Recent
from promptlint.shapes.differences import common_prefix, difference

SETTINGS_FIELD, TOOLS_FIELD, SYSTEM_FIELD = 0, 1, 2
_AROUND = 40
"""Characters of an excerpt on each side of a difference."""

_MASKED = 4_000
"""Characters on each side in which secrets are looked for, so that none is cut in two."""

_LONGEST_LINE = 400
_OFTEN = 16
_PARTS = "0123456789abcdefABCDEF:-.TZ"
"""What a value that differs may begin with although it is another one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference: its place in the later request, its kind, and the later request's tokens behind it that
    the earlier one had behind it too (`stable`). `inside` are the tokens of its piece before it. `before` and `after`
    are the two texts around it, "" where they are not kept.
    """

    piece: int
    path: str
    offset: int
    kind: str
    stable: int
    pair: tuple[int, int]
    before: str = ""
    after: str = ""
    line: str = ""
    inside: int = 0


class Comparer:
    """Finds differences; texts are looked up where hashes do not say enough."""

    def __init__(self, library: Library, mask: Callable[[str], str]) -> None:
        self._library, self._mask = library, mask
        self._inside: Recent[tuple[int, int], tuple[int, str, float]] = Recent(100_000)
        self._kinds: dict[tuple[str, str], tuple[str, int]] = {}

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
            kind = "key-order" if same_order else "reorder"
            return self._placed(earlier, later, at, kind, stable)
        if Counter(map(_name, left)) != Counter(map(_name, right)) or later.fields[at] != earlier.fields[at]:
            return Difference(at, path, 0, "tool set", stable, pair)
        return self._text(earlier, later, at, stable)

    def _tool_values(self, seen: Seen) -> list[Any]:
        texts = [
            self._library.text(key) for key, field in zip(seen.keys, seen.fields, strict=True) if field == TOOLS_FIELD
        ]
        return [opened(found[1]) for found in texts if found is not None]

    def _text(self, earlier: Seen, later: Seen, at: int, stable: int) -> Difference:
        one, other = self._library.text(earlier.keys[at]), self._library.text(later.keys[at])
        if one is None or other is None or one[0] != other[0]:
            kind = "text" if one is not None else "unknown"
            return Difference(at, later.paths[at], 0, kind, stable, (earlier.keys[at], later.keys[at]))
        if (left := opened(one[1])) is not one[1] and left == opened(other[1]):
            return self._placed(earlier, later, at, "key-order", stable + later.size(at))
        pair = earlier.keys[at], later.keys[at]
        inside = self._inside.get(pair)
        if inside is None:
            offset = common_prefix(one[1], other[1])
            kind = self._kind(later.paths[at], one[1], other[1], offset)
            inside = offset, kind, _same_lines(one[1][offset:], other[1][offset:]) / max(len(other[1]), 1)
            self._inside.put(pair, inside, 1)
        _, kind, part = inside
        return self._placed(earlier, later, at, kind, stable + int(part * later.size(at)))

    def _kind(self, path: str, before: str, after: str, offset: int) -> str:
        """What differs; behind words at which the same kind differed many times, it is that kind again."""
        words = after[max(offset - _AROUND, 0) : offset].rstrip(_PARTS)
        known, times = self._kinds.get((path, words), ("", 0))
        if times < _OFTEN:
            kind = difference(before, after) or "text"
            self._kinds[path, words] = kind, times + 1 if kind == known else 1
            return kind
        return known

    def _placed(self, earlier: Seen, later: Seen, at: int, kind: str, stable: int) -> Difference:
        one, other = self._library.text(earlier.keys[at]), self._library.text(later.keys[at])
        assert one is not None and other is not None
        offset = common_prefix(one[1], other[1])
        start = other[1].rfind("\n", 0, offset) + 1
        return Difference(
            at,
            later.paths[at],
            offset,
            kind,
            stable,
            (earlier.keys[at], later.keys[at]),
            self._excerpt(one[1], offset),
            self._excerpt(other[1], offset),
            other[1][start:offset][-_LONGEST_LINE:],
            offset * later.size(at) // max(len(other[1]), 1),
        )

    def _excerpt(self, text: str, offset: int) -> str:
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
