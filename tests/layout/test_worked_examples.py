"""Figures derived by hand. A line of n words is written as " data" n times: one token each in o200k_base."""

from __future__ import annotations

import pytest

from promptlint.layout.appraisal import Appraisal, Layout
from promptlint.layout.appraise import appraise
from promptlint.project.link import Surroundings, link
from promptlint.prompt import Field, Marker, Prompt
from promptlint.providers.registry import provider
from promptlint.readers.text import read
from promptlint.source import Source

SONNET = "claude-sonnet-4-6"  # minimum 1,024 tokens, counted as o200k_base x1.2
TOOLS_FIRST, SYSTEM_FIRST = ("tools", "system", "messages"), ("system", "tools", "messages")


def words(count: int) -> str:
    return " data" * count


def prompt_of(text: str, around: Surroundings | None = None, path: str = "prompts/system.j2") -> Prompt:
    unit = read(Source(path, text))
    return link(unit, unit.prompts[0], lambda source, name: None, {}, around)


def appraised(prompt: Prompt, name: str, model: str | None = None) -> Appraisal:
    sizes = {"clock": 12, "date": 6, "identity": 4, "retrieval": 800}
    return appraise(prompt, provider(name), provider_known=name != "generic", sizes=sizes, model=model)


def layout(appraisal: Appraisal, horizon: str, order: tuple[str, ...] = TOOLS_FIRST) -> Layout:
    (found,) = [each for each in appraisal.layouts(None, horizon) if each.order == order]
    return found


def marked(prompt: Prompt, *fields: Field) -> Prompt:
    """The prompt with a breakpoint after the last segment of each field."""
    markers = []
    for field in fields:
        last = max(index for index, segment in enumerate(prompt.segments) if segment.field is field)
        place = prompt.segments[-2].place or next(each.place for each in prompt.segments if each.place)
        markers.append(Marker(last, place))
    return Prompt(prompt.path, prompt.name, prompt.segments, tuple(markers), complete=prompt.complete)


# A clock on line 1 of a 2,000-token system prompt, with 1,500 tokens of tools and 3,000 of history around it.
# Line 1 is "Time: " (3 tokens: "Time", ":", " "), the clock (stated as 12) and the line end (1): 16 tokens.
# Of "Time: " two tokens are the same whatever follows; the blank could be cut differently.
# 1,984 words follow. The request has 1,500 + 2,000 + 3,000 = 6,500 tokens; without line 1 it has 6,484.
CLOCK = "Time: {{ now().strftime('%H:%M:%S') }}\n" + words(1984)
AROUND = Surroundings(tools=1500, history=3000)


@pytest.mark.parametrize(
    ("horizon", "order", "now", "best"),
    [
        # tools first: 1,500 + 2 survive; line 1 moved away: everything but its 16 tokens.
        ("conversation", TOOLS_FIRST, 1502, 6484),
        # In another conversation the history differs: 1,500 + 1,984.
        ("user", TOOLS_FIRST, 1502, 3484),
        ("fleet", TOOLS_FIRST, 1502, 3484),
        ("tomorrow", TOOLS_FIRST, 1502, 3484),
        # system first: only "Time:" stands above the clock.
        ("conversation", SYSTEM_FIRST, 2, 6484),
        ("user", SYSTEM_FIRST, 2, 3484),
        ("fleet", SYSTEM_FIRST, 2, 3484),
        ("tomorrow", SYSTEM_FIRST, 2, 3484),
    ],
)
def test_clock_under_generic(horizon: str, order: tuple[str, ...], now: int, best: int) -> None:
    found = layout(appraised(prompt_of(CLOCK, AROUND), "generic"), horizon, order)
    assert (found.now, found.best, found.total) == ((now, now), (best, best), 6500)


@pytest.mark.parametrize(
    ("horizon", "order", "now", "best"),
    [
        ("conversation", TOOLS_FIRST, 1488, 6480),  # 1,502 = 93 x 16 + 14; 6,484 = 405 x 16 + 4
        ("user", TOOLS_FIRST, 1488, 3472),  # 3,484 = 217 x 16 + 12
        ("fleet", TOOLS_FIRST, 1488, 3472),
        ("tomorrow", TOOLS_FIRST, 1488, 3472),
        ("conversation", SYSTEM_FIRST, 0, 6480),  # 2 tokens are no full block
        ("user", SYSTEM_FIRST, 0, 3472),
        ("fleet", SYSTEM_FIRST, 0, 3472),
        ("tomorrow", SYSTEM_FIRST, 0, 3472),
    ],
)
def test_clock_under_vllm(horizon: str, order: tuple[str, ...], now: int, best: int) -> None:
    found = layout(appraised(prompt_of(CLOCK, AROUND), "vllm"), horizon, order)
    assert (found.now, found.best, found.boundaries) == ((now, now), (best, best), "none")


# The same under Anthropic: 1,667 tokens of o200k_base are 2,000 (x1.2). Line 1: 16 -> 19.2, so 19; 1,651 words follow.
# Without line 1 the request has 6,500 - 19 = 6,481 tokens, tools and system 3,500 - 19 = 3,481.
CLAUDE = "Time: {{ now().strftime('%H:%M:%S') }}\n" + words(1651)


@pytest.mark.parametrize(
    ("fields", "now", "boundaries"),
    [
        # No marker seen: boundaries are assumed at the ends of tools (1,500), system (3,500) and the last message.
        # The first difference lies at 1,503; only the 1,500 can be read.
        ((), 1500, "assumed"),
        # One marker, at 3,500: it lies after the clock, so nothing can be read, not even the tools.
        ((Field.SYSTEM,), 0, "source"),
        ((Field.TOOLS, Field.SYSTEM), 1500, "source"),
    ],
)
@pytest.mark.parametrize(
    ("horizon", "best"), [("conversation", 6481), ("user", 3481), ("fleet", 3481), ("tomorrow", 3481)]
)
def test_clock_under_anthropic(fields: tuple[Field, ...], now: int, boundaries: str, horizon: str, best: int) -> None:
    found = layout(appraised(marked(prompt_of(CLAUDE, AROUND), *fields), "anthropic", SONNET), horizon)
    assert (found.now, found.best, found.total) == ((now, now), (best, best), 6500)
    assert found.boundaries == boundaries


@pytest.mark.parametrize(
    ("name", "model", "text", "fields", "blocked"),
    [
        # Surviving tokens after the clock: 1,984 of system and 3,000 of history.
        ("generic", None, CLOCK, (), 4984 + 1500),  # system first costs the tools too, and is the dearer order
        ("vllm", None, CLOCK, (), 4984 + 1500),
        # 1,981 + 3,000, and the 3 tokens between the tools' boundary and the clock, which no boundary covers.
        ("anthropic", SONNET, CLAUDE, (), 4981 + 3),
        # The only boundary lies after the clock: the tools and what stands before the clock are lost as well.
        ("anthropic", SONNET, CLAUDE, (Field.SYSTEM,), 4981 + 1503),
    ],
)
def test_what_the_clock_blocks(
    name: str, model: str | None, text: str, fields: tuple[Field, ...], blocked: int
) -> None:
    appraisal = appraised(marked(prompt_of(text, AROUND), *fields), name, model)
    (culprit,) = appraisal.culprits
    assert culprit.horizon.name == "conversation"
    assert max(price.blocked for _, price in appraisal.prices(culprit)) == blocked


def test_a_user_name_in_the_middle() -> None:
    # 1,000 words, a line with the name ("\n" ends the words' line; "Name: " 3 tokens, the name 4, "\n" 1), 500 words.
    prompt = prompt_of(words(1000) + "\nName: {{ user_name }}\n" + words(500))
    appraisal = appraised(prompt, "generic")
    # In the same conversation and for the same user nothing changes.
    for horizon in ("conversation", "user", "tomorrow"):
        found = layout(appraisal, horizon)
        assert found.now[0] == found.total - 1, "all but the last token, which is always computed"
    # For another user: the words, their line end, "Name" and ":"; the blank could be cut differently.
    found = layout(appraisal, "fleet")
    assert found.now == (1003, 1003)
    # Moved: the words, the line end, the 500 words.
    assert found.best == (1501, 1501)
    assert found.total == 1001 + 3 + 4 + 1 + 500
    (culprit,) = appraisal.culprits
    assert culprit.horizon.name == "fleet"
    assert [price.blocked for _, price in appraisal.prices(culprit)] == [500, 500]


def test_text_under_a_condition_on_the_user_is_a_variant_and_no_loss() -> None:
    prompt = prompt_of(words(300) + "\n{% if user.is_admin %}\n" + words(200) + "\n{% endif %}\n" + words(100))
    appraisal = appraised(prompt, "generic")
    assert appraisal.culprits == ()
    for horizon in ("conversation", "user", "fleet", "tomorrow"):
        found = layout(appraisal, horizon)
        assert found.now == found.best == (found.total - 1, found.total - 1)


def test_todays_date_as_the_last_line() -> None:
    prompt = prompt_of(words(400) + "\nToday is {{ now().strftime('%d %B %Y') }}.\n")
    appraisal = appraised(prompt, "generic")
    (culprit,) = appraisal.culprits
    assert (culprit.horizon.name, culprit.blocks, culprit.first_blocked) == ("tomorrow", False, None)
    # 400 words and the line end survive, and "Today", " is" of "Today is "; the blank could be cut differently.
    assert layout(appraisal, "tomorrow").now == (403, 403)
    assert layout(appraisal, "tomorrow").best == (403, 403), "there is nothing to win"


def test_a_loop_over_retrieved_documents_above_few_shots() -> None:
    text = (
        words(100) + "\n{% for doc in retrieved_documents %}\n{{ doc.text }}\n{% endfor %}\n## Examples\n" + words(200)
    )
    prompt = prompt_of(text)
    appraisal = appraised(prompt, "generic")
    (culprit,) = appraisal.culprits
    assert (culprit.cause.kind, culprit.horizon.name) == ("retrieval", "conversation")
    assert culprit.place.text == "retrieved_documents"
    found = layout(appraisal, "conversation")
    # The 100 words; their line end stands before the loop but is cut with what follows it.
    assert found.now == (100, 100)
    # Moved: the words with their line end; the heading (3 tokens: "##", " Examples", "\n") and the 200 words. The line
    # end after the loop is one token with the one that ends its body, where that token starts: it goes with the loop.
    assert [price.blocked for _, price in appraisal.prices(culprit)] == [203, 203]
    assert found.best == (101 + 203, 101 + 203)
