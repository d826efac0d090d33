"""Requests as they would be sent after changes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat
from operator import eq
from typing import Any, NamedTuple

import numpy as np

from promptlint.audit.blame import general
from promptlint.audit.changes import Change
from promptlint.audit.lines import SPELLINGS, Lines, parted, spelled
from promptlint.audit.reference import MESSAGES_FIELD, SETTINGS_FIELD, SYSTEM_FIELD, TOOLS_FIELD, Seen
from promptlint.audit.texts import Library
from promptlint.replay.chain import Text, Texts
from promptlint.replay.lines import Tokens
from promptlint.replay.recent import Recent

_HELD = 2_000_000
_NO_TOKENS: Tokens = np.empty(0, np.uint32)


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it would be sent: the keys of its pieces with their fields, paths and positions, the seconds of the
    breakpoints by piece, and the route."""

    keys: list[int]
    fields: list[int]
    paths: list[str]
    positions: list[int]
    marks: dict[int, float]
    route: int

    def is_as(self, seen: Seen) -> bool:
        """Whether nothing changed."""
        marks = dict(zip(seen.marks, seen.lives, strict=True))
        return self.keys == seen.keys and self.marks == marks and self.route == seen.route


class _Entry(NamedTuple):
    """A piece on its way; `life` are the seconds of the breakpoint behind it, None without one, and `joins` says that
    the look-back counts it together with the one before it."""

    key: int
    field: int
    path: str
    life: float | None = None
    joins: bool = False


class Rewriter:
    """Applies changes to requests, which come in the order of their times.

    The order of the changes makes no difference: settings are dropped first, then texts are written otherwise, then
    tools are replaced, then history is kept; breakpoints come last. `tools` are keys and paths of the tools of all
    requests in the order in which they would be sent, `stays` by path the lines that a "move" leaves where they are.
    """

    def __init__(
        self,
        changes: Sequence[Change],
        library: Library,
        texts: Texts,
        earlier: Sequence[int],
        life: float,
        tools: Sequence[tuple[int, str]],
        stays: Mapping[str, Lines | None],
    ) -> None:
        self._library, self._texts = library, texts
        self._earlier, self._life, self._stays = earlier, life, stays
        self._actions = frozenset(change.action for change in changes)
        self._settings = frozenset(change.path for change in changes if change.action == "setting")
        self._spellings = spellings(changes)
        self._known: Recent[int, Text] = Recent(64 * 2**20)
        self._changed: dict[tuple[str, int], tuple[int, int | None]] = {}
        self._written: dict[int, Text] = {}
        self._sent: Recent[int, tuple[list[int], list[_Entry]]] = Recent(_HELD)
        united = (self._rewritten(_Entry(key, TOOLS_FIELD, path))[0] for key, path in tools)
        self._tools = list({entry.key: entry for entry in united}.values())

    def sent(self, seen: Seen, lives: list[float]) -> Sent:
        """The request after the changes; `lives` are the seconds of its breakpoints."""
        marks = dict(zip(seen.marks, lives, strict=True))
        behind = map(marks.get, range(len(seen.keys)))
        joins = map(eq, seen.positions, [-1, *seen.positions])
        columns = seen.keys, seen.fields, seen.paths, behind, joins if seen.positions else repeat(False)
        entries = list(map(_Entry._make, zip(*columns, strict=False)))
        tails: list[_Entry] = []
        if self._settings:
            entries = [each for each in entries if each.field != SETTINGS_FIELD or each.path not in self._settings]
        if self._spellings:
            for at, entry in enumerate(entries):
                if general(entry.path, entry.field) in self._spellings:
                    entries[at], rest = self._rewritten(entry)
                    if rest is not None:
                        tails.append(_Entry(rest, MESSAGES_FIELD, "moved"))
        if "tools" in self._actions:
            entries = self._with_tools(entries)
        if "append" in self._actions:
            entries = self._appended(seen.rid, entries)
        if "marks" in self._actions:
            marks = self._marks([entry.field for entry in entries])
        else:
            marks = {at: entry.life for at, entry in enumerate(entries) if entry.life is not None}
        entries += tails
        return Sent(
            [entry.key for entry in entries],
            [entry.field for entry in entries],
            [entry.path for entry in entries],
            list(accumulate(not entry.joins for entry in entries)),
            marks,
            0 if "route" in self._actions else seen.route,
        )

    def piece(self, key: int) -> Text:
        """A piece of what is sent."""
        if (known := self._written.get(key) or self._known.get(key)) is None:
            tokens: Any = self._library.tokens(key)
            known = Text(key, tokens if tokens is not None else _NO_TOKENS)
            self._known.put(key, known, known.tokens.nbytes + 100)
        return known

    def _rewritten(self, entry: _Entry) -> tuple[_Entry, int | None]:
        """The piece with its text written otherwise, and the key of the lines of it that are moved, if any."""
        path, key = general(entry.path, entry.field), entry.key
        if (actions := self._spellings.get(path)) is None:
            return entry, None
        known = self._changed.get((path, key))
        if known is None:
            role, text = self._library.text(key) or ("", "")
            text, rest = spelled(actions, text), ""
            if "move" in actions:
                text, rest = parted(text, self._stays[path])
            known = self._write(role, text), self._write("", rest) if rest else None
            self._changed[path, key] = known
        return entry._replace(key=known[0]), known[1]

    def _write(self, role: str, text: str) -> int:
        piece, _ = self._texts.of(role, text)
        self._written[piece.key] = piece
        return piece.key

    def _with_tools(self, entries: list[_Entry]) -> list[_Entry]:
        """All tools that the model's requests have, in one order, where the request's own tools stand.

        A breakpoint stays at its tool; the one behind the last tool stays behind the last.
        """
        at = next((at for at, entry in enumerate(entries) if entry.field == TOOLS_FIELD), None)
        if at is None:
            return entries
        own = [entry for entry in entries if entry.field == TOOLS_FIELD]
        lives = {entry.key: entry.life for entry in own[:-1] if entry.life is not None}
        tools = [entry._replace(life=lives.get(entry.key)) for entry in self._tools]
        if tools and own[-1].life is not None:
            tools[-1] = tools[-1]._replace(life=own[-1].life)
        return [*entries[:at], *tools, *(entry for entry in entries[at:] if entry.field != TOOLS_FIELD)]

    def _appended(self, rid: int, entries: list[_Entry]) -> list[_Entry]:
        """What was sent in the earlier request of the conversation, and behind it the pieces that it had not; the
        breakpoints are this request's own."""
        keys = [entry.key for entry in entries]
        before = self._sent.get(self._earlier[rid])
        if before is not None:
            left, new = Counter(before[0]), []
            lives: defaultdict[int, list[float | None]] = defaultdict(list)
            for entry in entries:
                left[entry.key] -= 1
                if left[entry.key] < 0:
                    new.append(entry)
                else:
                    lives[entry.key].append(entry.life)
            kept = []
            for entry in reversed(before[1]):  # where a text stands twice, the later ones were sent again
                found = lives.get(entry.key)
                life = found.pop() if found else None
                kept.append(entry if entry.life == life else entry._replace(life=life))
            entries = [*reversed(kept), *new]
        self._sent.put(rid, (keys, entries), 3 * len(entries))
        return list(entries)

    def _marks(self, fields: list[int]) -> dict[int, float]:
        last = {number: at for at, number in enumerate(fields)}
        wanted = [last[number] for number in (TOOLS_FIELD, SYSTEM_FIELD, MESSAGES_FIELD) if number in last]
        # One more in the middle of a long step of an agent keeps the last entry inside the look-back.
        wanted += [at for at in (len(fields) - 16,) if last.get(SYSTEM_FIELD, -1) < at]
        return dict.fromkeys(sorted(set(wanted)), self._life)


def spellings(changes: Sequence[Change]) -> dict[str, tuple[str, ...]]:
    """By path the changes of its texts, in the order in which they are made: what is moved is known by its spelling."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for change in changes:
        if change.action in (*SPELLINGS, "move"):
            found[change.path].add(change.action)
    return {path: tuple(each for each in (*SPELLINGS, "move") if each in asked) for path, asked in found.items()}
