"""Prompts for side calls, which put the conversation below instructions of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from promptlint.events import Confidence
from promptlint.finding import Finding, Related
from promptlint.layout.appraisal import Appraisal
from promptlint.layout.horizons import is_history
from promptlint.lifetimes.names import snake
from promptlint.prompt import Section, Segment
from promptlint.rulebook import Rule

_SIDE_CALL = re.compile(r"titles?|summar(?:y|ies|i[sz](?:e|er|ation))|compact(?:ion)?|condenser?|tags?|rename")
_MAIN_CALL = frozenset({"agent", "assistant", "system", "bot", "chatbot"})
"""Words in the name of a prompt that holds a conversation, whatever it is about."""


def auxiliary_call(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """A title, summary or tag prompt that quotes the conversation below instructions of its own."""
    prompt = appraisal.prompt
    words = snake(f"{prompt.path.rsplit('/', 1)[-1]} {prompt.name}").split("_")
    if not any(_SIDE_CALL.fullmatch(word) for word in words) or not _MAIN_CALL.isdisjoint(words):
        return
    for index, segment in enumerate(prompt.segments):
        if segment.place is None or not is_history(segment):
            continue
        if any(_asks(each) for each in prompt.segments[index + 1 :]):
            return  # an answer is wanted, as in the main call
        above = next((each for each in prompt.segments[:index] if each.text is not None and each.text.strip()), None)
        if above is not None and above.place is not None:
            yield rule.finding(
                segment.place,
                "this side call puts its own instructions above the conversation and shares no prefix with it",
                confidence=Confidence.LOW,
                label="computed anew for this call",
                related=(Related(above.place, "the main request begins otherwise"),),
                kind="auxiliary",
                evidence="name",
                section=segment.section.value,
            )
        return


def _asks(segment: Segment) -> bool:
    """Whether a question is filled in here."""
    main = segment.lifetime.main
    return segment.text is None and (segment.section is Section.USER or (main is not None and main.kind == "input"))
