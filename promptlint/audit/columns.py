"""A log as columns: one row for each request, hashes in place of its text. This is what an export holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet

_INTS, _LIST = pyarrow.int64(), pyarrow.list_(pyarrow.int64())
SCHEMA = pyarrow.schema(
    [
        ("part", pyarrow.int32()),
        ("nth", _INTS),
        ("line", _INTS),
        ("id", _INTS),
        ("time", pyarrow.float64()),
        ("provider", pyarrow.string()),
        ("model", pyarrow.string()),
        ("pool", _INTS),
        ("route", _INTS),
        ("conversation", _INTS),
        ("total", _INTS),
        ("read", _INTS),
        ("write", _INTS),
        ("tokens", _INTS),
        ("keys", _LIST),
        ("tails", _LIST),
        ("fields", pyarrow.list_(pyarrow.int8())),
        ("paths", pyarrow.list_(pyarrow.string())),
        ("chain", _LIST),
        ("ends", _LIST),
        ("positions", _LIST),
        ("marks", _LIST),
        ("lives", pyarrow.list_(pyarrow.float64())),
        ("blocks", _LIST),
    ]
)
"""`part` and `nth` number the requests in the order of the files. `id`, `pool`, `route` and `conversation` are hashes,
0 where there is none. `total`, `read` and `write` are what the response says. By piece: `keys` tell its text from
others, `tails` its end, `fields` number its field, `chain` is the hash of the prefix that ends with it and `ends` that
prefix' tokens. `marks` are pieces behind which an entry is asked for, `lives` its seconds. `blocks` are hashes of the
full blocks."""

_REPEATED = ["provider", "model", "paths.list.element"]

_AT_ONCE = 2_000_000
"""Values of all lists that are held before they are written."""


@dataclass(slots=True)
class Row:
    """One request; the fields are those of SCHEMA."""

    part: int
    nth: int
    line: int
    id: int
    time: float | None
    provider: str
    model: str
    pool: int
    route: int
    conversation: int
    total: int | None
    read: int | None
    write: int | None
    tokens: int
    keys: Any
    tails: Any
    fields: Any
    paths: Sequence[str]
    chain: Any
    ends: Any
    positions: Any
    marks: Any
    lives: Any
    blocks: Any


class Columns:
    """Rows on their way to a Parquet file, which is whole after `close`."""

    def __init__(self, path: Path) -> None:
        # Most values are hashes: compressing them, or looking for those that repeat, takes longer than writing them.
        self._writer = pyarrow.parquet.ParquetWriter(path, SCHEMA, compression="none", use_dictionary=_REPEATED)
        self._rows: list[Row] = []
        self._held = 0

    def add(self, row: Row) -> None:
        self._rows.append(row)
        self._held += len(row.blocks) + 6 * len(row.keys) + 20
        if self._held >= _AT_ONCE:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            arrays = [self._array(field) for field in SCHEMA]
            self._writer.write_table(pyarrow.Table.from_arrays(arrays, schema=SCHEMA))
        self._rows, self._held = [], 0

    def _array(self, field: Any) -> Any:
        values = [getattr(row, field.name) for row in self._rows]
        if not pyarrow.types.is_list(field.type):
            return pyarrow.array(values, field.type)
        offsets = np.zeros(len(values) + 1, np.int32)
        np.cumsum([len(value) for value in values], out=offsets[1:])
        inner = field.type.value_type
        if inner == pyarrow.string():
            flat = pyarrow.array([path for value in values for path in value], inner)
        else:
            kinds = {pyarrow.int8(): np.int8, pyarrow.float64(): np.float64}
            arrays = [np.asarray(value, kinds.get(inner, np.int64)) for value in values]
            flat = pyarrow.array(np.concatenate(arrays), inner)
        return pyarrow.ListArray.from_arrays(offsets, flat)
