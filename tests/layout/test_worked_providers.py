"""Figures of provider rules derived by hand. " data" is one token of o200k_base, whatever stands before it.

The first prompt: 1,500 tokens of tools, a system prompt of 2,000, 3,000 of history, a question of 50; 6,550 in all.
Line 1 of the system prompt is "Time: ", a clock of 12 tokens, and the line end. "Time" and ":" are the same whatever
follows, the blank could be cut differently, so 2 literal tokens survive in front of the clock.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptlint.layout.appraisal import Appraisal, Layout
from promptlint.layout.appraise import appraise
from promptlint.project.link import Surroundings, link
from promptlint.prompt import Field, Marker, Prompt
from promptlint.providers.registry import provider, providers
from promptlint.providers.reuse import reuse
from promptlint.readers import requests, text
from promptlint.source import Source

SONNET, OPUS = "claude-sonnet-4-6", "claude-opus-5-5"  # o200k_base x1.2 and x1.5; minimum 1,024 and 512
TOOLS_FIRST, SYSTEM_FIRST = ("tools", "system", "messages"), ("system", "tools", "messages")
AROUND = Surroundings(tools=1500, history=3000, user=50)
LINE = "Time: {{ now().strftime('%H:%M:%S') }}\n"
HORIZONS = ("conversation", "user", "fleet", "tomorrow")
MARK = {"type": "ephemeral"}


def words(count: int) -> str:
    return " data" * count


def clocked(count: int) -> Prompt:
    """The first prompt, with so many words below the clock."""
    unit = text.read(Source("prompts/system.j2", LINE + words(count)))
    return link(unit, unit.prompts[0], lambda source, name: None, {}, AROUND)


def marked(prompt: Prompt, *fields: Field) -> Prompt:
    """The prompt with a marker behind the last segment of each field."""
    place = next(each.place for each in prompt.segments if each.place)
    last = {segment.field: index for index, segment in enumerate(prompt.segments)}
    markers = tuple(Marker(last[field], place) for field in fields)
    return Prompt(prompt.path, prompt.name, prompt.segments, markers, complete=prompt.complete)


def request(*system: dict[str, Any], messages: list[dict[str, Any]]) -> Prompt:
    """A request body as the vendor's own API takes it."""
    body = {"model": SONNET, "system": list(system), "messages": messages}
    unit = requests.read(Source("request.json", json.dumps(body)))
    return link(unit, unit.prompts[0], lambda source, name: None, {})


def block(said: str, mark: bool = False) -> dict[str, Any]:
    return {"type": "text", "text": said, **({"cache_control": MARK} if mark else {})}


def appraised(prompt: Prompt, name: str, model: str | None) -> Appraisal:
    return appraise(prompt, provider(name), provider_known=True, sizes={"clock": 12}, model=model)


def layout(prompt: Prompt, name: str, model: str | None, horizon: str, order: tuple[str, ...] = TOOLS_FIRST) -> Layout:
    (found,) = [each for each in appraised(prompt, name, model).layouts(None, horizon) if each.order == order]
    return found


# Anthropic. 1,667 tokens of o200k_base are 2,000 of SONNET's; line 1 has 16, which are 19.2, so 19. Without it the
# request has 1,500 + 1,981 + 3,000 = 6,481 tokens that stay in a conversation, and 3,481 beyond it.
@pytest.mark.parametrize(
    ("fields", "now", "said_by"),
    [
        # No marker: boundaries are assumed behind tools (1,500), system (3,500) and the last message. The first
        # difference lies at 1,500 + 2: only the tools' boundary is in front of it.
        ((), 1500, "assumed"),
        # At the end of the system text: 3,500 lies behind the difference, and nothing else was written.
        ((Field.SYSTEM,), 0, "source"),
        ((Field.TOOLS, Field.SYSTEM), 1500, "source"),
        # Automatic: the marker stands behind the last block. The request before wrote the end of what is history now,
        # 6,500, which lies behind the difference too.
        ((Field.MESSAGES,), 0, "source"),
    ],
)
@pytest.mark.parametrize("horizon", HORIZONS)
def test_clock_under_anthropic(fields: tuple[Field, ...], now: int, said_by: str, horizon: str) -> None:
    best = 6481 if horizon == "conversation" else 3481
    found = layout(marked(clocked(1651), *fields), "anthropic", SONNET, horizon)
    assert (found.total, found.now, found.best) == (6550, (now, now), (best, best))
    assert found.boundaries == said_by


# OpenAI. Without line 1: 1,500 + 1,984 + 3,000 = 6,484 and 3,484 tokens; with it 1,502 are the same.
@pytest.mark.parametrize(
    ("name", "model", "now", "conversation", "beyond"),
    [
        # Steps of 128 from 1,024 on, or breakpoints every 2,048 from 2,048 on: sources leave both.
        # 1,502 = 11 x 128 + 94, and less than 2,048. 6,484 = 50 x 128 + 84 = 3 x 2,048 + 340.
        # 3,484 = 27 x 128 + 28 = 1 x 2,048 + 1,436.
        ("openai-5.5", "gpt-5.5", (0, 1408), (6144, 6400), (2048, 3456)),
        # Written are the ends of the developer block (3,500) and of the newest message: nothing in front of the clock.
        ("openai", "gpt-5.6-sol", (0, 0), (6484, 6484), (3484, 3484)),
    ],
)
@pytest.mark.parametrize("horizon", HORIZONS)
def test_clock_under_openai(
    name: str,
    model: str,
    now: tuple[int, int],
    conversation: tuple[int, int],
    beyond: tuple[int, int],
    horizon: str,
) -> None:
    found = layout(clocked(1984), name, model, horizon)
    assert (found.total, found.now) == (6550, now)
    assert found.best == (conversation if horizon == "conversation" else beyond)


@pytest.mark.parametrize(
    ("order", "now"),
    [
        (TOOLS_FIRST, 1488),  # 1,502 = 93 x 16 + 14
        (SYSTEM_FIRST, 0),  # 2 tokens are no block
    ],
)
@pytest.mark.parametrize("horizon", HORIZONS)
def test_clock_under_vllm(order: tuple[str, ...], now: int, horizon: str) -> None:
    best = 6480 if horizon == "conversation" else 3472  # 6,484 = 405 x 16 + 4, 3,484 = 217 x 16 + 12
    found = layout(clocked(1984), "vllm", None, horizon, order)
    assert (found.total, found.now, found.best, found.boundaries) == (6550, (now, now), (best, best), "none")
    # A model whose state is kept at checkpoints only: none of them is known.
    hybrid = layout(clocked(1984), "vllm", "gpt-oss-120b", horizon, order)
    assert (hybrid.now, hybrid.best) == ((0, now), (0, best))


# DeepSeek: x1.04, so 1,923 tokens are 2,000 and line 1 (16) is 17. Units end at places that are not published, and the
# minimum is unknown: from nothing to all that is the same.
@pytest.mark.parametrize(("order", "now"), [(TOOLS_FIRST, 1502), (SYSTEM_FIRST, 2)])
@pytest.mark.parametrize("horizon", HORIZONS)
def test_clock_under_deepseek(order: tuple[str, ...], now: int, horizon: str) -> None:
    best = 6483 if horizon == "conversation" else 3483
    found = layout(clocked(1907), "deepseek", "deepseek-v4-pro", horizon, order)
    assert (found.total, found.now, found.best) == (6550, (0, now), (0, best))


# Gemini, implicit: x1.15, so 1,739 tokens are 2,000 and line 1 (16) is 18. The unit is unknown, the minimum 2,048.
@pytest.mark.parametrize("order", [TOOLS_FIRST, SYSTEM_FIRST])
@pytest.mark.parametrize("horizon", HORIZONS)
def test_clock_under_gemini(order: tuple[str, ...], horizon: str) -> None:
    best = 6482 if horizon == "conversation" else 3482
    found = layout(clocked(1723), "gemini", "gemini-2.5-pro", horizon, order)
    assert (found.total, found.now, found.best) == (6550, (0, 0), (0, best))


def test_the_automatic_marker_alone_serves_one_conversation() -> None:
    # Without the clock: 1,500 + 2,000 + 3,000 + 50. In the same conversation the end of the history is read.
    unit = text.read(Source("prompts/system.j2", words(1667)))
    prompt = marked(link(unit, unit.prompts[0], lambda source, name: None, {}, AROUND), Field.MESSAGES)
    found = layout(prompt, "anthropic", SONNET, "conversation")
    assert (found.now, found.best) == ((6500, 6500), (6500, 6500))
    # In a new one 3,500 tokens are the same and none of them was written; a marker there is worth all of them.
    found = layout(prompt, "anthropic", SONNET, "user")
    assert (found.now, found.best) == ((0, 0), (3500, 3500))


def test_a_difference_behind_the_last_boundary_costs_nothing() -> None:
    # 1,500 words are 1,800 tokens, marked; the clock stands in the user's message, behind them.
    question = {"role": "user", "content": LINE + "{{ question }}"}
    found = layout(request(block(words(1500), mark=True), messages=[question]), "anthropic", SONNET, "user")
    assert (found.now, found.best) == ((1800, 1800), (1800, 1800))


def test_stable_text_above_the_clock_in_one_marked_block_is_lost() -> None:
    # 1,500 words and their line end (1,501 tokens: 1,801), line 1 (1,517: 1,820), 500 words (2,017: 2,420).
    said = words(1500) + "\n" + LINE + words(500)
    prompt = request(block(said, mark=True), messages=[{"role": "user", "content": "{{ question }}"}])
    found = layout(prompt, "anthropic", SONNET, "user")
    # Without line 1: 2,420 - 19.
    assert (found.now, found.best) == ((0, 0), (2401, 2401))
    # Fresh while the clock stays: 600 below it, and all that stands above it in the block: 1,801 and "Time: " up to
    # 1,504 tokens (1,804.8, so 1,805), of which the blank (1.2, so 1) could be cut differently.
    appraisal = appraised(prompt, "anthropic", SONNET)
    (clock,) = [culprit for culprit in appraisal.culprits if culprit.cause.kind == "clock"]
    assert [price.blocked for _, price in appraisal.prices(clock)] == [600 + 1804]


def test_a_marked_block_of_15_tokens_is_below_every_minimum() -> None:
    for of in providers():
        if of.match == "boundary" and of.max_breakpoints:
            low, high = reuse(15, 15, (15,), of)
            assert low == 0
            assert high == 0 or of.minimum[0] == 0, of.name  # where no minimum is stated, nobody knows
    # 10 words are 15 tokens; OPUS has the lowest minimum that is known, 512.
    prompt = request(block(words(10), mark=True), messages=[{"role": "user", "content": "{{ question }}"}])
    found = layout(prompt, "anthropic", OPUS, "user")
    assert (found.now, found.best) == ((0, 0), (0, 0))


@pytest.mark.parametrize(
    ("blocks", "now", "said_by"),
    [
        (4, 1440, "source"),  # 300 words are 360 tokens
        (5, 0, "refused"),  # such a request is an error
    ],
)
def test_five_breakpoints(blocks: int, now: int, said_by: str) -> None:
    system = [block(words(300), mark=True)] * blocks
    prompt = request(*system, messages=[{"role": "user", "content": "{{ question }}"}])
    found = layout(prompt, "anthropic", SONNET, "user")
    assert (found.now, found.boundaries) == ((now, now), said_by)
    assert found.best == (360 * blocks,) * 2, "with markers in other places"


@pytest.mark.parametrize(
    ("blocks", "now"),
    [
        # The request before wrote the end of its newest turn. From the marker back: the blocks of this turn, its own
        # included, and the reply. 18 + 1 = 19 positions lie in between: the twentieth is the last that is searched.
        (18, 2040),
        (19, 1800),
        (25, 1800),
    ],
)
def test_25_positions_between_marks(blocks: int, now: int) -> None:
    # 1,500 words of system text (1,800), marked; a question and a reply of 100 words each (120 + 120).
    turns = [{"role": "user", "content": words(100)}, {"role": "assistant", "content": words(100)}]
    newest = [block("Read this.", mark=number == blocks - 1) for number in range(blocks)]
    prompt = request(block(words(1500), mark=True), messages=[*turns, {"role": "user", "content": newest}])
    found = layout(prompt, "anthropic", SONNET, "conversation")
    assert found.now == (now, now)
    # A marker where the history ends is found at once.
    assert found.best == (2040, 2040)
