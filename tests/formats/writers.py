"""One small table in every format that idbits opens."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pandas
import polars
import pyarrow
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pyreadstat

COLUMNS = ["zip", "age", "sex"]
ROWS: list[tuple[str | None, int | None, str | None]] = [
    ("0101", 34, "F"),
    ("0101", 34, "F"),
    ("0101", 35, "M"),
    ("1011", 35, "M"),
    ("1011", None, "M"),
    ("9985", 7, None),
    (None, 71, "F"),
    (None, 71, "F"),
    ("9985", 21, "é"),
    ("9985", 21, "E"),
    ("9985", 21, "e"),
]
Written = tuple[Any, dict[str, Any]]


def text(
    encoding: str = "utf-8", delimiter: str = ",", end: str = "\n", quoting: Literal[0, 1, 2, 3] = csv.QUOTE_MINIMAL
) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(COLUMNS)
    writer.writerows(["" if cell is None else cell for cell in row] for row in ROWS)
    return out.getvalue().encode(encoding)


def in_file(name: str, data: bytes, **reading: Any) -> Callable[[Path], Written]:
    def write(folder: Path) -> Written:
        (folder / name).write_bytes(data)
        return folder / name, reading

    return write


def frame() -> pandas.DataFrame:
    return pandas.DataFrame(ROWS, columns=COLUMNS).astype({"age": "Int64"})


def arrow() -> pyarrow.Table:
    columns = list(zip(*ROWS, strict=True))
    types = (pyarrow.string(), pyarrow.int64(), pyarrow.string())
    return pyarrow.table([pyarrow.array(c, t) for c, t in zip(columns, types, strict=True)], names=COLUMNS)


def parquet(folder: Path) -> Written:
    pyarrow.parquet.write_table(arrow(), folder / "people.parquet")
    return folder / "people.parquet", {}


def arrow_file(folder: Path) -> Written:
    pyarrow.feather.write_feather(arrow(), folder / "people.feather")
    return folder / "people.feather", {}


def arrow_stream(folder: Path) -> Written:
    with pyarrow.ipc.new_stream(folder / "people.arrows", arrow().schema) as writer:
        writer.write_table(arrow())
    return folder / "people.arrows", {}


def json_lines(folder: Path) -> Written:
    lines = [json.dumps(dict(zip(COLUMNS, row, strict=True))) for row in ROWS]
    (folder / "people.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder / "people.jsonl", {}


def excel(folder: Path) -> Written:
    with pandas.ExcelWriter(folder / "people.xlsx") as book:
        pandas.DataFrame({"other": [1]}).to_excel(book, sheet_name="first", index=False)
        frame().to_excel(book, sheet_name="people", index=False)
    return folder / "people.xlsx", {"sheet": "people"}


def spss(folder: Path) -> Written:
    labels: Any = {"sex": {"F": "female", "M": "male"}}
    pyreadstat.write_sav(frame().astype({"age": "float64"}), str(folder / "people.sav"), variable_value_labels=labels)
    return folder / "people.sav", {}


def stata(folder: Path) -> Written:
    pyreadstat.write_dta(frame().astype({"age": "float64"}), str(folder / "people.dta"))
    return folder / "people.dta", {}


def sas(folder: Path) -> Written:
    pyreadstat.write_xport(frame().astype({"age": "float64"}), str(folder / "people.xpt"), file_format_version=8)
    return folder / "people.xpt", {}


def sqlite(folder: Path) -> Written:
    with sqlite3.connect(folder / "people.db") as connection:
        connection.execute("CREATE TABLE people (zip TEXT, age INTEGER, sex TEXT)")
        connection.execute("CREATE TABLE other (x)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", ROWS)
    connection.close()
    return folder / "people.db", {"table": "people"}


def zip_archive(folder: Path) -> Written:
    with zipfile.ZipFile(folder / "people.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data/people.csv", text())
        archive.writestr("README.txt", "who is in the table")
    return folder / "people.zip", {}


def glob_of_text(folder: Path) -> Written:
    head, *lines = text().decode().splitlines()
    (folder / "part1.csv").write_text("\n".join([head, *lines[:5]]), encoding="utf-8")
    turned = [",".join(reversed(line.split(","))) for line in [head, *lines[5:]]]
    (folder / "part2.csv").write_text("\n".join(turned), encoding="utf-8")
    return folder / "part*.csv", {}


def folder_of_parquet(folder: Path) -> Written:
    lake = folder / "lake"
    (lake / "day=1").mkdir(parents=True)
    (lake / "_SUCCESS").touch()
    pyarrow.parquet.write_table(arrow().slice(0, 6), lake / "a.parquet")
    pyarrow.parquet.write_table(arrow().slice(6).select(["sex", "zip", "age"]), lake / "b.parquet")
    return lake, {}


WRITERS: dict[str, Callable[[Path], Written]] = {
    "CSV": in_file("people.csv", text()),
    "CSV, semicolons, all quoted": in_file("people.csv", text(delimiter=";", quoting=csv.QUOTE_ALL)),
    "TSV, CRLF": in_file("people.tsv", text(delimiter="\t", end="\r\n")),
    "CSV with BOM": in_file("people.csv", text("utf-8-sig")),
    "CSV in UTF-16": in_file("people.csv", text("utf-16")),
    "CSV in cp1252": in_file("people.csv", text("cp1252")),
    "CSV in another encoding": in_file("people.csv", text("cp852"), encoding="cp852"),
    "CSV, gz": in_file("people.csv.gz", gzip.compress(text())),
    "CSV, zst": in_file("people.csv.zst", pyarrow.compress(text(), "zstd", asbytes=True)),
    "Parquet": parquet,
    "JSON lines": json_lines,
    "Arrow or Feather file": arrow_file,
    "Arrow stream": arrow_stream,
    "Excel": excel,
    "SPSS": spss,
    "Stata": stata,
    "SAS transport": sas,
    "SQLite": sqlite,
    "zip archive": zip_archive,
    "glob": glob_of_text,
    "folder": folder_of_parquet,
    "pandas frame": lambda _: (frame(), {}),
    "polars frame": lambda _: (polars.from_arrow(arrow()), {}),
    "pyarrow table": lambda _: (arrow(), {}),
}
