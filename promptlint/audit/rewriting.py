"""Requests as they would be sent after changes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from promptlint.audit.blame import general
from promptlint.audit.changes import Change
from promptlint.audit.reference import MESSAGES_FIELD, SETTINGS_FIELD, SYSTEM_FIELD, TOOLS_FIELD, Seen
from promptlint.audit.texts import Library
from promptlint.logs.values import opened
from promptlint.replay.chain import Text, Texts, Tokens
from promptlint.replay.recent import Recent

_VOLATILE = 0.02
"""Of the distinct texts at a path: a line that stands in so few of them, or in one, is what changes."""

_HELD = 2_000_000
_NO_TOKENS: Tokens = np.empty(0, np.uint32)


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it would be sent: its pieces with their fields and roles' fields, breakpoints and route."""

    pieces: list[Text]
    fields: list[int]
    paths: list[str]
    marks: dict[int, float]
    route: int


class Rewriter:
    """Applies changes to requests, which come in the order of their times."""

    def __init__(
        self,
        changes: list[Change],
        library: Library,
        texts: Texts,
        earlier: Sequence[int],
        life: float,
        tools: list[int],
    ) -> None:
        self._changes, self._library, self._texts = changes, library, texts
        self._earlier, self._life, self._tools = earlier, life, tools
        self._known: Recent[int, Text] = Recent(64 * 2**20)
        self._changed: dict[tuple[str, int], tuple[Text, Text | None]] = {}
        self._stays: dict[str, frozenset[str] | None] = {}
        self._sent: Recent[int, tuple[Seen, list[int], list[int], list[str]]] = Recent(_HELD)

    def look(self, pieces: Iterable[tuple[int, str, int]]) -> None:
        """First pass: learns which lines of the paths to be changed are the same in many texts.

        Pieces are given by key, path and number of their field, each at least once.
        """
        keys: dict[str, set[int]] = {change.path: set() for change in self._changes if change.action == "move"}
        for key, path, number in pieces:
            if (found := keys.get(general(path, number))) is not None:
                found.add(key)
        for path, texts in keys.items():
            counter: Counter[str] = Counter()
            for key in texts:
                counter.update(set(self._text(key)[1].split("\n")))
            limit = max(1, int(_VOLATILE * len(texts)))
            stays = (line for line, times in counter.items() if times > limit)
            self._stays[path] = frozenset(stays) if len(texts) > 1 else None

    def sent(self, seen: Seen, lives: list[float]) -> Sent:
        keys, fields, paths = self._appended(seen)
        known = self._known.get
        pieces, tails = [known(key) or self._piece(key) for key in keys], []
        route, marks = seen.route, dict(zip(seen.marks, lives, strict=True))
        for change in self._changes:
            match change.action:
                case "move" | "sort" | "keys":
                    for at, (key, number, path) in enumerate(zip(keys, fields, paths, strict=True)):
                        if general(path, number) == change.path:
                            pieces[at], tail = self._rewritten(change, key)
                            tails += [tail] if tail is not None else []
                case "tools":
                    pieces, fields, paths = self._with_tools(pieces, fields, paths)
                case "setting":
                    kept = [
                        at
                        for at, path in enumerate(paths)
                        if not (fields[at] == SETTINGS_FIELD and path == change.path)
                    ]
                    pieces, fields, paths = ([column[at] for at in kept] for column in (pieces, fields, paths))  # type: ignore[assignment]
                    keys = [keys[at] for at in kept]
                    marks = {kept.index(at): life for at, life in marks.items() if at in kept}
                case "route":
                    route = 0
                case "marks":
                    marks = self._marks(fields)
        pieces += tails
        fields, paths = [*fields, *[MESSAGES_FIELD] * len(tails)], [*paths, *["moved"] * len(tails)]
        marks = {at: life for at, life in marks.items() if at < len(pieces)}
        return Sent(pieces, fields, paths, marks, route)

    def _appended(self, seen: Seen) -> tuple[list[int], list[int], list[str]]:
        """The pieces of the earlier request and behind them those that it had not."""
        own = seen.keys, seen.fields, seen.paths
        if not any(change.action == "append" for change in self._changes):
            return own
        before = self._sent.get(self._earlier[seen.rid])
        if before is not None:
            earlier, keys, fields, paths = before
            left = Counter(earlier.keys)
            new = []
            for at, key in enumerate(seen.keys):
                left[key] -= 1
                if left[key] < 0:
                    new.append(at)
            own = (
                [*keys, *(seen.keys[at] for at in new)],
                [*fields, *(seen.fields[at] for at in new)],
                [*paths, *(seen.paths[at] for at in new)],
            )
        self._sent.put(seen.rid, (seen, *own), 3 * len(own[0]))
        return own

    def _rewritten(self, change: Change, key: int) -> tuple[Text, Text | None]:
        known = self._changed.get((change.path, key))
        if known is None:
            role, text = self._text(key)
            rest = ""
            if change.action == "keys":
                value = opened(text)
                text = (
                    json.dumps(value, sort_keys=True, separators=(",", ":"), default=str) if value is not text else text
                )
            elif change.action == "sort":
                text = "\n".join(sorted(text.split("\n")))
            else:
                text, rest = self._parted(change.path, text)
            known = self._texts.of(role, text)[0], self._texts.of("", rest)[0] if rest else None
            self._changed[change.path, key] = known
        return known

    def _parted(self, path: str, text: str) -> tuple[str, str]:
        """The lines that stay and those that change."""
        stays = self._stays[path]
        if stays is None:
            return text, ""
        lines = text.split("\n")
        moved = [at for at, line in enumerate(lines) if line not in stays]
        moves = "\n".join([lines[at] for at in moved])
        for at in reversed(moved):
            del lines[at]
        return "\n".join(lines), moves

    def _with_tools(
        self, pieces: list[Text], fields: list[int], paths: list[str]
    ) -> tuple[list[Text], list[int], list[str]]:
        """All tools that the model's requests have, in one order, where the request's own tools stand."""
        at = next((at for at, number in enumerate(fields) if number == TOOLS_FIELD), None)
        if at is None:
            return pieces, fields, paths
        rest = [index for index, number in enumerate(fields) if number != TOOLS_FIELD]
        head, tail = [index for index in rest if index < at], [index for index in rest if index > at]
        tools = [self._piece(key) for key in self._tools]
        return (
            [*(pieces[index] for index in head), *tools, *(pieces[index] for index in tail)],
            [*(fields[index] for index in head), *[TOOLS_FIELD] * len(tools), *(fields[index] for index in tail)],
            [*(paths[index] for index in head), *["tools"] * len(tools), *(paths[index] for index in tail)],
        )

    def _marks(self, fields: list[int]) -> dict[int, float]:
        last = {number: at for at, number in enumerate(fields)}
        wanted = [last[number] for number in (TOOLS_FIELD, SYSTEM_FIELD, MESSAGES_FIELD) if number in last]
        # One more in the middle of a long step of an agent keeps the last entry inside the look-back.
        wanted += [at for at in (len(fields) - 16,) if last.get(SYSTEM_FIELD, -1) < at]
        return dict.fromkeys(sorted(set(wanted)), self._life)

    def _piece(self, key: int) -> Text:
        if (known := self._known.get(key)) is None:
            tokens: Any = self._library.tokens(key)
            known = Text(key, tokens if tokens is not None else _NO_TOKENS)
            self._known.put(key, known, known.tokens.nbytes + 100)
        return known

    def _text(self, key: int) -> tuple[str, str]:
        return self._library.text(key) or ("", "")
