"""Requests after changes: every piece is sent once, and each breakpoint stands behind the piece that had it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest

from promptlint.audit.changes import LABELS, Change
from promptlint.audit.lines import spelled, staying
from promptlint.audit.reference import MESSAGES_FIELD, SETTINGS_FIELD, SYSTEM_FIELD, TOOLS_FIELD, Seen
from promptlint.audit.rewriting import Rewriter, Sent, spellings
from promptlint.replay.chain import Text, Texts
from promptlint.replay.lines import Tokens

Piece = tuple[int, str, str, str]
SYSTEM, TOOLS, EFFORT = "messages[0].content", "tools[*]", "reasoning_effort"
CHANGES = [
    Change(action, "p", "m", path)
    for action in LABELS
    for path in {"move": (SYSTEM, TOOLS), "sort": (SYSTEM, TOOLS), "keys": (SYSTEM, TOOLS), "setting": (EFFORT,)}.get(
        action, ("",)
    )
]
PAIRS = [
    pytest.param(pair, id=" ".join(f"{each.action}{each.path}" for each in pair)) for pair in permutations(CHANGES, 2)
]
LIVES = {TOOLS_FIELD: 1.0, SYSTEM_FIELD: 2.0, MESSAGES_FIELD: 3.0}


class Shelf:
    """A library of the texts that were put on it."""

    def __init__(self) -> None:
        self.texts = Texts(lambda text: np.array([ord(letter) for letter in text], np.uint32))
        self._known: dict[int, tuple[str, str, Text]] = {}

    def put(self, role: str, text: str) -> Text:
        made, _ = self.texts.of(role, text)
        self._known[made.key] = role, text, made
        return made

    def text(self, key: int) -> tuple[str, str] | None:
        return self._known[key][:2] if key in self._known else None

    def tokens(self, key: int) -> Tokens | None:
        return self._known[key][2].tokens if key in self._known else None


def tool(name: str, *keys: str) -> str:
    return json.dumps({key: f"{name} {key}" for key in keys}, separators=(",", ":"))


def talk() -> list[list[Piece]]:
    """Four requests of a conversation: tools, a setting, a clock and the first message differ between them."""
    sets = (
        [tool("find", "a", "b"), tool("sell", "a", "b")],
        [tool("sell", "b", "a"), tool("find", "a", "b")],
        [tool("find", "b", "a")],
        [tool("sell", "a", "b"), tool("find", "a", "b"), tool("refund", "b", "c")],
    )
    messages = ["one", "yes", "two", "yes", "three", "fine", "four"]
    return [
        [
            (SETTINGS_FIELD, EFFORT, "", ("low", "high")[turn % 2]),
            *((TOOLS_FIELD, f"tools[{at}]", "tool", text) for at, text in enumerate(sets[turn])),
            (SYSTEM_FIELD, SYSTEM, "system", f"You answer.\nIt is 10:{turn:02}.\nAsk first.\nBe kind."),
            *(
                (MESSAGES_FIELD, f"messages[{at + 1}].content", ("user", "assistant")[at % 2], text)
                for at, text in enumerate([f"one, edited {turn}", *messages[1 : 2 * turn + 1]])
            ),
        ]
        for turn in range(4)
    ]


def seen(rid: int, request: list[Piece], shelf: Shelf) -> Seen:
    pieces = [shelf.put(role, text) for _, _, role, text in request]
    fields = [field for field, *_ in request]
    last = {field: at for at, field in enumerate(fields) if field in LIVES}
    marks = sorted(last.values())
    count = [0] * len(pieces)
    values: dict[str, Any] = {"total": None, "read": None, "write": None, "tokens": 0, "cached": 0, "forever": 0}
    values |= {"part": 0, "nth": rid}
    return Seen(
        rid,
        20.0 * rid,
        1,
        9,
        1,
        "p",
        "m",
        [piece.key for piece in pieces],
        count,
        fields,
        [path for _, path, _, _ in request],
        count,
        count,
        [0, 0, *range(1, len(pieces) - 1)],
        marks,
        [LIVES[fields[at]] for at in marks],
        **values,
    )


def sent(changes: tuple[Change, ...]) -> tuple[list[list[Piece]], list[Sent], Shelf]:
    """The requests, what is sent of them after the changes, and where the texts of both are."""
    shelf = Shelf()
    requests = talk()
    log = [seen(rid, request, shelf) for rid, request in enumerate(requests, 1)]
    tools = {each.keys[at]: path for each in log for at, path in enumerate(each.paths) if path.startswith("tools")}
    at_path = {SYSTEM: SYSTEM_FIELD, TOOLS: TOOLS_FIELD}
    stays = {
        path: staying(
            spelled(actions, text)
            for text in {text for each in requests for field, _, _, text in each if field == at_path[path]}
        )
        for path, actions in spellings(changes).items()
    }
    keeping = Keeping(shelf)
    rewriter = Rewriter(changes, shelf, keeping, [0, 0, 1, 2, 3], 5.0, sorted(tools.items()), stays)  # type: ignore[arg-type]
    return requests, [rewriter.sent(each, each.lives) for each in log], shelf


class Keeping(Texts):
    """Texts that stay on the shelf."""

    def __init__(self, shelf: Shelf) -> None:
        super().__init__(lambda text: [ord(letter) for letter in text])
        self._shelf = shelf

    def of(self, role: str, text: str) -> tuple[Text, bool]:
        return self._shelf.put(role, text), True


def lines(texts: list[str]) -> Counter[str]:
    """The lines that say something, JSON with sorted keys: no change makes others of them."""
    return Counter(spelled(["keys"], line) for text in texts for line in text.split("\n") if line)


@pytest.mark.parametrize("pair", PAIRS)
def test_two_changes_send_every_piece_once(pair: tuple[Change, ...]) -> None:
    actions = {change.action for change in pair}
    moved = {change.path for change in pair if change.action == "move"}
    requests, found, shelf = sent(pair)
    for request, each in zip(requests, found, strict=True):
        assert len(each.keys) == len(each.fields) == len(each.paths)
        texts = [(shelf.text(key) or ("", ""))[1] for key in each.keys]
        own = [
            text
            for field, _, _, text in request
            if not (field == SETTINGS_FIELD and "setting" in actions)
            and not (field == TOOLS_FIELD and "tools" in actions and TOOLS not in moved)
        ]
        rest = [
            text
            for field, text in zip(each.fields, texts, strict=True)
            if field != TOOLS_FIELD or "tools" not in actions
        ]
        if "append" in actions:
            assert not lines(own) - lines(rest)
        else:
            assert lines(own) == lines(rest)
        if "tools" in actions:
            tools = [key for key, field in zip(each.keys, each.fields, strict=True) if field == TOOLS_FIELD]
            assert tools == [
                key for key, at in zip(*(column for column in _first(found)), strict=True) if at == TOOLS_FIELD
            ]
            assert len(set(tools)) == len(tools)


def _first(found: list[Sent]) -> tuple[list[int], list[int]]:
    return found[0].keys, found[0].fields


@pytest.mark.parametrize("pair", PAIRS)
def test_two_changes_leave_each_breakpoint_at_its_own_piece(pair: tuple[Change, ...]) -> None:
    actions = {change.action for change in pair}
    requests, found, shelf = sent(pair)
    for request, each in zip(requests, found, strict=True):
        if "marks" in actions:
            assert set(each.marks.values()) == {5.0}
            assert {each.fields[at] for at in each.marks} == set(LIVES)
            continue
        assert sorted(each.marks.values()) == sorted(LIVES.values())
        own = {field: (path, role, text) for field, path, role, text in request}
        for at, life in each.marks.items():
            path, role, text = own[each.fields[at]]
            assert LIVES[each.fields[at]] == life
            if each.fields[at] == TOOLS_FIELD and "tools" in actions:
                assert TOOLS_FIELD not in each.fields[at + 1 :]
                continue
            assert shelf.text(each.keys[at])[0] == role  # type: ignore[index]
            assert not lines([shelf.text(each.keys[at])[1]]) - lines([text])  # type: ignore[index]
            if each.fields[at] == MESSAGES_FIELD:
                assert shelf.text(each.keys[at]) == (role, text)
                assert each.paths[at] == path


@pytest.mark.parametrize("pair", PAIRS)
def test_two_changes_give_the_same_in_either_order(pair: tuple[Change, ...]) -> None:
    _, one, _ = sent(pair)
    _, other, _ = sent(pair[::-1])
    assert [_plain(each) for each in one] == [_plain(each) for each in other]


def _plain(each: Sent) -> tuple[Any, ...]:
    return each.keys, each.fields, each.paths, each.marks, each.route


def test_what_the_look_back_counts_as_one_stays_one() -> None:
    shelf = Shelf()
    request = [(MESSAGES_FIELD, f"messages[{at}].content", "user", f"{at}") for at in range(6)]
    request[0] = SYSTEM_FIELD, SYSTEM, "system", "You answer.\nIt is 10:00."
    asked = replace(seen(1, request, shelf), positions=[0, 1, 2, 2, 2, 3])
    stays = {SYSTEM: frozenset(["You answer."])}
    rewriter = Rewriter([Change("move", "p", "m", SYSTEM)], shelf, Keeping(shelf), [0, 0], 5.0, [], stays)  # type: ignore[arg-type]
    counted = [at - 1 for at in rewriter.sent(asked, asked.lives).positions]
    assert counted == [0, 1, 2, 2, 2, 3, 4], "and the line that is moved is one more"


def test_what_was_sent_stands_before_what_is_new() -> None:
    append, move = Change("append", "p", "m"), Change("move", "p", "m", SYSTEM)
    _, found, shelf = sent((append, move, Change("tools", "p", "m"), Change("setting", "p", "m", EFFORT)))
    for before, now in pairwise(found):
        one, other = (each.keys for each in (before, now))
        assert other[: len(one) - 1] == one[:-1], "all but the clock, which is moved"
        clock = (shelf.text(other[-1]) or ("", ""))[1]
        assert clock.startswith("It is 10:")
        assert now.paths[-1] == "moved"
