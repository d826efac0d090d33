"""What became of a conversation's messages from one request to the next. Knows no files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from promptlint.comparing.serialised import compact
from promptlint.shapes.differences import common_prefix

_ALIKE = 0.5
"""Share of the longer message that stands at the ends of both when one is an edit of the other."""

_TELLING = 40
"""Characters of a message that two conversations do not share by chance; "yes" and "go on" they do."""

_IDS = ("tool_use_id", "tool_call_id", "call_id")


class Turn(StrEnum):
    """How the messages went on.

    SAME: they are equal. APPENDED: more follow. SHORTENED: the last ones are gone, those above are equal. QUESTION:
    another newest question, or another conversation: nothing that was sent is expected back. TRUNCATED: messages were
    dropped from above others that came back. REWRITTEN: a message that was sent came back changed.
    """

    SAME = "same"
    APPENDED = "appended"
    SHORTENED = "shortened"
    QUESTION = "question"
    TRUNCATED = "truncated"
    REWRITTEN = "rewritten"


@dataclass(frozen=True, slots=True)
class History:
    """`index` is the first message that differs, `dropped` how many are missing there."""

    turn: Turn
    index: int
    dropped: int = 0

    @property
    def goes_on(self) -> bool:
        """Whether the second request belongs to the conversation of the first."""
        return self.turn is not Turn.QUESTION


def history(a: Sequence[object], b: Sequence[object]) -> History:
    """What became of the messages `a` of a request in those of a later one; the JSON shape of a text does not count."""
    left, right = [compact(plain(message)) for message in a], [compact(plain(message)) for message in b]
    index = next((at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other), None)
    if index is None:
        index = min(len(left), len(right))
        if len(left) == len(right):
            return History(Turn.SAME, index)
        return History(Turn.APPENDED if len(left) < len(right) else Turn.SHORTENED, index)
    if plain(a[index]) == plain(b[index]):
        return History(Turn.REWRITTEN, index)
    if dropped := _dropped(left, right, index):
        return History(Turn.TRUNCATED, index, dropped)
    if _comes_back(left, right, index) or _is_edit(a, b, index):
        return History(Turn.REWRITTEN, index)
    return History(Turn.QUESTION, index)


def plain(message: object) -> object:
    """The message with a content that is one block of bare text written as that text, which means the same."""
    if not isinstance(message, Mapping):
        return message
    content = message.get("content")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], Mapping):
        block = content[0]
        if set(block) <= {"type", "text"} and isinstance(block.get("text"), str):
            return {**message, "content": block["text"]}
    return dict(message)


def _dropped(left: Sequence[str], right: Sequence[str], index: int) -> int:
    """How many messages are missing from `index` on, when all that follow them came back; else 0."""
    for count in range(1, len(left) - index):
        rest = left[index + count :]
        if rest[0] == right[index] and rest == list(right[index : index + len(rest)]) and _is_telling(rest, index):
            return count
    return 0


def _comes_back(left: Sequence[str], right: Sequence[str], index: int) -> bool:
    later = set(right[index:])
    return _is_telling([message for message in left[index + 1 :] if message in later], index)


def _is_telling(messages: Sequence[str], shared: int) -> bool:
    """Whether these messages in both requests, below `shared` equal ones, show that it is one conversation."""
    if shared or len(messages) > 1:
        return bool(messages)
    return any(len(_content(json.loads(message))) >= _TELLING for message in messages)


def _is_edit(a: Sequence[object], b: Sequence[object], index: int) -> bool:
    """Whether a message is an edit of another: it answers the same call, or most of it is the same.

    The newest question of a request is only an edit when the conversation went on behind it: two questions that fill
    the same form are two questions.
    """
    one, other = a[index], b[index]
    calls, others = set(_calls(one)), set(_calls(other))
    if calls & others:
        return True
    if calls and others:
        return _without_ids(one) == _without_ids(other)
    if index >= _newest_question(a) and index == len(b) - 1:
        return False
    if _role(one) != _role(other):
        return False
    left, right = _content(plain(one)), _content(plain(other))
    start = common_prefix(left, right)
    end = common_prefix(left[start:][::-1], right[start:][::-1])
    return start + end >= _ALIKE * max(len(left), len(right))


def _newest_question(messages: Sequence[object]) -> int:
    """Where the run of the user's own messages at the end begins."""
    start = len(messages)
    while start and _role(messages[start - 1]) == "user" and not list(_calls(messages[start - 1])):
        start -= 1
    return start


def _role(message: object) -> str:
    role = message.get("role") if isinstance(message, Mapping) else None
    return role if isinstance(role, str) else ""


def _content(message: object) -> str:
    content = message.get("content", message.get("parts", message)) if isinstance(message, Mapping) else message
    return content if isinstance(content, str) else compact(content)


def _without_ids(message: object) -> object:
    """The message without the ids of calls, at any depth."""
    if isinstance(message, Mapping):
        return {key: _without_ids(value) for key, value in message.items() if key not in _IDS}
    return [_without_ids(item) for item in message] if isinstance(message, list) else message


def _calls(message: object) -> Iterator[str]:
    """The ids of the calls that a message answers."""
    content = message.get("content") if isinstance(message, Mapping) else None
    for each in (message, *(content if isinstance(content, list) else ())):
        if isinstance(each, Mapping):
            yield from (value for key in _IDS if isinstance(value := each.get(key), str))
