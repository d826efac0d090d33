"""Whose request a JSON object is: the vendors' shapes, from the most telling to the one that everybody takes."""

from __future__ import annotations

from promptlint.readers.json_strings import JsonObject
from promptlint.readers.vendors import anthropic, bedrock, gemini, openai_chat, openai_responses
from promptlint.readers.vendors.draft import Draft


def draft_of(body: JsonObject, url: str | None = None) -> Draft | None:
    """The request that the object is the body of, None when it is none. `url` is the endpoint that a batch names."""
    return (
        gemini.read(body)
        or bedrock.read(body)
        or anthropic.read(body)
        or openai_chat.read(body, url)
        or openai_responses.read(body, url)
    )


def draft_of_messages(body: JsonObject) -> Draft | None:
    """The request of a batch that only Anthropic has."""
    return anthropic.read(body, declared=True)
