"""The JSON Schema of the configuration says what the loader takes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from promptlint.config import ConfigError, load_config
from promptlint.config.rule_names import SUPPRESS_KEYS
from promptlint.config.schema import FILE, schema
from promptlint.config.table import SETTINGS
from promptlint.config.values import SURROUNDINGS
from promptlint.layout.horizons import horizons

SCHEMA = json.loads(schema())
VALIDATOR = Draft7Validator(SCHEMA)


def test_the_shipped_file_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == schema(), "write it with promptlint.config.schema.schema()"


def test_it_is_a_schema_with_the_loaders_keys() -> None:
    Draft7Validator.check_schema(SCHEMA)
    properties = SCHEMA["properties"]
    assert list(properties) == list(SETTINGS)
    assert set(properties["request"]["properties"]) == set(SURROUNDINGS)
    assert set(properties["suppress"]["items"]["properties"]) == set(SUPPRESS_KEYS)
    assert properties["horizon"]["enum"] == [known.name for known in horizons()]


@pytest.mark.parametrize("key", SETTINGS)
def test_examples_are_valid_for_both(key: str, tmp_path: Path) -> None:
    (tmp_path / "lint" / "rules").mkdir(parents=True)
    (tmp_path / "promptlint.toml").touch()
    (tmp_path / "inner").mkdir()
    example = SETTINGS[key].example.replace("lint/rules", "../lint/rules")
    VALIDATOR.validate(tomllib.loads(example))
    (tmp_path / "inner" / "promptlint.toml").write_text(example, encoding="utf-8")
    assert load_config(tmp_path / "inner").path == tmp_path / "inner" / "promptlint.toml"


@pytest.mark.parametrize(
    "text",
    [
        "horizn = 'user'",
        "horizon = 'tomorow'",
        "model = ''",
        "ignore-below = -1",
        "ignore-below = 'x'",
        "dialect = 'jnja'",
        "dialects = 3",
        "include = 'x'",
        "[request]\ntool = 3",
        "[values]\nx = 'daily'",
        "[values]\nx = []",
        "select = 'all'",
        "[severity]\nclock-in-prefix = 'off'",
        "[per-file-ignores]\nx = 'all'",
        "[[suppress]]\npath = 'a'",
        "[[suppress]]\npath = 'a'\nrule = 'clock-in-prefix'\nline = '3'",
        "require-reason = 1",
        "baseline = 3",
        "rule-dirs = 'x'",
        "extend = 3",
    ],
)
def test_both_refuse_the_same(text: str, tmp_path: Path) -> None:
    assert not VALIDATOR.is_valid(tomllib.loads(text))
    (tmp_path / "promptlint.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError):
        load_config(tmp_path)


@pytest.mark.parametrize("text", ["[values]\nuser.id = ['user', 'tenant']\nx = 'constant'", "[sizes]\na.b = 3", ""])
def test_both_take_the_same(text: str, tmp_path: Path) -> None:
    VALIDATOR.validate(tomllib.loads(text))
    (tmp_path / "promptlint.toml").write_text(text, encoding="utf-8")
    load_config(tmp_path)
