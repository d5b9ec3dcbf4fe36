"""How much time does idbits add to plain Spark, and what does a second worker save? Ratios from one run.

    python bench/spark.py [--rows 10000000] [--large] [--no-workers] [--repeat 3] [--parts gain]

Spark itself makes up the people (one of 37,000 birthdays, one of 100 places, a sex, 0 to 4 children) and writes them as
Parquet once. First, on this machine, with plain SQL and with idbits, in turn in the same session: the spectrum of three
columns, the spectra of all 15 subsets of four columns, and the information gain of the four, for which SQL leaves out
quantiles and the curve. idbits counts the last two both where it would and on the cluster alone
(spark.idbits.fetch=false). --large adds the spectrum of ten times as many rows. Then, with a master and one or two
workers of one core each on loopback: the same spectrum and the pairs of visits. Processor time is that of this Python
and the JVM together, and that of Spark's tasks, from its event log. The memory of the driver is the JVM's heap after
garbage collection, and this Python.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil

import spark_costs
from rows import add_json_option, at_most, record

Work = Callable[[], object]
ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "bench"
LOG = FOLDER / "spark-log"
SQL = """
    SELECT people, count(*) FROM (
        SELECT birthdate, zip, sex, count(*) AS people FROM people GROUP BY birthdate, zip, sex
    ) GROUP BY people
"""
QID = ["birthdate", "zip", "sex"]
SUBSETS_SQL = """
    SELECT subset, people, count(*) FROM (
        SELECT grouping_id() AS subset, count(*) AS people FROM people GROUP BY CUBE (birthdate, zip, sex, children)
    ) GROUP BY subset, people
"""
FEATURES = [*QID, "children"]
PARTS = ["spectrum", "15 subsets", "gain"]
PEERS = {"gain": "the same gains without their quantiles"}
GAIN_SQL = """
    WITH distinct_rows AS (
        SELECT birthdate, zip, sex, children, count(*) AS w FROM people GROUP BY birthdate, zip, sex, children
    ),
    n AS (SELECT sum(w) AS n FROM distinct_rows),
    {priors},
    cells AS (SELECT w, {cells} FROM distinct_rows {joins})
    SELECT {totals}, max(({rig})), max(({rig}) / w), min(w) FROM cells CROSS JOIN n
"""


def gain_sql() -> str:
    """Return plain SQL for the totals of the gain, the largest RIG, PIF and MICS; without quantiles and the curve.

    Per cohort, that is the rows that are equal in all other columns, KL is S / N - log2 N + log2 n, where N is the sum
    of w, and S that of w (log2 w - log2 k): w people have the row, and k people in all have its value.
    """
    priors, cells, joins, gains = [], [], [], []
    for index, name in enumerate(FEATURES):
        others = ", ".join(f"distinct_rows.{other}" for other in FEATURES if other != name)
        priors.append(f"prior{index} AS (SELECT {name}, sum(w) AS k FROM distinct_rows GROUP BY {name})")
        joins.append(f"JOIN prior{index} ON distinct_rows.{name} <=> prior{index}.{name}")
        cells.append(f"sum(w) OVER (PARTITION BY {others}) AS cohort{index}")
        cells.append(f"sum(w * (log2(w) - log2(prior{index}.k))) OVER (PARTITION BY {others}) AS sum{index}")
        gains.append(f"(sum{index} / cohort{index} - log2(cohort{index}) + log2(n))")
    return GAIN_SQL.format(
        priors=", ".join(priors), cells=", ".join(cells), joins=" ".join(joins),
        totals=", ".join(f"sum(w * {gain})" for gain in gains), rig=" + ".join(gains),
    )  # fmt: skip


def make_people(spark: Any, rows: int) -> Path:
    """Write people as eight Parquet files, the same in every run."""
    from pyspark.sql import functions as F  # noqa: N812

    path = FOLDER / f"spark-people4-{rows}"
    if (path / "_SUCCESS").exists():
        return path
    draw = [F.xxhash64("id", F.lit(seed)) for seed in (1, 2, 3, 6)]
    frame = spark.range(0, rows, 1, 8).select(
        F.date_add(F.lit("1910-01-01").cast("date"), F.pmod(draw[0], F.lit(37_000)).cast("int")).alias("birthdate"),
        F.lpad(F.pmod(draw[1], F.lit(100)).cast("string"), 2, "0").alias("zip"),
        F.when(F.pmod(draw[2], F.lit(2)) == 0, "F").otherwise("M").alias("sex"),
        F.pmod(draw[3], F.lit(5)).alias("children"),
    )
    frame.write.mode("overwrite").parquet(str(path))
    return path


def make_visits(spark: Any, people: int) -> Path:
    """Write 20 visits per person over a year, to 200 places."""
    from pyspark.sql import functions as F  # noqa: N812

    path = FOLDER / f"spark-visits-{people}"
    if (path / "_SUCCESS").exists():
        return path
    frame = spark.range(0, people * 20, 1, 8).select(
        (F.col("id") / 20).cast("bigint").alias("person"),
        F.date_add(F.lit("2005-01-01").cast("date"), F.pmod(F.xxhash64("id", F.lit(4)), F.lit(365)).cast("int")).alias(
            "day"
        ),
        F.pmod(F.xxhash64("id", F.lit(5)), F.lit(200)).alias("place"),
    )
    frame.write.mode("overwrite").parquet(str(path))
    return path


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def heap_megabytes(spark: Any) -> int:
    """Return the size of the driver's JVM heap after garbage collection, in MB."""
    runtime = spark.sparkContext._jvm.java.lang.Runtime.getRuntime()  # noqa: SLF001
    spark.sparkContext._jvm.java.lang.System.gc()  # noqa: SLF001
    return int((runtime.totalMemory() - runtime.freeMemory()) // 1024**2)


def core_seconds(spark: Any, work: Callable[[], object]) -> tuple[float, float]:
    """Return the processor time of Spark's tasks, and that of this Python and the JVM together.

    A busy machine changes them little. The second one includes planning, compiling and the work of this process.
    """
    begin, before = time.time(), both_processes(spark)
    work()
    used = both_processes(spark) - before
    return spark_costs.costs_between(spark, LOG / "events", begin, time.time()).cpu_seconds, used


def both_processes(spark: Any) -> float:
    """Return the processor time of this process and of the JVM, in seconds."""
    jvm = psutil.Process(int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()))  # noqa: SLF001
    return sum(sum(process.cpu_times()[:2]) for process in (psutil.Process(), jvm))


def in_turn(spark: Any, what: str, rows: int, bare: Work, ours: Mapping[str, Work], n: int) -> None:
    """Compare the best time of each side: a busy machine can only slow them down.

    ``ours`` is what idbits does, by where it counts: "" where it would count, "cluster" never on this machine.
    """
    costs: dict[str | None, list[tuple[float, float, float]]] = {}
    for _ in range(n):
        sides: list[tuple[str | None, Work]] = [(None, bare), *ours.items()]
        for where, work in sides:
            begin = time.perf_counter()
            cores = core_seconds(spark, work)
            costs.setdefault(where, []).append((time.perf_counter() - begin, *cores))
    best = {where: [min(side) for side in zip(*found, strict=True)] for where, found in costs.items()}
    sql, sql_cores, sql_used = best[None]
    for where in ours:
        idbits, idbits_cores, idbits_used = best[where]
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        on = " on the cluster" if where else ""
        print(
            f"{what}{on} of {rows:,} rows: plain SQL {sql:6.2f} s, idbits {idbits:6.2f} s, {ratio(idbits, sql)} (at "
            f"most 1.1); processor time {sql_used:.2f} and {idbits_used:.2f} s, {ratio(idbits_used, sql_used)}; of "
            f"tasks {sql_cores:.2f} and {idbits_cores:.2f} s, {ratio(idbits_cores, sql_cores)}; driver: heap "
            f"{heap_megabytes(spark)} MB, Python {used} MB",
            flush=True,
        )
        record(
            f"spark.{what.replace('15 ', '')}_{rows // 10**6}m" + (f"_{where}" if where else ""),
            f"Spark, {what}{on}, {rows:,} rows", idbits,
            peer=f"plain Spark SQL, {PEERS.get(what, 'the same counts')}", theirs=sql, goals=[at_most(1.1, "ratio")],
            facts={
                "heap_mb": heap_megabytes(spark), "python_mb": used, "tasks_cpu_s": idbits_cores,
                "peer_tasks_cpu_s": sql_cores, "cpu_s": idbits_used, "peer_cpu_s": sql_used,
            },
        )  # fmt: skip


def ratio(ours: float, theirs: float) -> str:
    return f"ratio {ours / theirs:.2f}"


def on_the_cluster(spark: Any, work: Work) -> Work:
    """Return some work that counts nothing on this machine that the cluster can count."""

    def counted_there() -> None:
        spark.conf.set("spark.idbits.fetch", "false")
        try:
            work()
        finally:
            spark.conf.unset("spark.idbits.fetch")

    return counted_there


def spectrum_against_bare(spark: Any, rows: int, repeat: int) -> None:
    """Time the spectrum of three columns."""
    from idbits.engines.open import open_table
    from idbits.values.attributes import parse_attributes

    path = make_people(spark, rows)
    # Both sides count a frame that is open already.
    frame = spark.read.parquet(str(path))
    frame.createOrReplaceTempView("people")
    spark.sql(SQL).collect()
    pairs: set[Any] = set()

    def by_idbits() -> None:
        with closing(open_table(frame)) as table:
            table.load(QID)
            pairs.add(tuple(table.spectrum(parse_attributes(QID, table.columns)).pairs()))

    def by_sql() -> None:
        pairs.add(tuple(sorted((int(people), int(sets)) for people, sets in spark.sql(SQL).collect())))

    in_turn(spark, "spectrum", rows, by_sql, {"": by_idbits}, repeat)
    assert len(pairs) == 1, "the two sides disagree"


def subsets_and_gain_against_bare(spark: Any, rows: int, repeat: int, parts: Sequence[str]) -> None:
    """Time all 15 subsets of four columns, and the information gain, against plain SQL."""
    import idbits
    from idbits.engines.open import open_table
    from idbits.reading import OpenOptions
    from idbits.values.attributes import parse_attributes

    path = make_people(spark, rows)
    frame = spark.read.parquet(str(path))
    frame.createOrReplaceTempView("people")
    found: list[Any] = []

    def by_sql() -> None:
        spectra: dict[int, list[tuple[int, int]]] = {}
        for subset, people, sets in spark.sql(SUBSETS_SQL).collect():
            # Spark's bits mark the columns that are left out, the last one lowest.
            mask = sum(1 << bit for bit in range(4) if not int(subset) >> (3 - bit) & 1)
            spectra.setdefault(mask, []).append((int(people), int(sets)))
        found.append({mask: sorted(pairs) for mask, pairs in spectra.items() if mask})

    def by_idbits() -> None:
        with closing(open_table(frame)) as table:
            table.load(FEATURES)
            spectra: dict[int, Any] = {}
            counts = table.subset_counts(parse_attributes(FEATURES, table.columns), OpenOptions())
            counts.count_every_set(spectra.update)
            found.append({mask: spectrum.pairs() for mask, spectrum in spectra.items()})

    def gain_by_sql() -> None:
        *totals, most, pif, mics = spark.sql(gain_sql()).collect()[0]
        sql_gains.append((*map(float, totals), float(most), float(pif), int(mics)))

    def gain() -> None:
        answer = idbits.gain(frame, columns=FEATURES).to_dict()
        # The notes and what is said about other columns depend on where rows are.
        gains.append({key: answer[key] for key in ("n_distinct_rows", "rig", "mics", "pif", "features", "rig_curve")})

    gains: list[Any] = []
    sql_gains: list[tuple[float, ...]] = []
    for what, bare, ours in (("15 subsets", by_sql, by_idbits), ("gain", gain_by_sql, gain)):
        if what in parts:
            in_turn(spark, what, rows, bare, {"": ours, "cluster": on_the_cluster(spark, ours)}, repeat)
    assert all(spectra == found[0] for spectra in found), "the two sides disagree"
    for sums in sql_gains:
        figures = [feature["fig_bits"] for feature in gains[0]["features"]]
        figures += [gains[0]["rig"]["max"], gains[0]["pif"], gains[0]["mics"]]
        # SQL adds decimal numbers in any order.
        assert all(math.isclose(*pair, rel_tol=1e-6) for pair in zip(sums, figures, strict=True)), "SQL disagrees"
    assert all(answer == gains[0] for answer in gains), "the two ways to count disagree"


def start(master: str) -> Any:
    from idbits.engines.spark.session import start_session
    from idbits.progress import SILENT

    return start_session(master, 2 * 10**9, None, SILENT)


def on_cluster(master: str, people: str, visits: str) -> None:
    """Print the seconds for a spectrum and for the pairs on a cluster, as JSON; called in a separate process."""
    import idbits
    from idbits.engines.open import open_table
    from idbits.values.attributes import parse_attributes

    session = start(master)
    session.spark.conf.set("spark.sql.shuffle.partitions", "8")

    def spectrum() -> None:
        table = open_table(session.spark.read.parquet(people))
        table.load(QID)
        table.spectrum(parse_attributes(QID, table.columns))

    def pairs() -> None:
        idbits.events(session.spark.read.parquet(visits), "person", "day", "place")

    spectrum()
    print(json.dumps({"spectrum": seconds(spectrum), "pairs": seconds(pairs)}))
    session.close()


def workers(rows: int) -> None:
    """Time the same work with one worker and with two."""
    sys.path.insert(0, str(ROOT / "tests"))
    import clusters

    people, visits = FOLDER / f"spark-people4-{rows}", FOLDER / f"spark-visits-{rows // 100}"
    found: list[dict[str, float]] = []
    for number in (1, 2):
        with tempfile.TemporaryDirectory() as folder, clusters.cluster(Path(folder), number) as made:
            words = [sys.executable, __file__, "--on", made.master, str(people), str(visits)]
            environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
            done = subprocess.run(words, capture_output=True, text=True, env=environment, check=True)
            found.append(json.loads(done.stdout.splitlines()[-1]))
    for what, size in (("spectrum", f"{rows:,} rows"), ("pairs", f"{rows // 5:,} visits")):
        one, two = (times[what] for times in found)
        print(f"{what} of {size}: one worker {one:.2f} s, two workers {two:.2f} s, {one / two:.2f} times as fast")
        task = f"Spark cluster of two workers, {what} of {size}"
        record(f"spark.workers_{what}", task, two, peer="one worker", theirs=one)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--large", action="store_true", help="also run with ten times as many rows")
    parser.add_argument("--no-workers", action="store_true")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS, help="what to compare with plain SQL")
    add_json_option(parser)
    parser.add_argument("--on", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.on:
        on_cluster(*asked.on)
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    with spark_costs.logged(LOG, {}):
        session = start("local[*]")
    for rows in [asked.rows, *([10 * asked.rows] if asked.large else [])]:
        if "spectrum" in asked.parts:
            spectrum_against_bare(session.spark, rows, asked.repeat)
    subsets_and_gain_against_bare(session.spark, asked.rows, asked.repeat, asked.parts)
    make_visits(session.spark, asked.rows // 100)
    session.close()
    if not asked.no_workers:
        workers(asked.rows)


if __name__ == "__main__":
    main()
