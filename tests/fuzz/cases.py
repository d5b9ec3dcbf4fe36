"""Files that nobody would write on purpose: seeded tables in mutated dialects, formats and bytes.

A case knows what must come out of it: the counts of its rows where nothing was damaged, or only that idbits answers or
refuses in one clear sentence without a cell value in it.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pyarrow
import pyarrow.feather
import pyarrow.parquet

MARKER = "Zq7x"
"""Part of every cell that could be recognised in a message."""

_PIECES = (
    "a", "A", "é", "e\u0301", "0101", "1", "01", "1.0", "-3", "NA", "null", "x y", " lead", "trail ", "'", "''", '"',
    '""', ",", ";", "\t", "|", "\n", "\r\n", "=1+1", "<b>", "&amp;", "'; DROP TABLE t; --", "😀", "שלום", "\\", "%s",
    "{0}", "1985-01-05", "05/01/1985", "#", "true", "\u200f", "ÿ", "€",
)  # fmt: skip
_NAMES = (
    "a", "b", "age", "zip code", 'six" pipe', "it's", "x;y", "x,y", "né", "年", "a:b", "<i>n</i>", "select", "1", "𝒳",
    "drop table t", "a.b", "[red]", "%", "-", "rtl שם",
)  # fmt: skip
_LATIN = str.maketrans({"\u0301": "", "😀": "", "ש": "", "ל": "", "ו": "", "ם": "", "\u200f": ""})


@dataclass
class Case:
    """One file, how it is opened, and the counts that must come out of it (None where it was damaged)."""

    name: str
    path: Path
    qid: list[str]
    expected: dict[int, int] | None
    reading: dict[str, Any] = field(default_factory=dict)
    markers: list[str] = field(default_factory=list)


Rows = list[list[str | None]]


def make_case(seed: int, folder: Path) -> Case:
    """Return the case of a seed, its file written to the folder."""
    rng = random.Random(seed)
    names = rng.sample(_NAMES, rng.randint(1, 6))
    pool = [_cell(rng) for _ in range(rng.randint(1, 12))]
    rows: Rows = [[rng.choice(pool) for _ in names] for _ in range(rng.choice((1, 2, 3, 10, 40, 300)))]
    writer = rng.choice((_text, _text, _text, _text, _text, _json, _parquet, _feather, _sqlite))
    case = writer(rng, folder, names, rows)
    case.markers = [cell for cell in pool if cell is not None and MARKER in cell]
    if rng.random() < 0.4:
        _damage(rng, case)
    return case


def _cell(rng: random.Random) -> str | None:
    roll = rng.random()
    if roll < 0.1:
        return ""
    if roll < 0.15:
        return None
    pieces = [rng.choice(_PIECES) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.5:
        pieces.append(f"{MARKER}{rng.randint(0, 99)}")
    if rng.random() < 0.01:
        pieces.append("x" * rng.choice((1_000, 100_000, 1_000_000)))
    return "".join(pieces)


def _counts(rows: Rows, places: list[int], empty_is_null: bool) -> dict[int, int]:
    def seen(cell: str | None) -> str | None:
        return None if empty_is_null and cell == "" else cell

    return dict(Counter(Counter(tuple(seen(row[place]) for place in places) for row in rows).values()))


def _chosen(rng: random.Random, names: list[str]) -> tuple[list[str], list[int]]:
    places = rng.sample(range(len(names)), rng.randint(1, len(names)))
    return [names[place] for place in places], places


def _text(rng: random.Random, folder: Path, names: list[str], rows: Rows) -> Case:
    encoding = rng.choice(("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252"))
    delimiter = rng.choice(",;\t|")
    if encoding == "cp1252":
        names = [name.translate(_LATIN).encode("cp1252", "ignore").decode("cp1252") or "n" for name in names]
        names = list(dict.fromkeys(names))
        rows = [[(c or "").translate(_LATIN) for c in row[: len(names)]] for row in rows]
    out = io.StringIO()
    end = rng.choice(("\n", "\r\n", "\r"))
    # Python's writer leaves a line break bare that is not part of the line end: such a file would have other rows.
    quoted = rng.choice((False, True)) if end == "\r\n" else True
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerow(names)
    for row in rows:
        if len(names) == 1 and not row[0]:
            # One empty field is written in quotes: an empty line would be no row.
            out.write(f'""{end}')
        else:
            writer.writerow(row)
    text = out.getvalue()
    qid, places = _chosen(rng, names)
    expected = _counts(rows, places, empty_is_null=True)
    reading: dict[str, Any] = {"delimiter": delimiter}
    if encoding == "cp1252":
        reading["encoding"] = encoding
    data, suffix = text.encode(encoding), ".csv"
    if rng.random() < 0.2:
        data, suffix = gzip.compress(data), ".csv.gz"
    elif rng.random() < 0.1:
        data, suffix = pyarrow.compress(data, "zstd", asbytes=True), ".csv.zst"
    path = folder / f"case{suffix}"
    path.write_bytes(data)
    return Case(f"text {encoding} {delimiter!r} {suffix}", path, qid, expected, reading)


def _json(rng: random.Random, folder: Path, names: list[str], rows: Rows) -> Case:
    path = folder / "case.jsonl"
    lines = [json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=rng.random() < 0.5) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    qid, places = _chosen(rng, names)
    return Case("json lines", path, qid, _counts(rows, places, empty_is_null=False))


def _table(names: list[str], rows: Rows) -> pyarrow.Table:
    columns = [pyarrow.array([row[place] for row in rows], pyarrow.string()) for place in range(len(names))]
    return pyarrow.table(columns, names=names)


def _parquet(rng: random.Random, folder: Path, names: list[str], rows: Rows) -> Case:
    path = folder / "case.parquet"
    pyarrow.parquet.write_table(_table(names, rows), path)
    qid, places = _chosen(rng, names)
    return Case("parquet", path, qid, _counts(rows, places, empty_is_null=False))


def _feather(rng: random.Random, folder: Path, names: list[str], rows: Rows) -> Case:
    path = folder / "case.feather"
    pyarrow.feather.write_feather(_table(names, rows), path, compression=rng.choice(("lz4", "uncompressed")))
    qid, places = _chosen(rng, names)
    return Case("feather", path, qid, _counts(rows, places, empty_is_null=False))


def _sqlite(rng: random.Random, folder: Path, names: list[str], rows: Rows) -> Case:
    path = folder / "case.db"
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        columns = ", ".join('"' + name.replace('"', '""') + '" TEXT' for name in names)
        connection.execute(f"CREATE TABLE people ({columns})")
        connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(names))})", rows)
    connection.close()
    qid, places = _chosen(rng, names)
    return Case("sqlite", path, qid, _counts(rows, places, empty_is_null=False))


def _damage(rng: random.Random, case: Case) -> None:
    data = bytearray(case.path.read_bytes())
    for _ in range(rng.randint(1, 4)):
        kind = rng.choice(_DAMAGES)
        kind(rng, data)
    case.path.write_bytes(bytes(data))
    case.expected = None
    case.name += " damaged"
    if rng.random() < 0.5:
        case.reading = {}


def _flip(rng: random.Random, data: bytearray) -> None:
    if data:
        data[rng.randrange(len(data))] = rng.randrange(256)


def _cut(rng: random.Random, data: bytearray) -> None:
    del data[rng.randint(0, len(data)) :]


def _cut_inside(rng: random.Random, data: bytearray) -> None:
    start = rng.randint(0, len(data))
    del data[start : start + rng.randint(0, 50)]


def _insert(rng: random.Random, data: bytearray) -> None:
    place = rng.randint(0, len(data))
    data[place:place] = rng.choice((b'"', b"\n", b"\r", b",", b";", b"\x00", b"\xff", b"\xef\xbb\xbf", b"{", b'"\n"'))


def _double(rng: random.Random, data: bytearray) -> None:
    start = rng.randint(0, len(data))
    data[start:start] = data[start : start + rng.randint(0, 200)]


_DAMAGES: tuple[Callable[[random.Random, bytearray], None], ...] = (_flip, _flip, _cut, _cut_inside, _insert, _double)
