"""The tables of docs/explanation/scale.md, from the runs in experiments/scale.json."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import scale_model
from scale_model import CostModel, Table

__all__ = ["all_tables", "models"]

Run = Mapping[str, Any]
QUESTIONS = {
    "spectrum": "spectrum", "measure": "measure", "subsets": "columns", "gain": "gain", "records": "columns --records",
    "events": "events",
}  # fmt: skip
MILLION = 1e6
TEN_BILLION = 1e10
CORES, WORKER_GB = 16, 64
CLUSTERS = (10, 100)
WIDE_COLUMNS = 1_000
# A distinct row of few columns while it is counted; a value in the executors' cache; a group size with its number.
BYTES_PER_ROW, BYTES_PER_VALUE, BYTES_PER_SIZE = 100, 8, 16
SETS_PER_JOB = 32


def table_of(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Write a table; all columns but the first ones are aligned to the right."""
    rule = ["---" if index < left else "---:" for index in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *rows])


def number(value: float) -> str:
    """Write a number with two or three digits that mean something."""
    if value >= 100:
        digits = 2 - math.floor(math.log10(value))
        return f"{round(value, digits):,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def size(value: float) -> str:
    for unit, name in ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if value >= unit:
            return f"{number(value / unit)} {name}"
    return f"{value:.0f} bytes"


def duration(seconds: float) -> str:
    for unit, name in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * unit:
            return f"{number(seconds / unit)} {name}"
    return f"{number(seconds)} s"


def named(run: Run) -> str:
    columns = run["columns"]
    if run["question"] in ("measure",) or run["group"].startswith("wide"):
        return f"{len(columns)} columns of 20 values"
    return "visits" if run["question"] == "events" else ", ".join(columns)


def of_use(results: Mapping[str, Any], *uses: str) -> list[Run]:
    runs = [run for run in results["runs"] if run["use"] in uses]
    order = list(QUESTIONS)
    return sorted(runs, key=lambda run: (order.index(run["question"].removeprefix("sql-")), named(run), run["rows"]))


def models(results: Mapping[str, Any]) -> dict[str, CostModel]:
    """Fit the model of each question that has runs."""
    fitted = of_use(results, "fit")
    questions = [question for question in QUESTIONS if any(run["question"] == question for run in fitted)]
    return {
        question: scale_model.fit(question, [run for run in fitted if run["question"] == question])
        for question in questions
    }


def runs_table(results: Mapping[str, Any]) -> str:
    head = [
        "question",
        "columns",
        "rows",
        "read",
        "rows shuffled",
        "shuffled",
        "jobs",
        "sent to the driver",
        "core-seconds",
    ]
    rows = [
        [
            QUESTIONS[run["question"]], named(run), f"{run['rows']:,}", size(run["column_bytes"]),
            f"{run['shuffle_rows']:,}", size(run["shuffle_bytes"]), str(run["jobs"]), size(run["result_bytes"]),
            number(run["cpu_seconds"]),
        ]
        for run in of_use(results, "fit")
    ]  # fmt: skip
    return table_of(head, rows, 2)


def model_table(results: Mapping[str, Any]) -> str:
    rows = []
    for question, model in models(results).items():
        for step, seconds in model.seconds.items():
            rows.append([QUESTIONS[question], f"per million, {step}", f"{seconds * MILLION:.3f}"])
        rows.append([QUESTIONS[question], "per question", f"{model.fixed_seconds:.3f}"])
    return table_of(["question", "step", "core-seconds"], rows, 2)


def check_table(results: Mapping[str, Any]) -> str:
    fitted = models(results)
    rows = []
    for run in of_use(results, "check"):
        table = Table.of_run(run)
        expected = fitted[run["question"]].predict(table)
        has_rows = run["question"] in ("spectrum", "subsets", "gain")
        shuffled = scale_model.shuffled_rows(run["question"], table) if has_rows else None
        rows.append([
            QUESTIONS[run["question"]], named(run), f"{run['rows']:,}",
            number(expected), number(run["cpu_seconds"]), error(expected, run["cpu_seconds"]),
            "" if shuffled is None else error(shuffled, run["shuffle_rows"]),
        ])  # fmt: skip
    head = ["question", "columns", "rows", "predicted", "measured", "error", "error of the rows shuffled"]
    return table_of(head, rows, 2)


def error(expected: float, measured: float) -> str:
    return f"{100 * (expected / measured - 1):+.0f}%"


def peer_table(results: Mapping[str, Any]) -> str:
    """Compare idbits with plain SQL that counts the same; SQL leaves out the quantiles and the curve of the gain."""
    runs = {(run["question"], run["group"], run["rows"], run["place"]): run for run in results["runs"]}
    rows = []
    for question in ("spectrum", "subsets", "gain"):
        for (name, group, n_rows, place), run in sorted(runs.items()):
            sql = runs.get((f"sql-{question}", group, n_rows, "cluster"))
            if name == question and sql is not None:
                rows.append([
                    QUESTIONS[question], f"{n_rows:,}", "on the cluster" if place == "cluster" else "fetched",
                    number(sql["cpu_seconds"]), number(run["cpu_seconds"]),
                    f"{run['cpu_seconds'] / sql['cpu_seconds']:.2f}",
                    f"{run['wall_seconds'] / sql['wall_seconds']:.2f}",
                ])  # fmt: skip
    head = [
        "question",
        "rows",
        "counted",
        "SQL, core-seconds",
        "idbits, core-seconds",
        "ratio",
        "ratio of elapsed times",
    ]
    return table_of(head, rows, 3)


def cluster_table(results: Mapping[str, Any]) -> str:
    rows = [
        [run["what"], "yes" if run["same_answer"] else "no", str(run["jobs"]), str(run["stages"]), str(run["tasks"])]
        for run in results["cluster"]["runs"]
    ]
    return table_of(["run", "same answer as DuckDB", "jobs", "stages", "tasks"], rows)


def large_tables() -> dict[tuple[str, str], Table]:
    """Return the questions about ten billion people that the page extrapolates to."""
    fine = (37_000, 100, 2, 5)
    return {
        ("spectrum", "birthdate, zip, sex"): Table(TEN_BILLION, fine[:3]),
        ("subsets", "four columns, 15 sets"): Table(TEN_BILLION, fine),
        ("gain", "four columns"): Table(TEN_BILLION, fine),
        ("measure", "1,000 columns of 20 values"): Table(TEN_BILLION, (20,) * 1_000),
    }


def large_table(results: Mapping[str, Any]) -> str:
    fitted = models(results)
    rows = []
    for (question, columns), table in large_tables().items():
        if question not in fitted:
            continue
        seconds = fitted[question].predict(table)
        if question == "measure":
            shuffled, held = TEN_BILLION, TEN_BILLION * len(table.values) * 8
        else:
            shuffled, held = scale_model.shuffled_rows(question, table), table.distinct_rows * BYTES_PER_ROW
        rows.append([
            QUESTIONS[question], columns, number(seconds), number(shuffled / MILLION), size(held),
            *(duration(seconds / (CORES * workers)) for workers in CLUSTERS),
        ])  # fmt: skip
    head = ["question", "columns", "core-seconds", "million rows shuffled", "distinct rows in memory"]
    return table_of([*head, *(f"{workers} workers" for workers in CLUSTERS)], rows, 2)


def limits_table(results: Mapping[str, Any]) -> str:
    """Compare what all pairs of 1,000 columns of 20 values need with what clusters have."""
    n_sets = math.comb(WIDE_COLUMNS, 2)
    model = models(results)["subsets"]
    seconds = model.seconds["row read"] * TEN_BILLION + model.seconds["distinct row and set"] * TEN_BILLION * n_sets
    cached = TEN_BILLION * WIDE_COLUMNS * BYTES_PER_VALUE
    spectra = n_sets * scale_model.WIDE_VALUES**2 * BYTES_PER_SIZE
    rooms = [size(workers * WORKER_GB * 1e9) for workers in CLUSTERS]
    times = [duration(seconds / (CORES * workers)) for workers in CLUSTERS]
    rows = [
        ["distinct rows in the executors' memory", size(cached), *(f"room for {room}" for room in rooms)],
        ["core-seconds for all pairs", number(seconds), *times],
        ["jobs for all pairs", f"{math.ceil(n_sets / SETS_PER_JOB):,}", "the same", "the same"],
        ["spectra of all pairs on the driver", size(spectra), *["1 GB unless --memory is given"] * len(CLUSTERS)],
    ]
    return table_of(["what", "needed", *(f"{workers} workers" for workers in CLUSTERS)], rows)


def all_tables(results: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the title and the text of each table."""
    yield "Runs", runs_table(results)
    yield "Fitted model", model_table(results)
    yield "Predictions of runs that were not fitted", check_table(results)
    yield "Against plain SQL", peer_table(results)
    if "cluster" in results:
        yield "A simulated cluster", cluster_table(results)
    yield "Ten billion rows, by the model", large_table(results)
    yield "Ten billion rows and 1,000 columns, by the model", limits_table(results)
