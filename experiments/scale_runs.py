"""One run of one question on Spark, and what it cost by Spark's own account.

The people are made up: birthdate (37,000 values), zip (100), sex (2) and children (5), drawn independently. Larger tables
have the people of smaller ones and more.
"""

from __future__ import annotations

import resource
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import spark_costs  # noqa: E402 (a folder of scripts)
from spark import gain_sql  # noqa: E402

__all__ = ["FILE_ROWS", "GROUPS", "run", "start"]

FINE = ["birthdate", "zip", "sex", "children"]
GROUPS = {
    "spectrum": {"fine": FINE[:3], "coarse": ["birthdate:year", *FINE[1:3]]},
    "subsets": {"fine": FINE, "coarse": ["birthdate:year", *FINE[1:]]},
}
GROUPS["gain"] = GROUPS["records"] = GROUPS["subsets"]
WIDE_COLUMNS = 400
GROUPS["measure"] = {
    f"wide{number}": [f"c{index}" for index in range(number)] for number in (10, 25, 50, 100, 200, 300, WIDE_COLUMNS)
}
FILE_ROWS = 5_000_000
MASTER = "local[2]"
SQL = {
    "spectrum": "SELECT people, count(*) FROM (SELECT count(*) AS people FROM people GROUP BY birthdate, zip, sex) "
    "GROUP BY people",
    "subsets": "SELECT subset, people, count(*) FROM (SELECT grouping_id() AS subset, count(*) AS people FROM people "
    "GROUP BY CUBE (birthdate, zip, sex, children)) GROUP BY subset, people",
    "gain": gain_sql(),
}


def people_files(session: Any, folder: Path, rows: int) -> list[str]:
    """Return files of people, at most five million in each; those that are missing are drawn."""
    if rows < FILE_ROWS:
        small = folder / f"people-{rows}"
        if not (small / "_SUCCESS").exists():
            people(session, 0, rows, 2).write.mode("overwrite").parquet(str(small))
        return [str(small)]
    files = [folder / f"file-{number:03}.parquet" for number in range(rows // FILE_ROWS)]
    missing = [number for number, file in enumerate(files) if not file.exists()]
    if missing:
        # Only the last files can be missing: they are written in this order.
        first, drawn = missing[0], folder / "drawn"
        frame = people(session, first * FILE_ROWS, rows, len(missing))
        frame.write.mode("overwrite").parquet(str(drawn))
        for file, part in zip(files[first:], sorted(drawn.glob("part-*")), strict=True):
            part.rename(file)
    return [str(file) for file in files]


def people(session: Any, first: int, end: int, parts: int) -> Any:
    """Return made-up people with some numbers, the same in every run."""
    from pyspark.sql import functions as F  # noqa: N812

    draw = [F.xxhash64("id", F.lit(seed)) for seed in (1, 2, 3, 6)]
    return session.spark.range(first, end, 1, parts).select(
        F.date_add(F.lit("1910-01-01").cast("date"), F.pmod(draw[0], F.lit(37_000)).cast("int")).alias("birthdate"),
        F.lpad(F.pmod(draw[1], F.lit(100)).cast("string"), 2, "0").alias("zip"),
        F.when(F.pmod(draw[2], F.lit(2)) == 0, "F").otherwise("M").alias("sex"),
        F.pmod(draw[3], F.lit(5)).alias("children"),
    )


def make_wide(session: Any, folder: Path, rows: int) -> None:
    """Write 400 columns of twenty values."""
    from pyspark.sql import functions as F  # noqa: N812

    target = folder / f"wide-{rows}"
    if not (target / "_SUCCESS").exists():
        drawn = [F.pmod(F.xxhash64("id", F.lit(index)), F.lit(20)).alias(f"c{index}") for index in range(WIDE_COLUMNS)]
        session.spark.range(0, rows, 1, 2).select(*drawn).write.mode("overwrite").parquet(str(target))


def make_visits(session: Any, folder: Path, rows: int) -> None:
    """Write 20 visits per person over a year, to 200 places."""
    from pyspark.sql import functions as F  # noqa: N812

    target = folder / f"visits-{rows}"
    if (target / "_SUCCESS").exists():
        return
    day = F.pmod(F.xxhash64("id", F.lit(4)), F.lit(365)).cast("int")
    session.spark.range(0, rows, 1, 2).select(
        (F.col("id") / 20).cast("bigint").alias("person"),
        F.date_add(F.lit("2005-01-01").cast("date"), day).alias("day"),
        F.pmod(F.xxhash64("id", F.lit(5)), F.lit(200)).alias("place"),
    ).write.mode("overwrite").parquet(str(target))


def start() -> Any:
    from idbits.engines.spark.session import start_session
    from idbits.progress import SILENT

    return start_session(MASTER, 4 * 10**9, None, SILENT)


def answer(session: Any, question: str, columns: list[str], files: list[str], folder: Path) -> object:
    """Answer a question in the session that is running, as the command does."""
    import idbits
    from idbits.engines.open import open_table
    from idbits.reading import OpenOptions
    from idbits.values.attributes import parse_attributes

    reading: dict[str, Any] = {"engine": "spark"}
    if question.startswith("sql-"):
        session.spark.read.parquet(*files).createOrReplaceTempView("people")
        return len(session.spark.sql(SQL[question.removeprefix("sql-")]).collect())
    if question == "spectrum":
        with closing(open_table(files, OpenOptions(engine="spark"))) as table:
            table.load([name.partition(":")[0] for name in columns])
            return table.spectrum(parse_attributes(columns, table.columns)).n_sets
    if question == "measure":
        return idbits.measure(files, columns, **reading)
    if question == "gain":
        return idbits.gain(files, columns=columns, **reading)
    if question == "events":
        return idbits.events(files, "person", "day", "place", **reading)
    records = {"records": folder / "records.csv"} if question == "records" else {}
    return idbits.columns(files, columns, **records, **reading)


def column_bytes(files: list[str], columns: list[str]) -> int:
    """Return how many bytes of some columns the files have, by their footers."""
    import pyarrow.parquet

    wanted = {name.partition(":")[0] for name in columns}
    total = 0
    for name in files:
        for path in sorted(Path(name).glob("part-*")) if Path(name).is_dir() else [Path(name)]:
            footer = pyarrow.parquet.read_metadata(path)
            for group in range(footer.num_row_groups):
                parts = [footer.row_group(group).column(index) for index in range(footer.num_columns)]
                total += sum(part.total_compressed_size for part in parts if part.path_in_schema in wanted)
    return total


def run(
    session: Any, events: Path, question: str, group: str, rows: int, folder: Path, *, fetch: bool
) -> dict[str, Any]:
    """Answer one question and return its costs; ``fetch`` allows rows that fit to be counted on this machine."""
    if question == "events":
        make_visits(session, folder, rows)
        columns, files = ["person", "day", "place"], [str(folder / f"visits-{rows}")]
    elif group.startswith("wide"):
        make_wide(session, folder, rows)
        columns, files = GROUPS[question][group], [str(folder / f"wide-{rows}")]
    else:
        columns, files = GROUPS[question.removeprefix("sql-")][group], people_files(session, folder, rows)
    session.spark.conf.set("spark.idbits.fetch", str(fetch).lower())
    # As many parts as idbits uses in a session that it starts for one table.
    session.spark.conf.set("spark.sql.shuffle.partitions", str(max(2, 1 + rows // 250_000)))
    begin = time.time()
    answer(session, question, columns, files, folder)
    end = time.time()
    costs = spark_costs.costs_between(session.spark, events, begin, end)
    return {
        "question": question, "columns": columns, "rows": rows, "place": "default" if fetch else "cluster",
        "wall_seconds": round(end - begin, 1), "column_bytes": column_bytes(files, columns),
        "python_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        **costs.to_dict(),
    }  # fmt: skip
