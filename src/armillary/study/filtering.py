"""Rows by DuckDB expressions over the columns of one table, for as long as somebody wants the answer.

The database sees this one table and nothing else: no file, no network and no setting can be reached from an
expression, and nothing is written beside it. An expression may run for ever all the same, so it can be stopped.
"""

from __future__ import annotations

import difflib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from armillary.errors import UsageError

if TYPE_CHECKING:
    import duckdb

Wanted = Callable[[], bool]

_LOOK = 0.1  # seconds between looks at whether the answer is still wanted
_CLOSED = ("python_enable_replacements = false", "enable_external_access = false", "lock_configuration = true")


def ids_where(table: pa.Table, where: str | None, sort: str | None, wanted: Wanted | None) -> pa.ChunkedArray:
    """The column `id` of the rows that pass `where`, in the order of `sort` and then of id.

    UsageError where an expression is none, naming the columns there are, and where it was `wanted` no more.
    """
    import duckdb

    with duckdb.connect(":memory:", config={"threads": 2, "temp_directory": ""}) as connection:
        relation = connection.from_arrow(table)
        for setting in _CLOSED:
            connection.execute(f"SET {setting}")
        try:
            with _watched(connection, wanted):
                relation = relation.filter(where) if where else relation
                relation = relation.order(f"{sort}, id" if sort else "id")
                return relation.project("id").to_arrow_table().column("id")
        except duckdb.InterruptException as error:
            raise UsageError(
                "expected a DuckDB expression that ends in time, found one that had to be stopped",
                "compare columns with numbers or texts, without a subquery",
            ) from error
        except duckdb.Error as error:
            raise _refused(str(error), f"{where or ''} {sort or ''}".strip(), table.column_names) from error


def _refused(said: str, asked: str, columns: Sequence[str]) -> UsageError:
    """What DuckDB says of an expression, as one line, and the columns: the nearest to one that is not there first."""
    absent = re.search(r'Referenced column "(.+?)" not found', said)
    if absent:
        near = difflib.get_close_matches(absent[1].lower(), columns, 1)
        return UsageError(f"expected a column of the tokens in {asked!r}, found {absent[1]}", _named(columns, near))
    spaced = [name for name in columns if "_" in name and name.replace("_", " ") in asked.lower()]
    why = " ".join(re.split(r"\n\n|\nLINE ", said)[0].split()).split(" Error: ", 1)[-1]
    return UsageError(f"expected a DuckDB expression, found {asked!r}: {why}", _named(columns, spaced))


def _named(columns: Sequence[str], meant: Sequence[str]) -> str:
    names = ", ".join(columns)
    return f"did you mean {meant[0]}? columns are {names}" if meant else f"columns are {names}"


@contextmanager
def _watched(connection: duckdb.DuckDBPyConnection, wanted: Wanted | None) -> Iterator[None]:
    """Interrupt what runs on the connection once it is wanted no more; again at every look, for one may come too early."""
    if wanted is None:
        yield
        return
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_LOOK):
            if not wanted():
                connection.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
