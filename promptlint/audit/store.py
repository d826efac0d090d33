"""The columns of a log under DuckDB: what does not fit in memory lies in a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from promptlint.audit.rules import Rules, Wanted, rules_of
from promptlint.replay.policy import FOREVER

_ENDLESS = 1e300
"""FOREVER as a number that a window's frame takes."""


class Store:
    """Requests in the order of their times, each with a number `rid`; repeated ids are left out.

    Tables: `log` (the Parquet files), `ranks` (part, nth -> rid), `policies` (provider, model -> figures).
    """

    def __init__(self, folder: Path, files: Sequence[Path], wanted: Wanted, memory: int, threads: int) -> None:
        import duckdb

        self._connection = duckdb.connect()  # its tables spill to the folder like everything else
        for name, value in (("memory_limit", f"{memory}MB"), ("temp_directory", str(folder)), ("threads", threads)):
            self._connection.execute(f"SET {name} = ?", [value])
        self._connection.execute("SET preserve_insertion_order = false")
        names = ", ".join(_quoted(str(file)) for file in files)
        self._connection.execute(f"CREATE VIEW log AS SELECT * FROM read_parquet([{names}])")
        self._connection.execute("""
            CREATE TABLE ranks AS
            WITH once AS (
                SELECT part, nth, coalesce(time, 0) AS time FROM log
                QUALIFY id = 0 OR row_number() OVER (PARTITION BY id ORDER BY part, nth) = 1
            )
            SELECT part, nth, row_number() OVER (ORDER BY time, part, nth) AS rid FROM once""")
        self.rules: dict[tuple[str, str], Rules] = {
            (provider, model): rules_of(provider, model, wanted)
            for provider, model in self.all("SELECT DISTINCT provider, model FROM log ORDER BY ALL")
        }
        self._connection.execute(
            "CREATE TABLE policies (provider VARCHAR, model VARCHAR, unit BIGINT, minimum BIGINT, ttl DOUBLE, "
            "plain BOOLEAN)"
        )
        for (provider, model), rules in self.rules.items():
            policy = rules.policy
            ttl = _ENDLESS if policy.ttl == FOREVER else policy.ttl
            plain = bool(policy.unit) and policy.ttl_from == "use" and not policy.capacity
            row = [provider, model, policy.unit, policy.minimum, ttl, plain]
            self._connection.execute("INSERT INTO policies VALUES (?, ?, ?, ?, ?, ?)", row)

    def alternative(self, path: Path, who: tuple[str, str], ttl: float) -> None:
        """One model's requests, those in a file in the place of what was sent: view `alternative`, and table
        `otherwise` for `policies`; entries live `ttl` seconds, 0 as before."""
        changed, (name, model) = f"read_parquet({_quoted(str(path))})", map(_quoted, who)
        self._connection.execute(f"""
            CREATE OR REPLACE VIEW alternative AS
            SELECT * FROM {changed} UNION ALL
            SELECT log.* FROM log ANTI JOIN {changed} USING (part, nth) WHERE provider = {name} AND model = {model}""")
        self._connection.execute(
            """
            CREATE OR REPLACE TABLE otherwise AS
            SELECT provider, model, unit, minimum, if(? > 0, ?, ttl) AS ttl, plain FROM policies
            WHERE provider = ? AND model = ?""",
            [ttl, ttl, *who],
        )

    def execute(self, query: str, *values: Any) -> None:
        self._connection.execute(query, list(values))

    def all(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of a query that has few."""
        rows: list[tuple[Any, ...]] = self._connection.execute(query, list(values)).fetchall()
        return rows

    def stream(
        self, query: str, values: Mapping[str, Any] | None = None, batch: int = 512
    ) -> Iterator[dict[str, list[Any]]]:
        """The rows of a query in batches of columns, on a cursor of their own."""
        cursor = self._connection.cursor()
        yield from cursor.sql(query, params=dict(values or {})).to_arrow_reader(batch)

    def append(self, table: str, columns: dict[str, Any]) -> None:
        """Rows behind those of a table, in the order of its columns."""
        import pyarrow

        rows = pyarrow.table(columns)
        self._connection.register("incoming", rows)
        self._connection.execute(f"INSERT INTO {table} SELECT * FROM incoming")
        self._connection.unregister("incoming")

    def close(self) -> None:
        self._connection.close()


@contextmanager
def opened(folder: Path, files: Sequence[Path], wanted: Wanted, memory: int, threads: int) -> Iterator[Store]:
    """A store that is closed at the end."""
    store = Store(folder, files, wanted, memory, threads)
    try:
        yield store
    finally:
        store.close()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
