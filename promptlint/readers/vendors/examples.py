"""Few-shots in a file of many requests: earlier turns that are the same in requests with different questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from promptlint.prompt import Field, Section
from promptlint.unit import Message, PromptSource


def with_shared_examples(prompts: Sequence[PromptSource]) -> list[PromptSource]:
    """The prompts, their history taken for examples where other prompts have the very same and ask something else.

    A conversation that goes on has a longer history in its next request.
    """
    questions: dict[tuple[tuple[str | None, str], ...], set[str]] = defaultdict(set)
    shared = [_shown(prompt) for prompt in prompts]
    for prompt, shown in zip(prompts, shared, strict=True):
        if shown:
            questions[shown].add(_written(prompt, Section.USER)[-1][1])
    return [
        _as_examples(prompt) if shown and len(questions[shown]) > 1 else prompt
        for prompt, shown in zip(prompts, shared, strict=True)
    ]


def _shown(prompt: PromptSource) -> tuple[tuple[str | None, str], ...]:
    """Role and text of the earlier turns; none when tools took part, or something follows the newest question."""
    talk = [message for message in prompt.messages if message.field is Field.MESSAGES]
    if not talk or talk[-1].section is not Section.USER or any(message.role == "tool" for message in talk):
        return ()
    earlier = _written(prompt, Section.HISTORY)
    return earlier if any(role == "assistant" for role, _ in earlier) else ()


def _written(prompt: PromptSource, section: Section) -> tuple[tuple[str | None, str], ...]:
    return tuple((message.role, _text(message)) for message in prompt.messages if message.section is section)


def _text(message: Message) -> str:
    return "".join(piece.text for piece in message.template.pieces)


def _as_examples(prompt: PromptSource) -> PromptSource:
    messages = (
        replace(message, section=Section.EXAMPLES) if message.section is Section.HISTORY else message
        for message in prompt.messages
    )
    return replace(prompt, messages=tuple(messages))
