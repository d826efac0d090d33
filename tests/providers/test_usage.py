"""What each API reports, as the same four figures. 100,000 tokens came in, 80,000 were read, 10,000 written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.providers.registry import provider
from promptlint.providers.usage import Counts, counts

READ, WRITTEN = 80_000, 10_000


@pytest.mark.parametrize(
    ("of", "response", "counted"),
    [
        # Exclusive: the input is what was neither read nor written; 10,000 + 80,000 + 10,000 came in.
        (
            "anthropic",
            {
                "usage": {
                    "input_tokens": 10_000,
                    "cache_read_input_tokens": READ,
                    "cache_creation_input_tokens": WRITTEN,
                    "cache_creation": {"ephemeral_5m_input_tokens": 4_000, "ephemeral_1h_input_tokens": 6_000},
                }
            },
            Counts(100_000, READ, WRITTEN, 10_000, {"5m": 4_000, "1h": 6_000}),
        ),
        (
            "bedrock",
            {"usage": {"inputTokens": 10_000, "cacheReadInputTokens": READ, "cacheWriteInputTokens": WRITTEN}},
            Counts(100_000, READ, WRITTEN, 10_000),
        ),
        # Inclusive: 100,000 - 80,000 - 10,000 are fresh. Responses, then Chat.
        (
            "openai",
            {
                "usage": {
                    "input_tokens": 100_000,
                    "input_tokens_details": {
                        "cached_tokens": READ,
                        "cache_write_tokens": WRITTEN,
                        "cache_write_tokens_details": {"ttl_30m_tokens": WRITTEN, "ttl_12h_tokens": 0},
                    },
                }
            },
            Counts(100_000, READ, WRITTEN, 10_000, {"30m": WRITTEN}),
        ),
        (
            "openai",
            {
                "usage": {
                    "prompt_tokens": 100_000,
                    "prompt_tokens_details": {"cached_tokens": READ, "cache_write_tokens": WRITTEN},
                }
            },
            Counts(100_000, READ, WRITTEN, 10_000),
        ),
        (
            "bedrock-openai",
            {
                "usage": {
                    "input_tokens": 100_000,
                    "input_tokens_details": {"cached_tokens": READ, "cache_write_tokens": WRITTEN},
                }
            },
            Counts(100_000, READ, WRITTEN, 10_000),
        ),
        # Inclusive, and nothing about writes: 100,000 - 80,000 are fresh.
        *(
            (
                of,
                {"usage": {"prompt_tokens": 100_000, "prompt_tokens_details": {"cached_tokens": READ}}},
                Counts(100_000, READ, 0, 20_000),
            )
            for of in ("openai-5.5", "azure-5.5", "openrouter", "xai", "groq", "mistral", "zai", "cerebras", "vllm")
        ),
        (
            "gemini",
            {"usageMetadata": {"promptTokenCount": 100_000, "cachedContentTokenCount": READ}},
            Counts(100_000, READ, 0, 20_000),
        ),
        (
            "deepseek",
            {
                "usage": {
                    "prompt_tokens": 100_000,
                    "prompt_cache_hit_tokens": READ,
                    "prompt_cache_miss_tokens": 20_000,
                }
            },
            Counts(100_000, READ, 0, 20_000),
        ),
    ],
)
def test_each_api(of: str, response: dict[str, Any], counted: Counts) -> None:
    assert counts(response, provider(of).usage) == counted


def test_tokens_that_are_not_reported_count_as_fresh() -> None:
    assert counts({"usage": {"prompt_tokens": 500}}, provider("vllm").usage) == Counts(500, 0, 0, 500)
    assert counts({"usage": {"input_tokens": 500}}, provider("anthropic").usage) == Counts(500, 0, 0, 500)
    details: dict[str, Any] = {"usage": {"prompt_tokens": 500, "prompt_tokens_details": None}}
    assert counts(details, provider("groq").usage) == Counts(500, 0, 0, 500)


@pytest.mark.parametrize("response", [{}, {"usage": None}, {"usage": {"prompt_tokens": "500"}}, {"usage": []}])
@pytest.mark.parametrize("of", ["anthropic", "openai", "gemini"])
def test_a_response_without_counts_has_none(of: str, response: dict[str, Any]) -> None:
    assert counts(response, provider(of).usage) is None


def test_parts_that_exceed_the_total_are_refused() -> None:
    response = {"usage": {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 101}}}
    with pytest.raises(ValueError, match="101 tokens read"):
        counts(response, provider("groq").usage)


@given(*[st.integers(0, 10**7)] * 3)
def test_both_kinds_of_total_say_the_same(fresh: int, read: int, write: int) -> None:
    exclusive = counts(
        {
            "usage": {
                "input_tokens": fresh,
                "cache_read_input_tokens": read,
                "cache_creation_input_tokens": write,
            }
        },
        provider("anthropic").usage,
    )
    inclusive = counts(
        {
            "usage": {
                "input_tokens": fresh + read + write,
                "input_tokens_details": {"cached_tokens": read, "cache_write_tokens": write},
            }
        },
        provider("openai").usage,
    )
    assert exclusive == inclusive == Counts(fresh + read + write, read, write, fresh)
