"""One run of one question on Spark, in a process of its own, and what it cost by Spark's own account.

The people are made up: birthdate (37,000 values), zip (100), sex (2) and children (5), drawn independently. The
questions go to the cluster's own path, also where the rows would fit in the memory of this machine.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import spark_costs  # noqa: E402 (a folder of scripts)

__all__ = ["FINE", "GROUPS", "run"]

FINE = ["birthdate", "zip", "sex", "children"]
GROUPS = {
    "spectrum": {"fine": FINE[:3], "coarse": ["birthdate:year", *FINE[1:3]]},
    "subsets": {"fine": FINE, "coarse": ["birthdate:year", *FINE[1:]]},
}
GROUPS["gain"] = GROUPS["records"] = GROUPS["subsets"]
FILE_ROWS = 5_000_000
MASTER, MEMORY = "local[2]", "4GB"
SQL = {
    "spectrum": "SELECT people, count(*) FROM (SELECT count(*) AS people FROM people GROUP BY birthdate, zip, sex) "
    "GROUP BY people",
    "subsets": "SELECT subset, people, count(*) FROM (SELECT grouping_id() AS subset, count(*) AS people FROM people "
    "GROUP BY CUBE (birthdate, zip, sex, children)) GROUP BY subset, people",
}


def people_files(folder: Path, rows: int) -> list[str]:
    """Return the files with the first people; whole files only, except below the size of one."""
    if rows < FILE_ROWS:
        return [str(folder / f"people-{rows}")]
    return [str(path) for path in sorted((folder / "people").glob("part-*"))[: rows // FILE_ROWS]]


def make_people(folder: Path, rows: int) -> None:
    """Write made-up people, the same in every run; files of five million rows."""
    from pyspark.sql import functions as F  # noqa: N812

    target = folder / ("people" if rows >= FILE_ROWS else f"people-{rows}")
    if (target / "_SUCCESS").exists():
        return
    session = start()
    draw = [F.xxhash64("id", F.lit(seed)) for seed in (1, 2, 3, 6)]
    session.spark.range(0, rows, 1, max(2, rows // FILE_ROWS)).select(
        F.date_add(F.lit("1910-01-01").cast("date"), F.pmod(draw[0], F.lit(37_000)).cast("int")).alias("birthdate"),
        F.lpad(F.pmod(draw[1], F.lit(100)).cast("string"), 2, "0").alias("zip"),
        F.when(F.pmod(draw[2], F.lit(2)) == 0, "F").otherwise("M").alias("sex"),
        F.pmod(draw[3], F.lit(5)).alias("children"),
    ).write.mode("overwrite").parquet(str(target))
    session.close()


def make_visits(folder: Path, rows: int) -> None:
    """Write 20 visits per person over a year, to 200 places."""
    from pyspark.sql import functions as F  # noqa: N812

    target = folder / f"visits-{rows}"
    if (target / "_SUCCESS").exists():
        return
    session = start()
    day = F.pmod(F.xxhash64("id", F.lit(4)), F.lit(365)).cast("int")
    session.spark.range(0, rows, 1, 2).select(
        (F.col("id") / 20).cast("bigint").alias("person"),
        F.date_add(F.lit("2005-01-01").cast("date"), day).alias("day"),
        F.pmod(F.xxhash64("id", F.lit(5)), F.lit(200)).alias("place"),
    ).write.mode("overwrite").parquet(str(target))
    session.close()


def start() -> Any:
    from idbits.engines.spark.session import start_session
    from idbits.progress import SILENT

    return start_session(MASTER, 4 * 10**9, None, SILENT)


def asked(question: str, columns: list[str], files: list[str], folder: Path) -> Callable[[], object]:
    """Return the work that answers a question as the command does, in a session of its own."""
    import idbits
    from idbits.engines.open import open_table
    from idbits.reading import OpenOptions
    from idbits.values.attributes import parse_attributes

    reading: dict[str, Any] = {"engine": "spark", "master": MASTER, "memory": MEMORY}

    def spectrum() -> object:
        table = open_table(files, OpenOptions(engine="spark", master=MASTER, memory=4 * 10**9))
        table.load([name.partition(":")[0] for name in columns])
        counted = table.spectrum(parse_attributes(columns, table.columns)).pairs()
        table.close()
        return counted

    def sql() -> object:
        session = start()
        session.spark.read.parquet(*files).createOrReplaceTempView("people")
        counted = session.spark.sql(SQL[question.removeprefix("sql-")]).collect()
        session.close()
        return len(counted)

    return {
        "spectrum": spectrum,
        "measure": lambda: idbits.measure(files, columns, **reading).to_dict(),
        "subsets": lambda: idbits.columns(files, columns, **reading).to_dict(),
        "records": lambda: idbits.columns(files, columns, records=folder / "records.csv", **reading).to_dict(),
        "gain": lambda: idbits.gain(files, columns=columns, **reading).to_dict(),
        "events": lambda: idbits.events(files, "person", "day", "place", **reading).to_dict(),
        "sql-spectrum": sql,
        "sql-subsets": sql,
    }[question]


def run(question: str, group: str, rows: int, folder: Path, *, fetch: bool) -> dict[str, Any]:
    """Answer one question and return its costs; ``fetch`` allows rows that fit to be counted on this machine."""
    settings = {} if fetch else {"spark.idbits.fetch": "false"}
    if question == "events":
        columns, files = ["place"], [str(folder / f"visits-{rows}")]
    else:
        columns, files = GROUPS[question.removeprefix("sql-")][group], people_files(folder, rows)
    logs = folder / f"log-{question}-{group}-{rows}"
    with spark_costs.logged(logs, settings) as events:
        begin = time.perf_counter()
        asked(question, columns, files, folder)()
        seconds = time.perf_counter() - begin
    costs = spark_costs.SparkCosts()
    for path in events.iterdir():
        costs = spark_costs.costs_of_log(path)
        path.unlink()
    return {
        "question": question, "columns": columns, "rows": rows, "place": "default" if fetch else "cluster",
        "wall_seconds": round(seconds, 1),
        "python_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        **costs.to_dict(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question")
    parser.add_argument("group")
    parser.add_argument("rows", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fetch", action="store_true")
    given = parser.parse_args()
    if given.question.startswith("make-"):
        {"make-people": make_people, "make-visits": make_visits}[given.question](given.folder, given.rows)
        return
    print(json.dumps(run(given.question, given.group, given.rows, given.folder, fetch=given.fetch)))


if __name__ == "__main__":
    main()
