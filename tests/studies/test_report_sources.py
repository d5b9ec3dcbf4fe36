"""A report of every kind of source: what cannot be made is left out with the reason, and the report never fails."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
import sqlalchemy as sa

import databases
import idbits
from idbits.render.page import plain

# How a section that is left out is named, by its key among the reasons of the JSON output.
NAMED = {
    "disclosure": "What groups give away",
    "population": "Who is unique in the population",
    "advice": "Treatments",
    "columns": "Combinations of columns",
    "gain": "Information gain",
    "sweep": "One column coarsened step by step",
}


def people(n: int = 60) -> pa.Table:
    return pa.table(
        {
            "age": [20 + row % 13 for row in range(n)],
            "sex": ["FM"[row % 2] for row in range(n)],
            "ill": ["flu" if row % 3 else "cold" for row in range(n)],
        }
    )


def visits() -> pa.Table:
    return people(60).append_column("person", pa.array([row // 3 for row in range(60)]))


def in_sqlite(folder: Path) -> dict[str, Any]:
    address = f"sqlite:///{folder / 'people.db'}"
    columns = (sa.Column("age", sa.Integer), sa.Column("sex", sa.Text), sa.Column("ill", sa.Text))
    databases.fill(address, sa.Table("people", sa.MetaData(), *columns), people().to_pylist())
    return {"source": address, "table": "people"}


def in_a_file(folder: Path) -> dict[str, Any]:
    pyarrow.csv.write_csv(people(), folder / "people.csv")
    return {"source": folder / "people.csv"}


def of_nulls(folder: Path) -> dict[str, Any]:
    del folder
    nothing = pa.nulls(40, pa.string())
    return {"source": pa.table({"age": nothing, "sex": nothing, "ill": nothing})}


def of_a_hundred_columns(folder: Path) -> dict[str, Any]:
    del folder
    more = {f"more {number}": [row * number % (2 + number % 7) for row in range(60)] for number in range(97)}
    table = people()
    for name, values in more.items():
        table = table.append_column(name, pa.array(values))
    return {"source": table, "qid": [name for name in table.column_names if name != "ill"]}


SOURCES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "a file": in_a_file,
    "a database": in_sqlite,
    "nothing but nulls": of_nulls,
    "a hundred columns": of_a_hundred_columns,
    "a frame": lambda _: {"source": people()},
    "one row": lambda _: {"source": people(1)},
    "two rows": lambda _: {"source": people(2)},
    "several rows per person": lambda _: {"source": visits(), "person": "person"},
    "all records of a person": lambda _: {"source": visits(), "person": "person", "knows": "all-records"},
    "a record at random": lambda _: {"source": visits(), "person": "person", "knows": "any-record"},
    "equal records count": lambda _: {
        "source": visits(), "person": "person", "knows": "all-records", "multiset": True,
    },
    "counted": lambda _: {"source": people().append_column("n", pa.array([5] * 60)), "count": "n"},
    "categories": lambda _: {"source": people(), "by": "sex"},
    "against a population": lambda _: {"source": people(), "population": people(), "fraction": None},
}  # fmt: skip
LEFT_OUT = {
    "a database": {"advice", "sweep"},
    "several rows per person": {"advice", "disclosure", "population"},
    "all records of a person": {"advice", "disclosure", "population"},
    "a record at random": {"advice", "disclosure", "population"},
    "equal records count": {"advice", "disclosure", "population", "columns"},
    "against a population": {"advice", "columns", "disclosure", "gain"},
}


@pytest.mark.parametrize("name", list(SOURCES))
def test_a_report_is_made_of_every_source_and_says_what_it_leaves_out(name: str, tmp_path: Path) -> None:
    options = {"qid": ["age", "sex"], "sensitive": "ill", "fraction": 0.5} | SOURCES[name](tmp_path)
    report = idbits.report(options.pop("source"), **options)
    page = report.to_html()
    assert page.rstrip().endswith("</html>")
    assert report.to_markdown()
    assert str(report)
    shown = {section.name: section for section in report.page.sections}
    said = [plain(item) for item in shown["not-assessed"].items]
    reasons = report.to_dict()["reasons"]
    assert LEFT_OUT.get(name, set()) <= set(reasons)
    for key in set(reasons) & set(NAMED):
        if key == "sweep" and "gain" in reasons:
            continue
        section = "changes" if key == "advice" else key
        if key == "columns" and len(report.measurement.qid) == 1:
            continue
        # The bits of single columns are there in any case.
        assert section not in shown or key == "columns", key
        assert [item for item in said if item.startswith(f"{NAMED[key]}: ")], key
    for section in shown.values():
        assert section.title
        assert not re.search(r"\bNone\b|\bnan\b|\binf\b", plain(" ".join((section.title, *section.text)))), section
    # Nothing on the page is empty: no heading without anything under it.
    for section in shown.values():
        assert section.text or section.figures or section.tables or section.items or section.terms, section.name


@pytest.mark.parametrize("name", ["one row", "nothing but nulls", "a hundred columns"])
def test_odd_tables_are_drawn_without_strange_numbers(name: str, tmp_path: Path) -> None:
    options = {"qid": ["age", "sex"], "sensitive": "ill", "fraction": 0.5} | SOURCES[name](tmp_path)
    page = idbits.report(options.pop("source"), **options).to_html()
    drawings = re.findall('<svg class="drawing.*?</svg>', page, re.DOTALL)
    assert len(drawings) >= 4
    assert not [drawing for drawing in drawings if re.search(r'="-?(?:nan|inf)|NaN', drawing)]
