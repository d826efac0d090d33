"""Traps in the chat templates of open models, by the model's name (`rules/data/chat_templates.toml`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from promptlint.data import load_toml
from promptlint.events import Confidence, Event
from promptlint.finding import Finding
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import Field, Prompt, Section
from promptlint.rulebook import Rule
from promptlint.source import Place


def chat_template_trap(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """What the engine's chat template for the named model changes in this request."""
    prompt = appraisal.prompt
    if appraisal.provider.kind != "engine" or appraisal.model is None or not prompt.body:
        return
    for row in load_toml("chat_templates.toml")["trap"]:
        if not _applies(row, appraisal, appraisal.model):
            continue
        place = next((found for need in row["needs"] if (found := _held(prompt, need)) is not None), None)
        place = place or next((each.place for each in prompt.segments if each.place is not None), None)
        if place is not None:
            yield rule.finding(
                place,
                f"{row['said']}: {row['change']}",
                confidence=Confidence.MEDIUM,
                label=f"rendered by the template of {appraisal.model}",
                advice=row["do"],
                subject=row["name"],
                kind="chat-template",
                evidence="name",
            )


def _applies(row: Mapping[str, Any], appraisal: Appraisal, model: str) -> bool:
    name = model.strip().lower()
    named = any(fnmatchcase(name, glob) for glob in row["models"])
    if not named or appraisal.provider.name not in row["engines"]:
        return False
    settings = {each.name for each in appraisal.prompt.parameters}
    return settings.isdisjoint(row["unless"]) and all(_held(appraisal.prompt, need) for need in row["needs"])


def _held(prompt: Prompt, need: str) -> Place | None:
    """Where the request holds what a trap needs, None when it does not."""
    for segment in prompt.segments:
        answer = segment.field is Field.MESSAGES and segment.role == "assistant"
        found = {
            "tools": segment.section is Section.TOOLS,
            "earlier turns": answer,
            "changing system text": segment.field is Field.SYSTEM and bool(segment.lifetime.events - {Event.DEPLOY}),
            "reasoning": answer and segment.text is not None and _is_reasoning(segment.text, segment.place),
        }[need]
        if found and segment.place is not None:
            return segment.place
    return None


def _is_reasoning(text: str, place: Place | None) -> bool:
    """Marked as such in the text, or written into a member of the message that is called so."""
    if "<think>" in text:
        return True
    before = place.source.text[max(0, place.span.start - 40) : place.span.start] if place is not None else ""
    return "reasoning_content" in before
