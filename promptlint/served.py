"""What the configuration says about the model that is served, and the machine that serves it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from promptlint.data import load_toml, unknown
from promptlint.toml_keys import Entry, one_of, string

DTYPES = ("fp16", "bf16", "fp8", "int8", "int4")


@dataclass(frozen=True, slots=True)
class Serving:
    """The model that is served and what it runs on; None where nothing is stated.

    `model` is a name of the table, `config` a config.json or its folder. Parameters are in 10^9.
    """

    model: str | None = None
    config: Path | None = None
    params: float | None = None
    active_params: float | None = None
    kv_dtype: str | None = None
    weight_dtype: str | None = None
    gpu: str | None = None
    gpus: int | None = None


def read_serving(entry: Entry) -> Serving:
    """What the table [serving] says. Raises ConfigError at the key that is wrong."""
    said = {key.replace("-", "_"): KEYS[key](item) for key, item in entry.entries(KEYS, "key of [serving]")}
    if "model" in said and "config" in said:
        raise entry.error("[serving] names a model and a config.json; keep one of the two")
    return Serving(**said)


def _named(file: str, kind: str, example: str) -> Callable[[Entry], str]:
    """Reads a name of a table's rows, or an alias."""

    def read(entry: Entry) -> str:
        rows = load_toml(file)[kind.lower()]
        known = [name.lower() for row in rows for name in (row["name"], row["title"], *row.get("aliases", ()))]
        given = string(entry, example)
        if given.strip().lower() not in known:
            raise entry.error(str(unknown(kind, given, (row["name"] for row in rows))))
        return given

    return read


def _config_json(entry: Entry) -> Path:
    """A path, from the folder of the configuration on."""
    return Path(entry.source.path).parent / string(entry, "models/served/config.json")


def _billions(entry: Entry) -> float:
    if type(entry.value) not in (int, float) or not 0 < entry.value < 1e6:
        raise entry.error(f"{entry.name!r} is no number of 10^9 parameters; write one, such as 70.6")
    return float(entry.value)


def _gpus(entry: Entry) -> int:
    if type(entry.value) is not int or not 0 < entry.value <= 4096:
        raise entry.error(f"{entry.name!r} is no number of GPUs; write a whole number, 1 to 4096")
    return entry.value


def _dtype(entry: Entry) -> str:
    return one_of(entry, "type", DTYPES, "fp16")


KEYS: Mapping[str, Callable[[Entry], Any]] = {
    "model": _named("models.toml", "model", "llama-3-70b"),
    "config": _config_json,
    "params": _billions,
    "active-params": _billions,
    "kv-dtype": _dtype,
    "weight-dtype": _dtype,
    "gpu": _named("gpus.toml", "GPU", "h100"),
    "gpus": _gpus,
}
