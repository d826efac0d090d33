"""Records that the tools themselves wrote, over a client whose answers are made up.

LiteLLM 1.110's standard logging object of a completion with `mock_response`, and a span of OpenInference's
instrumentation of the OpenAI client, as OpenTelemetry's console exporter prints it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from promptlint.logs.places import Part
from promptlint.logs.reading import Reading, requests
from promptlint.logs.record import Measured, Skipped

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize(
    ("name", "measured", "conversation"),
    [("litellm.jsonl", Measured(10, None, None), "c1"), ("openinference.jsonl", Measured(100, 64, None), "")],
)
def test_a_real_record(name: str, measured: Measured, conversation: str) -> None:
    skipped: list[Skipped] = []
    (request,) = requests(Part(str(DATA / name)), Reading(), skipped.append)
    assert skipped == []
    assert [(piece.path, piece.role) for piece in request.pieces] == [
        ("tools[0]", "tool"),
        ("messages[0].content", "system"),
        ("messages[1].content", "user"),
    ]
    assert (request.provider, request.model, request.measured) == ("openai-5.5", "gpt-5-mini", measured)
    assert (request.conversation, bool(request.id)) == (conversation, True)
    assert request.time is not None and request.time > 1_795_900_000
