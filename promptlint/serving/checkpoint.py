"""A model from its own `config.json`, and its weights from the index beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from promptlint.serving.architectures import attention, parts_of
from promptlint.serving.fields import Fields
from promptlint.serving.models import Model, Weights
from promptlint.source import Source
from promptlint.toml_keys import ConfigError, error_at

_INDEX = "model.safetensors.index.json"
_LARGEST = 4 << 20
"""Bytes of a config.json that are read at most; real ones are some kilobytes."""


@dataclass(frozen=True, slots=True)
class Stated:
    """Parameters as the user states them; None where nothing is said."""

    total: float | None = None
    active: float | None = None


NOTHING: Final = Stated()


def read_checkpoint(path: Path, stated: Stated = NOTHING) -> Model:
    """The model that a `config.json`, or the folder that holds it, describes.

    Parameters are those that are stated, else the count in the index of the safetensors files beside it; a mixture
    of experts needs its active parameters stated. Without either the model has no weights.
    Raises ConfigError for a file that cannot be read, an architecture that is not known, a field that is missing.
    """
    path = path / "config.json" if path.is_dir() else path
    raw = _json(path)
    fields = Fields(str(path), raw)
    parts = parts_of(fields)
    folder = path.resolve().parent.name
    name = raw.get("_name_or_path") or folder or path.stem
    return Model(
        name=str(name),
        title=str(name),
        aliases=(),
        attention=attention(parts, fields),
        parts=parts,
        weights=_weights(path, fields, stated),
        source=str(path),
    )


def _json(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        said = (error.strerror or type(error).__name__).lower()
        raise ConfigError(f"{path}: the file cannot be read ({said}); name a model's config.json") from error
    if len(data) > _LARGEST:
        raise ConfigError(f"{path}: the file is larger than 4 MiB; name a model's config.json")
    source = Source(str(path), data.decode("utf-8", "replace"))
    try:
        value = json.loads(source.text)
    except json.JSONDecodeError as error:
        message = f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}; name a model's config.json"
        raise error_at(source, error.pos, message) from error
    except RecursionError as error:
        raise error_at(source, 0, "the values are nested too deeply; name a model's config.json") from error
    if not isinstance(value, dict):
        raise error_at(source, 0, "this is no JSON object; name a model's config.json")
    return value


def _weights(path: Path, fields: Fields, stated: Stated) -> Weights | None:
    experts = fields.experts()
    total = stated.total or _counted(path.with_name(_INDEX))
    if total is None:
        return None
    active = stated.active or (total if experts is None else None)
    if active is None:
        return None
    if active > total:
        raise ConfigError(f"{path}: more parameters are active than there are; state both in 10^9")
    return Weights(total, active, experts if active < total else None)


def _counted(index: Path) -> float | None:
    """Parameters that an index counts, or 16-bit numbers that fill its bytes; None where there is no index."""
    if not index.is_file():
        return None
    try:
        metadata = json.loads(index.read_bytes())["metadata"]
        return float(metadata.get("total_parameters") or metadata["total_size"] / 2)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigError(f"{index}: the index has no total size; remove it, or state the parameters") from error
