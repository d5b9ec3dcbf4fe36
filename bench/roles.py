"""What does judging the roles of columns cost? ``inspect`` with and without it, in one run, in CPU seconds.

    python bench/roles.py [--rows 1000000]

Without the judgement means as before there was one: every column is loaded and profiled, but no shape of a value is
counted and no column is judged. Times are the best of three.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.parquet

import idbits
from idbits.studies.shared.roles.evidence import Role
from idbits.studies.shared.roles.judgement import RoleJudgement
from idbits.values.value_shapes import ShapeCounts
from rows import add_json_option, at_most, record
from timing import best_of

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
LIMIT = 1.5


def visits(rows: int) -> pyarrow.Table:
    """Return visits of a tenth as many patients, with names, dates, codes and amounts."""
    draw = np.random.default_rng(1)
    patient = draw.integers(0, max(1, rows // 10), rows)
    days = np.datetime64("2015-01-01") + draw.integers(0, 2000, rows)
    return pyarrow.table(
        {
            "visit_id": np.arange(rows),
            "patient_id": patient + 10**7,
            "surname": np.char.add("Name", (patient % 30_000).astype("U6")),
            "birth_date": np.datetime64("1930-01-01") + (patient * 37) % 30_000,
            "sex": np.where(patient % 2, "F", "M"),
            "postcode": np.char.add("X", (patient % 3000).astype("U4")),
            "admitted": days.astype("datetime64[s]"),
            "diagnosis": np.char.add("D", (draw.zipf(1.5, rows) % 900).astype("U3")),
            "cost": np.round(draw.lognormal(7, 1, rows), 2),
            "ward": draw.integers(1, 40, rows),
        }
    )


def wide(rows: int, columns: int) -> pyarrow.Table:
    """Return a table of many columns of few values."""
    draw = np.random.default_rng(2)
    return pyarrow.table({f"answer_{number}": draw.integers(0, 9, rows) for number in range(columns)})


@contextmanager
def no_judgement() -> Iterator[None]:
    """Take the judgement out of ``inspect``."""

    def no_shapes(_connection: object, _rows: str, columns: Sequence[int]) -> dict[int, ShapeCounts]:
        return {column: ShapeCounts(0, {}) for column in columns}

    def any_role(table: object, _options: object, profiles: dict[str, object]) -> tuple[RoleJudgement, ...]:
        kinds = table.columns  # type: ignore[attr-defined]
        return tuple(RoleJudgement(name, kinds[name], Role.QUASI, 0.5, ("not judged",)) for name in profiles)

    with (
        mock.patch("idbits.engines.duckdb.profiles._shapes", no_shapes),
        mock.patch("idbits.studies.shared.roles.report.judge_profiles", any_role),
    ):
        yield


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def compare(title: str, work: Callable[[], object]) -> None:
    """Print the CPU seconds of ``inspect`` with and without the judgement."""
    with no_judgement():
        without, _ = best_of(3, work, cpu)
    with_judgement, _ = best_of(3, work, cpu)
    ratio = with_judgement / without
    word = "within" if ratio <= LIMIT else "ABOVE"
    print(f"{title:34} {without:8.2f} s  {with_judgement:8.2f} s  {ratio:5.2f} times ({word} {LIMIT})")
    record(
        f"roles.{title.partition(',')[0].replace('.', '_')}", f"`inspect`, {title}", with_judgement, "s CPU",
        peer="`inspect` without judging roles", theirs=without, goals=[at_most(LIMIT, "ratio")],
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    add_json_option(parser)
    rows = parser.parse_args().rows
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(f"{'inspect, CPU seconds':34} {'without':>10}  {'with':>10}")
    for name, table in {"visits": visits(rows), "wide": wide(max(1, rows // 1000), 500)}.items():
        parquet, csv = FOLDER / f"{name}.parquet", FOLDER / f"{name}.csv"
        pyarrow.parquet.write_table(table, parquet)
        pyarrow.csv.write_csv(table, csv)
        for path in (csv, parquet):
            shape = f"{path.name}, {table.num_rows:,} x {table.num_columns}"
            compare(shape, lambda path=path: idbits.inspect(path))  # type: ignore[misc]


if __name__ == "__main__":
    main()
