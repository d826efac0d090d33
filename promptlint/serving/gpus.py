"""GPUs: memory, bandwidth, compute (`rules/data/gpus.toml`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from promptlint.data import load_toml, unknown


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU's peak figures: bytes, bytes per second, dense bf16 floating point operations per second."""

    name: str
    title: str
    aliases: tuple[str, ...]
    memory: float
    bandwidth: float
    flops: float


@cache
def gpus() -> tuple[Gpu, ...]:
    """All GPUs, in the order of the table."""
    return tuple(
        Gpu(
            name=row["name"],
            title=row["title"],
            aliases=tuple(row.get("aliases", ())),
            memory=row["memory_gb"] * 1e9,
            bandwidth=row["bandwidth_gb_s"] * 1e9,
            flops=row["bf16_dense_tflops"] * 1e12,
        )
        for row in load_toml("gpus.toml")["gpu"]
    )


def gpu(name: str) -> Gpu:
    """The GPU of that name or alias, letter case apart. Raises UnknownNameError with the nearest one."""
    known = {alias: row for row in gpus() for alias in (row.name, row.title.lower(), *row.aliases)}
    found = known.get(name.strip().lower())
    if found is None:
        raise unknown("GPU", name, (row.name for row in gpus()))
    return found


def usable_share() -> float:
    """The share of a GPU's memory that an engine takes by default."""
    share: float = load_toml("gpus.toml")["usable"]["share"]
    return share
