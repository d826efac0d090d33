"""The models whose geometry is known (`rules/data/models.toml`), and what a decode step reads of their weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from promptlint.data import load_toml, unknown
from promptlint.serving.geometry import Part, part


@dataclass(frozen=True, slots=True)
class Weights:
    """How many parameters there are, and how many work on one token; `experts` are (chosen per token, all routed)."""

    total: float
    active: float
    experts: tuple[int, int] | None = None

    def read(self, batch: int) -> float:
        """Parameters that a decode step of so many requests reads.

        Of a mixture of experts it is what the requests' experts hold together, expected over a uniform choice:
        an expert is left alone by all of them with probability (1 - chosen / experts) ^ batch.
        """
        if self.experts is None:
            return self.active
        chosen, experts = self.experts
        share = chosen / experts
        routed = (self.total - self.active) / (1 - share)
        return self.total - routed * (1 - share) ** batch


@dataclass(frozen=True, slots=True)
class Model:
    """A model's geometry. `weights` is None where the parameters are not known; `source` says who states it all."""

    name: str
    title: str
    aliases: tuple[str, ...]
    attention: str
    parts: tuple[Part, ...]
    weights: Weights | None
    source: str

    @property
    def resumes_anywhere(self) -> bool:
        """Whether a prefix can be reused up to any token. A state or a window must have been saved at that place."""
        return all(part.grows for part in self.parts)

    def kept(self, tokens: int, kv_bits: int, ranks: int = 1) -> float:
        """Bytes kept of a sequence on all ranks."""
        return sum(part.kept(tokens, kv_bits) * part.copies(ranks) for part in self.parts)

    def read(self, tokens: int, kv_bits: int, ranks: int = 1) -> float:
        """Bytes that one decode step reads of a sequence on all ranks."""
        return sum(part.read(tokens, kv_bits) * part.copies(ranks) for part in self.parts)

    def growth(self, kv_bits: int, ranks: int = 1) -> float:
        """Bytes that each further token adds to a long sequence, on all ranks."""
        return sum(part.per_token(kv_bits) * part.copies(ranks) for part in self.parts if part.grows)

    def read_growth(self, kv_bits: int, ranks: int = 1) -> float:
        """Bytes that each further token of a long sequence adds to what a decode step reads, on all ranks."""
        return sum(part.per_token(kv_bits) * part.copies(ranks) for part in self.parts if part.reads_grow)

    def written(self, kv_bits: int) -> float:
        """Bytes that are computed for one token, those that a window will drop again included, one copy."""
        return sum(part.per_token(kv_bits) for part in self.parts)

    def constant(self, kv_bits: int) -> int:
        """Bytes of a long sequence that do not grow any more: full windows and states, one copy."""
        return sum(part.kept(part.window or 1, kv_bits) for part in self.parts if not part.grows)


@cache
def models() -> tuple[Model, ...]:
    """All models, in the order of the table."""
    table = load_toml("models.toml")
    return tuple(_model(row, table["sources"]) for row in table["model"])


def model(name: str) -> Model:
    """The model of that name or alias, letter case apart. Raises UnknownNameError with the nearest one."""
    known = {alias: row for row in models() for alias in (row.name, row.title.lower(), *row.aliases)}
    found = known.get(name.strip().lower())
    if found is None:
        raise unknown("model", name, (row.name for row in models()))
    return found


def _model(row: Mapping[str, Any], sources: Mapping[str, Mapping[str, Any]]) -> Model:
    return Model(
        name=row["name"],
        title=row["title"],
        aliases=tuple(alias.lower() for alias in row.get("aliases", ())),
        attention=row["attention"],
        parts=tuple(part(piece) for piece in row["parts"]),
        weights=_weights(row),
        source=", ".join(sources[name]["title"] for name in row["sources"]),
    )


def _weights(row: Mapping[str, Any]) -> Weights | None:
    if "params_b" not in row:
        return None
    experts = row.get("experts")
    return Weights(row["params_b"] * 1e9, row["active_params_b"] * 1e9, tuple(experts) if experts else None)
