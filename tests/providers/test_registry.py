"""The registry: every row in its domain, names, models, and the horizons table."""

from __future__ import annotations

import re
from dataclasses import fields
from datetime import date, timedelta
from typing import Any

import pytest

from promptlint.data import load_toml
from promptlint.events import Event
from promptlint.providers.registry import UNBOUNDED, Provider, provider, provider_for_model, providers, serves

TABLE = load_toml("providers.toml")
ROWS: list[dict[str, Any]] = TABLE["provider"]
FIELDS = ("tools", "system", "messages")
COUNTERS = set(load_toml("tokenizers.toml")["tokenizers"])
DOMAINS = {
    "kind": {"hosted", "engine", "generic"},
    "match": {"block", "boundary", "token", "object", "unknown"},
    "ttl_from": {"start", "last use", "write", "unknown"},
    "scope": {
        "account",
        "organisation",
        "project",
        "replica",
        "server",
        "slot",
        "subscription",
        "unknown",
        "upstream",
        "workspace",
    },
    "confidence": {"high", "medium", "low"},
    "counter": COUNTERS,
    "excess": {"refused", "unknown"},
    "resumes": {"anywhere", "checkpoints"},
}
OPTIONAL = {
    "aliases",
    "variant_of",
    "minimum_by_model",
    "lookback",
    "max_breakpoints",
    "automatic",
    "marked_only",
    "partial_blocks",
    "excess",
    "resumes",
    "cache_keys",
    "salts",
    "breaks",
    "usage",
    "notes",
}
DERIVED = {"counter_by_model", "checkpointed"}

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
each_provider = pytest.mark.parametrize("of", providers(), ids=lambda of: of.name)


def is_interval(ends: object, least: int) -> bool:
    match ends:
        case "unknown":
            return True
        case [int() as low, int() as high]:
            return least <= low <= high
    return False


@each_row
def test_a_row_has_every_field_and_no_other(row: dict[str, Any]) -> None:
    known = {field.name for field in fields(Provider)} - DERIVED
    assert set(row) <= known
    assert known - set(row) <= OPTIONAL


@each_row
@pytest.mark.parametrize("name", DOMAINS)
def test_a_word_is_in_its_domain(row: dict[str, Any], name: str) -> None:
    assert row.get(name, "unknown" if name == "excess" else "anywhere") in DOMAINS[name]


@each_row
def test_figures_are_intervals(row: dict[str, Any]) -> None:
    assert is_interval(row["unit"], least=1)
    assert is_interval(row["minimum"], least=0)
    assert all(is_interval(ends, least=0) for ends in row.get("minimum_by_model", {}).values())
    assert row["ttl"] == "unknown" or all(is_interval(ttl["seconds"], least=1) for ttl in row["ttl"])
    assert row.get("lookback", 0) >= 0
    assert row.get("max_breakpoints", 0) >= 0


@each_row
def test_the_range_of_all_models_holds_each_models_own(row: dict[str, Any]) -> None:
    for glob, (low, high) in row.get("minimum_by_model", {}).items():
        assert row["minimum"][0] <= low, glob
        assert high <= row["minimum"][1], glob


@each_row
def test_an_order_lays_out_each_field_once(row: dict[str, Any]) -> None:
    assert row["orders"]
    assert all(sorted(order) == sorted(FIELDS) for order in row["orders"])
    assert len({tuple(order) for order in row["orders"]}) == len(row["orders"])


@each_row
def test_an_engine_takes_the_order_of_the_chat_template(row: dict[str, Any]) -> None:
    if row["kind"] == "engine":
        assert row["orders"] == [["tools", "system", "messages"], ["system", "tools", "messages"]]


@each_row
def test_only_boundaries_are_written_or_marked(row: dict[str, Any]) -> None:
    assert set(row.get("automatic", [])) <= {"tools", "system", "message"}
    if row["match"] in ("block", "token"):
        assert not row.get("automatic")
        assert not row.get("marked_only")
        assert not row.get("max_breakpoints")
    if row.get("marked_only"):
        assert row["max_breakpoints"] > 0
        assert not row["automatic"]
    if row["match"] == "token":
        assert row["unit"] == [1, 1]


@each_row
def test_keys_and_salts_are_names_of_parameters_or_headers(row: dict[str, Any]) -> None:
    names = [*row.get("cache_keys", ()), *row.get("salts", ())]
    assert all(re.fullmatch(r"[a-z][a-z_]*|x-[a-z-]+", name) for name in names)


@each_row
def test_only_engines_resume_at_checkpoints(row: dict[str, Any]) -> None:
    assert (row.get("resumes") == "checkpoints") == (row["kind"] == "engine")


def test_the_models_that_resume_at_checkpoints_have_sources_and_a_date() -> None:
    assert set(TABLE["checkpointed"]["sources"]) <= set(TABLE["sources"])
    assert TABLE["checkpointed"]["checked_on"] <= TABLE["as_of"]


@pytest.mark.parametrize(
    ("of", "model", "resumes"),
    [
        ("vllm", "openai/gpt-oss-120b", True),
        ("ollama", "gemma3:12b", True),
        ("llama.cpp", "Qwen3.5-27B-Q4", True),
        ("vllm", "Qwen/Qwen3-8B", False),
        ("vllm", None, False),
        ("groq", "openai/gpt-oss-120b", False),  # what hosted providers run beneath is theirs
    ],
)
def test_windows_and_recurrent_states_resume_at_checkpoints(of: str, model: str | None, resumes: bool) -> None:
    assert provider(of).resumes_at_checkpoints(model) is resumes


@each_row
def test_a_parameter_breaks_a_field(row: dict[str, Any]) -> None:
    assert set(row.get("breaks", {}).values()) <= {*FIELDS, "all", "none", "unknown"}


@each_row
def test_usage_is_complete_where_it_is_known(row: dict[str, Any]) -> None:
    usage = row.get("usage")
    if usage is not None:
        assert set(usage) - {"write_by_ttl"} == {"total", "total_includes_cached", "read", "write", "uncached"}
        if "write_by_ttl" in usage:
            assert set(usage["write_by_ttl"]) == {ttl["name"] for ttl in row["ttl"]}
        assert usage["read"]
        assert bool(usage["total"]) == usage["total_includes_cached"]
        assert usage["total"] or usage["uncached"]


@each_row
def test_a_row_has_sources_that_exist_and_a_date(row: dict[str, Any]) -> None:
    assert set(row["sources"]) <= set(TABLE["sources"])
    assert row["sources"] or row["kind"] == "generic"
    assert isinstance(row["checked_on"], date)
    assert row["checked_on"] <= TABLE["as_of"]


@pytest.mark.parametrize("name", TABLE["sources"])
def test_a_source_can_be_found_again(name: str) -> None:
    source = TABLE["sources"][name]
    assert set(source) == {"url", "dated", "kind", "checked_on"}
    assert re.fullmatch(r"https://\S+|pkg:pypi/\S+@[\d.]+", source["url"])
    assert re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", source["dated"])
    assert source["dated"] <= source["checked_on"].isoformat()
    assert any(name in row["sources"] for row in (*ROWS, TABLE["checkpointed"]))


def test_the_table_says_when_it_is_stale() -> None:
    assert timedelta(days=TABLE["stale_after_days"]) > timedelta(0)
    assert TABLE["as_of"] == max(row["checked_on"] for row in ROWS)


def test_names_and_aliases_are_typed_in_lower_case_and_belong_to_one_row() -> None:
    names = [name for of in providers() for name in (of.name, *of.aliases)]
    assert len(names) == len(set(names))
    assert all(name == name.lower().strip() for name in names)


def test_globs_are_in_lower_case_as_models_are_compared() -> None:
    globs = [glob for of in providers() for glob in (*of.models, *of.minimum_by_model, *of.counter_by_model)]
    assert all(glob == glob.lower() for glob in globs)
    assert set(TABLE["counters"].values()) <= COUNTERS


@each_provider
def test_a_provider_is_found_by_each_of_its_names(of: Provider) -> None:
    assert all(provider(name) is of for name in (of.name, *of.aliases, of.name.upper()))


@pytest.mark.parametrize(
    ("of", "model", "can"),
    [
        ("anthropic", "claude-opus-5", True),
        ("bedrock", "claude-opus-5", False),
        ("openai-5.5", "gpt-6-sol", False),
        ("gemini", "gemini-4-argon", True),
        ("gemini-explicit", "gemini-4-argon", True),
        ("vllm", "Qwen/Qwen3-8B", True),
        ("vllm", "claude-opus-5", False),
        ("together", "Qwen/Qwen3-8B", False),
        ("generic", "Qwen/Qwen3-8B", False),
    ],
)
def test_where_a_model_can_run(of: str, model: str, can: bool) -> None:
    assert serves(provider(of), model) is can


@each_row
def test_a_variant_serves_the_models_of_another_row(row: dict[str, Any]) -> None:
    if "variant_of" in row:
        assert provider(row["variant_of"]).models
        assert not row["models"]


@each_provider
def test_a_provider_can_be_a_key(of: Provider) -> None:
    assert {of: 1}[of] == 1


def test_generic_comes_first_and_knows_neither_unit_nor_minimum_nor_order() -> None:
    generic = providers()[0]
    assert (generic.name, generic.kind, generic.match) == ("generic", "generic", "token")
    assert generic.unit == (1, 1)
    assert generic.minimum_for("whatever") == (0, 0)
    assert generic.orders == (("tools", "system", "messages"), ("system", "tools", "messages"))


def test_an_unknown_name_raises_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"'antropic'.*'anthropic'"):
        provider("antropic")


def test_what_no_source_states_has_no_upper_end() -> None:
    assert provider("gemini").unit == (1, UNBOUNDED)
    assert provider("xai").minimum_for("grok-4.7") == (0, UNBOUNDED)
    assert provider("deepseek").ttl is None
    assert provider("vllm").ttl == ()


@pytest.mark.parametrize(
    ("model", "minimum"),
    [
        ("claude-opus-5-5", (512, 512)),
        ("claude-opus-5", (512, 512)),
        ("claude-opus-5-20260701", (512, 512)),
        ("claude-sonnet-5", (1024, 1024)),
        ("claude-sonnet-5-5", (512, 512)),
        ("claude-opus-4-8", (1024, 1024)),
        ("claude-opus-4-7", (2048, 2048)),
        ("claude-opus-4-6", (4096, 4096)),
        ("claude-opus-4-5@20251101", (4096, 4096)),
        ("Claude-Haiku-4-5", (4096, 4096)),
        ("anthropic/claude-haiku-4.5", (4096, 4096)),
        ("claude-haiku-5-5", (512, 512)),
        # Not in the table: neither another minor version nor an older generation lends its figure.
        ("claude-opus-5-7", (512, 4096)),
        ("claude-sonnet-4-20250514", (512, 4096)),
        (None, (512, 4096)),
    ],
)
def test_anthropics_minimum_is_the_models(model: str | None, minimum: tuple[int, int]) -> None:
    assert provider("anthropic").minimum_for(model) == minimum


def test_bedrock_differs_where_its_sources_conflict() -> None:
    assert provider("bedrock").minimum_for("us.anthropic.claude-opus-4-7-v1:0") == (2048, 4096)
    assert provider("bedrock").minimum_for("anthropic.claude-sonnet-5-v1:0") == (1024, 1024)


def test_openai_before_5_6_holds_both_ends() -> None:
    of = provider("openai-5.5")
    assert (of.unit, of.minimum_for("gpt-5.5")) == ((128, 2048), (1024, 2048))


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-opus-5-5", "anthropic"),
        ("anthropic/claude-opus-4.5", "anthropic"),
        ("vertex_ai/claude-opus-4-5@20251101", "anthropic"),
        ("gpt-6.1-sol", "openai"),
        ("gpt-5.6-luna", "openai"),
        ("GPT-4o-mini", "openai-5.5"),
        ("gpt-5", "openai-5.5"),
        ("gpt-5-mini", "openai-5.5"),
        ("openai/o3", "openai-5.5"),
        ("azure/gpt-6-sol", "azure"),
        ("azure/gpt-5.4", "azure-5.5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock"),
        ("bedrock/anthropic.claude-opus-4-8", "bedrock"),
        ("amazon.nova-lite-v1:0", "bedrock-nova"),
        ("openai.gpt-5.6-sol", "bedrock-openai"),
        ("gemini-2.5-flash", "gemini"),
        ("models/gemini-3.5-flash", "gemini"),
        ("deepseek-chat", "deepseek"),
        ("MiniMax-M3", "minimax"),
        ("qwen3.8-max", "qwen"),
        ("openrouter/anthropic/claude-opus-5", "openrouter"),
        ("groq/openai/gpt-oss-120b", "groq"),
        ("ollama/qwen3:8b", "ollama"),
    ],
)
def test_a_models_name_tells_who_serves_it(model: str, name: str) -> None:
    found = provider_for_model(model)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("model", ["", "my-model", "Qwen/Qwen3-8B", "openai/gpt-oss-120b", "meta-llama/Llama-3.3-70B"])
def test_open_weights_do_not_tell_who_serves_them(model: str) -> None:
    assert provider_for_model(model) is None


@pytest.mark.parametrize(
    ("of", "model", "counter"),
    [
        ("anthropic", None, "claude-4.7"),
        ("anthropic", "claude-opus-4-7", "claude-4.7"),
        ("anthropic", "claude-opus-4-6", "claude"),
        ("anthropic", "claude-sonnet-4-20250514", "claude"),
        ("anthropic", "claude-3-5-haiku-latest", "claude"),
        ("bedrock", "us.anthropic.claude-sonnet-5-v1:0", "claude-4.7"),
        ("openrouter", "anthropic/claude-opus-4.5", "claude"),
        ("openai", "gpt-6-sol", "o200k_base"),
        ("openrouter", "openai/gpt-4.1", "o200k_base"),
        ("azure", "gpt-4-turbo", "cl100k_base"),
        ("vllm", "Qwen/Qwen3-8B", "qwen"),
        ("vllm", "openai/gpt-oss-20b", "o200k_base"),
        ("vllm", "meta-llama/Llama-3.3-70B-Instruct", "llama3"),
        ("vllm", "mistralai/Mistral-7B-Instruct-v0.3", "generic"),
        ("vllm", "somebody/model", "generic"),
        ("vllm", None, "generic"),
    ],
)
def test_a_model_is_counted_with_its_familys_tokens(of: str, model: str | None, counter: str) -> None:
    assert provider(of).counter_for(model) == counter


def test_horizons_go_from_narrow_to_wide_over_known_events() -> None:
    horizons = load_toml("horizons.toml")["horizon"]
    assert [horizon["name"] for horizon in horizons] == ["conversation", "user", "fleet", "tomorrow"]
    events = {horizon["name"]: set(horizon["events"]) for horizon in horizons}
    assert set().union(*events.values()) == {str(event) for event in Event} - {"deploy"}
    assert events["conversation"] < events["user"] < events["fleet"]
    assert events["user"] < events["tomorrow"]
    assert all(horizon["title"] for horizon in horizons)
