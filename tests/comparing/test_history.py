from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.comparing.history import History, Turn, history


def user(text: object) -> dict[str, object]:
    return {"role": "user", "content": text}


def model(text: str) -> dict[str, object]:
    return {"role": "assistant", "content": text}


def result(text: str, call: str = "c1") -> dict[str, object]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text}]}


TALK = [
    user("The chain jumps when I ride uphill."),
    model("On which gear?"),
    user("On the third."),
    model("A worn one."),
]
LONG = "Grade this essay in one line. Quote the sentence that cost the most. The essay: "


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        (TALK, TALK, History(Turn.SAME, 4)),
        (TALK[:1], TALK, History(Turn.APPENDED, 1)),
        (TALK, TALK[:2], History(Turn.SHORTENED, 2)),
        (TALK, [*TALK[:2], user("On all."), model("Ah.")], History(Turn.QUESTION, 2)),
        (TALK[:3], [*TALK[:2], user("How much is it?")], History(Turn.QUESTION, 2)),
        (TALK, [user("A spoke is broken."), model("Front?")], History(Turn.QUESTION, 0)),
        (TALK, TALK[2:], History(Turn.TRUNCATED, 0, 2)),
        (TALK, [TALK[0], *TALK[2:], user("Thanks.")], History(Turn.TRUNCATED, 1, 1)),
        (TALK, [TALK[0], model("[pruned]"), *TALK[2:]], History(Turn.REWRITTEN, 1)),
        ([user(LONG + "Bees.")], [user(LONG + "Mills.")], History(Turn.QUESTION, 0)),
        ([user(LONG + "Bees.")], [user(LONG), model("Good."), user("Why?")], History(Turn.REWRITTEN, 0)),
        ([*TALK[:2], result("a long list")], [*TALK[:2], result("[pruned]"), model("ok")], History(Turn.REWRITTEN, 2)),
        ([*TALK[:2], result("one", "c1")], [*TALK[:2], result("two", "c2")], History(Turn.QUESTION, 2)),
        ([*TALK[:2], result("one", "c1")], [*TALK[:2], result("one", "c2")], History(Turn.REWRITTEN, 2)),
        ([user("Yes."), user("No.")], [user("No."), model("Why?")], History(Turn.QUESTION, 0)),
        ([user([{"type": "text", "text": "q"}])], [user("q"), model("a")], History(Turn.APPENDED, 1)),
        ([user("q")], [{"content": "q", "role": "user"}], History(Turn.REWRITTEN, 0)),
    ],
)  # fmt: skip
def test_what_became_of_the_messages(a: list[object], b: list[object], found: History) -> None:
    assert history(a, b) == found


_TEXT = st.text(min_size=1, max_size=40)
_TALK = st.lists(_TEXT, min_size=2, max_size=8, unique=True).map(
    lambda texts: [user(text) if index % 2 == 0 else model(text) for index, text in enumerate(texts)]
)


@given(_TALK, st.lists(_TEXT, max_size=3))
def test_a_conversation_that_goes_on_is_appended(talk: list[object], more: list[str]) -> None:
    found = history(talk, [*talk, *map(user, more)])
    assert found == History(Turn.APPENDED if more else Turn.SAME, len(talk))


@given(_TALK, st.data())
def test_an_edit_with_history_on_both_sides_is_a_rewrite(talk: list[dict[str, object]], data: st.DataObject) -> None:
    talk = [{**message, "content": f"{message['content']} {number}"} for number, message in enumerate(talk)]
    index = data.draw(st.integers(1, len(talk) - 1))
    after = [*talk, user("go on")]
    edited = [*talk[:index], {**talk[index], "content": "[pruned]"}, *after[index + 1 :]]
    assert history([*talk, user("go on")], edited) == History(Turn.REWRITTEN, index)
