"""A DuckDB connection with limits: memory, threads, a temporary folder that is always removed, no network."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import duckdb
import numpy as np
import pyarrow
from numpy.typing import NDArray

from idbits.engines.base import Row
from idbits.errors import DataError, EngineError, InputError
from idbits.progress import Progress
from idbits.storage import TemporaryFolder

__all__ = ["DuckDBConnection", "identifier", "literal"]

# DuckDB's memory when idle: it refuses to go much lower.
_LITTLE = 200_000_000


def identifier(name: str) -> str:
    """Return a name as a quoted SQL identifier.

    >>> identifier('6" pipe')
    '"6"" pipe"'
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as a SQL literal.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


class DuckDBConnection:
    """Runs statements, shows progress, and translates DuckDB's errors into messages without cell values."""

    def __init__(self, memory: int | None, threads: int | None, progress: Progress, *, in_order: bool = False) -> None:
        self.memory = memory
        self.progress = progress
        self.in_order = in_order
        self._names = 0
        self.raw = duckdb.connect(":memory:")
        self._temporary = TemporaryFolder()
        self.folder = self._temporary.path
        settings = {
            "temp_directory": str(self.folder),
            "preserve_insertion_order": str(in_order).lower(),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "TimeZone": "UTC",
        }
        if memory is not None:
            settings["memory_limit"] = f"{memory}B"
        if threads is not None:
            settings["threads"] = str(threads)
        try:
            # From here on the folder is always removed: a signal may arrive during a slow start.
            self._temporary.make()
            for name, value in settings.items():
                self.raw.execute(f"SET {name} = {literal(value)}")
            # In a notebook, DuckDB rejects these settings without the package ipywidgets; then progress has no shares.
            with contextlib.suppress(duckdb.InvalidInputException):
                self.raw.execute("SET enable_progress_bar = true")
                self.raw.execute("SET enable_progress_bar_print = false")
        except duckdb.Error as error:
            self.close()
            raise InputError("the engine rejects this value of --memory or --threads; give a smaller one") from error
        except BaseException:
            self.close()
            raise

    def give_back_memory(self) -> None:
        """Free what DuckDB keeps for later queries; if memory is limited, also move tables to the temporary folder."""
        if self.memory is None:
            # Whenever the limit is set, DuckDB returns the memory that it does not use to the system.
            self.raw.execute("RESET memory_limit")
            return
        with contextlib.suppress(duckdb.Error):
            self.raw.execute(f"SET memory_limit = '{min(self.memory, _LITTLE)}B'")
        self.raw.execute(f"SET memory_limit = '{self.memory}B'")

    def close(self) -> None:
        """Close the connection and remove its temporary folder."""
        self.raw.close()
        self._temporary.remove()

    def new_name(self, what: str) -> str:
        """Return an unused table name."""
        self._names += 1
        return f"idbits_{what}_{self._names}"

    def run(self, sql: str, label: str = "counting") -> None:
        """Run a statement."""
        self._execute(sql, label)

    def rows(self, sql: str, label: str = "counting") -> list[Row]:
        """Run a query and return its rows."""
        with self._errors():
            return self._execute(sql, label).fetchall()

    def counts(self, sql: str, label: str = "counting") -> tuple[int, ...]:
        """Run a query and return its only row as whole numbers."""
        return tuple(map(int, self.rows(sql, label)[0]))

    def column(self, sql: str, name: str, label: str = "counting") -> NDArray[np.generic]:
        """Run a query and return one column without nulls as an array."""
        with self._errors():
            found: NDArray[np.generic] = self._execute(sql, label).fetchnumpy()[name]
        # A column that may have nulls comes with a mask; numpy.ma takes long to import.
        return getattr(found, "_data", found)

    def arrow(self, sql: str, label: str = "counting") -> pyarrow.Table:
        """Run a query and return its rows as an Arrow table."""
        with self.progress.step(label, self._fraction), self._errors():
            return self.raw.sql(sql).to_arrow_table()

    def batches(self, sql: str, n_rows: int = 1 << 20) -> Iterator[pyarrow.RecordBatch]:
        """Run a query and yield its rows in batches; a thread reads the next batch during the work on one.

        No other query may run on the connection before the last batch.
        """
        with self._errors():
            relation = self.raw.sql(sql)
            # DuckDB before 1.5 only has the older name.
            open_reader = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
            reader = open_reader(n_rows)
        with ThreadPoolExecutor(1, thread_name_prefix="idbits-reader") as pool:
            following = pool.submit(self._next_batch, reader)
            try:
                while (batch := following.result()) is not None:
                    following = pool.submit(self._next_batch, reader)
                    yield batch
            except BaseException:
                # Nobody waits for the batch that is being read; the connection may be closed already.
                with contextlib.suppress(duckdb.Error):
                    self.raw.interrupt()
                raise

    def _next_batch(self, reader: pyarrow.RecordBatchReader) -> pyarrow.RecordBatch | None:
        with self._errors():
            try:
                return reader.read_next_batch()
            except StopIteration:
                return None
            except pyarrow.ArrowException as error:
                if "interrupt" in str(error).lower():
                    raise KeyboardInterrupt from error
                raise EngineError(
                    "the engine failed while reading the rows; allow more memory with --memory"
                ) from error

    def _execute(self, sql: str, label: str) -> duckdb.DuckDBPyConnection:
        with self.progress.step(label, self._fraction), self._errors():
            return self.raw.execute(sql)

    def _fraction(self) -> float | None:
        percent = self.raw.query_progress()
        return percent / 100 if percent >= 0 else None

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except duckdb.OutOfMemoryException as error:
            raise EngineError(
                "the memory or the temporary disk space does not suffice; allow more with --memory "
                "or free space in the temporary folder (TMPDIR)"
            ) from error
        except duckdb.IOException as error:
            if "No space left" in str(error) or "space" in str(error).lower():
                raise EngineError(
                    "the temporary folder is full; free space there or name another folder with TMPDIR"
                ) from error
            raise DataError(
                "the file cannot be read: it is damaged or incomplete, or it changed during reading"
            ) from error
        except duckdb.InvalidInputException as error:
            raise DataError(
                "the file cannot be read: it is damaged, or not in the format that its name suggests"
            ) from error
        except duckdb.Error as error:
            raise EngineError(f"the engine failed ({type(error).__name__})") from error
        except RuntimeError as error:
            # DuckDB raises a RuntimeError on Ctrl-C.
            if "interrupt" in str(error).lower():
                raise KeyboardInterrupt from error
            raise
