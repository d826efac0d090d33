"""The fields of a `config.json`, read strictly: a geometry is never guessed from a value of another type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptlint.toml_keys import ConfigError

_EXPERTS = ("num_local_experts", "n_routed_experts", "num_experts")
_CHOSEN = ("num_experts_per_tok", "num_experts_per_token", "top_k_experts")


@dataclass(frozen=True, slots=True)
class Fields:
    """A configuration and the path it is read from."""

    path: str
    raw: Mapping[str, Any]

    @property
    def text(self) -> Mapping[str, Any]:
        """What describes the language model: a model that also sees or hears has it in a table of its own."""
        nested = self.raw.get("text_config")
        return nested if isinstance(nested, dict) and nested.get("num_hidden_layers") is not None else self.raw

    @property
    def kind(self) -> str:
        """The model type, empty where none is given."""
        return str(self.text.get("model_type") or self.raw.get("model_type") or "").lower()

    def has(self, name: str) -> bool:
        """Whether the field is there and says something; null, false and 0 say nothing."""
        return bool(self.text.get(name))

    def number(self, name: str, *, least: int = 1) -> int:
        """A whole number. Raises ConfigError where it is missing, of another type or too small."""
        value = self.text.get(name)
        if value is None:
            raise self.error(f"the field {name!r} is missing; add it, the KV cache of {self.kind!r} depends on it")
        if type(value) is not int or value < least:
            raise self.error(f"the field {name!r} is {value!r}; write a whole number, {least} or more")
        return value

    def number_or(self, name: str, otherwise: int) -> int:
        """The same, `otherwise` where the field is missing; it may be as small as that."""
        return self.number(name, least=min(1, otherwise)) if self.text.get(name) is not None else otherwise

    def head_dim(self) -> int:
        """The width of a head: stated, else the hidden size over the query heads."""
        if self.text.get("head_dim") is not None:
            return self.number("head_dim")
        hidden, heads = self.number("hidden_size"), self.number("num_attention_heads")
        if hidden % heads:
            raise self.error(f"'hidden_size' {hidden} does not divide by {heads} heads; add 'head_dim'")
        return hidden // heads

    def kv_heads(self) -> int:
        """KV heads: stated, one where the configuration says multi-query, else as many as query heads."""
        for name in ("num_key_value_heads", "num_kv_heads"):
            if self.text.get(name) is not None:
                return self.number(name)
        return 1 if self.text.get("multi_query") is True else self.number("num_attention_heads")

    def layer_types(self, known: Collection[str]) -> Counter[str] | None:
        """How many layers there are of each type, None where the configuration lists none.

        Raises ConfigError for a list of another length, or a type that is not among `known`.
        """
        listed = self.text.get("layer_types")
        if listed is None:
            return None
        layers = self.number("num_hidden_layers")
        if not isinstance(listed, Sequence) or isinstance(listed, str) or len(listed) != layers:
            raise self.error(f"'layer_types' does not list {layers} layers; correct it")
        strange = sorted({str(kind) for kind in listed} - set(known))
        if strange:
            raise self.error(f"what layers of type {', '.join(map(repr, strange))} keep is not known for {self.kind!r}")
        return Counter(str(kind) for kind in listed)

    def experts(self) -> tuple[int, int] | None:
        """(chosen for a token, all routed experts), None for a dense model."""
        total = next((name for name in _EXPERTS if self.has(name)), None)
        chosen = next((name for name in _CHOSEN if self.has(name)), None)
        if total is None or chosen is None or self.number(total) <= self.number(chosen):
            return None
        return self.number(chosen), self.number(total)

    def error(self, message: str) -> ConfigError:
        return ConfigError(f"{self.path}:1:1: {message}")
