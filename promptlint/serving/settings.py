"""From what the user says about serving to a workload."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from promptlint.served import Serving
from promptlint.serving.checkpoint import Stated, read_checkpoint
from promptlint.serving.gpus import gpu
from promptlint.serving.models import Model, Weights, model
from promptlint.serving.workload import Workload
from promptlint.toml_keys import ConfigError


def named(given: str, serving: Serving | None) -> Serving:
    """What is served when a model is named beside what is stated: a path of a config.json or its folder, or a name."""
    path = Path(given)
    one, other = (None, path) if path.suffix == ".json" or path.exists() else (given, None)
    return replace(serving or Serving(), model=one, config=other, params=None, active_params=None)


@lru_cache(maxsize=64)
def workload(serving: Serving) -> Workload:
    """One request of one token of the model that is served.

    Raises ConfigError where no model is named or its config.json cannot be used, UnknownNameError for a name.
    """
    gpus = serving.gpus or 1
    return Workload(
        model=_model(serving),
        tokens=1,
        batch=1,
        kv_dtype=serving.kv_dtype or "fp16",
        weight_dtype=serving.weight_dtype or "bf16",
        gpu=gpu(serving.gpu) if serving.gpu is not None else None,
        gpus=gpus,
        ranks=gpus,
    )


def _model(serving: Serving) -> Model:
    stated = Stated(_numbers(serving.params), _numbers(serving.active_params))
    if serving.config is not None:
        return read_checkpoint(serving.config, stated)
    if serving.model is None:
        raise ConfigError("no model is named for [serving]; add model = 'llama-3-70b', or config = 'path/config.json'")
    found = model(serving.model)
    if stated.total is None:
        return found
    active = stated.active or (stated.total if found.weights is None or not found.weights.experts else None)
    if active is None or active > stated.total:
        raise ConfigError(f"{found.title}: state the active parameters as well, not more than there are")
    experts = found.weights.experts if found.weights is not None and active < stated.total else None
    return replace(found, weights=Weights(stated.total, active, experts))


def _numbers(billions: float | None) -> float | None:
    return None if billions is None else billions * 1e9
