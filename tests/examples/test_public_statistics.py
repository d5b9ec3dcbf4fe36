"""The public statistics in the package: few bytes, with their attribution, and the counts of their publishers."""

import csv
import gzip
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from idbits.examples.public import AMERICAN_BIRTHS, DUTCH_AGES, NORWEGIAN_AGES, STATISTICS, PublicStatistic
from idbits.examples.public.condense import PUBLISHED_FILES, condense, main

MOST_BYTES = 300_000

Counts = Counter[tuple[str, int]]


def counts(statistic: PublicStatistic) -> Counts:
    names = (statistic.row, statistic.column, statistic.count)
    rows = [tuple(row[name] for name in names) for row in statistic.table().to_pylist()]
    assert len({row[:2] for row in rows}) == len(rows)
    return Counter({(row, column): count for row, column, count in rows})


def test_all_files_together_are_small() -> None:
    folder = files("idbits.examples.public")
    sizes = {entry.name: len(entry.read_bytes()) for entry in folder.iterdir() if entry.name.endswith(".gz")}
    assert set(sizes) == {statistic.file for statistic in STATISTICS}
    assert 0 < sum(sizes.values()) <= MOST_BYTES


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda statistic: statistic.file)
def test_each_file_names_its_publisher_and_licence(statistic: PublicStatistic) -> None:
    head = [line for line in statistic.text().splitlines() if line.startswith("#")]
    assert head == [f"# {line}" for line in statistic.attribution]
    page = files("idbits.examples.public").joinpath("ATTRIBUTION.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if f"`{statistic.file}`" in line)
    facts = (statistic.publisher, statistic.what, statistic.licence, statistic.licence_address, statistic.changes)
    for fact in facts:
        assert fact in row
        assert fact in "\n".join(head)
    for fact in (statistic.publisher, statistic.what, statistic.licence):
        assert fact in statistic.source


def test_totals_and_single_counts() -> None:
    dutch, norwegian, births = map(counts, STATISTICS)
    assert (dutch.total(), len(dutch)) == (17_811_291, 2 * 101)
    assert (dutch["F", 0], dutch["M", 0]) == (81_885, 85_744)
    assert norwegian.total() == 5_328_212
    assert len({code for code, _ in norwegian}) == 422
    assert all(len(code) == 4 and code.isdecimal() for code, _ in norwegian)
    # Zero people is a count; a combination that cannot occur is none.
    assert 0 in norwegian.values()
    assert len(births) == 366
    assert ("02", 29) in births
    assert ("02", 30) not in births
    assert births["02", 29] < births["02", 28] / 3
    assert births["12", 25] < births["12", 18]


def test_the_files_are_made_from_those_of_their_publishers(shared_data: Path) -> None:
    texts = condense(shared_data)
    assert texts == {statistic.file: statistic.text() for statistic in STATISTICS}


def test_the_counts_are_those_of_a_plain_reading(shared_data: Path) -> None:
    dutch: Counts = Counter()
    with (shared_data / "nl-ages.csv").open(encoding="utf-8-sig") as file:
        for row in csv.DictReader(file, delimiter=";"):
            if row["jaar"] == "2023" and row["geslacht"] in ("F", "M"):
                dutch[row["geslacht"], int(row["leeftijd"])] += int(row["aantal"])
    assert counts(DUTCH_AGES) == dutch
    births: Counts = Counter()
    with (shared_data / "us-births.csv").open() as file:
        for row in csv.DictReader(file):
            births[f"{int(row['month']):02}", int(row["date_of_month"])] += int(row["births"])
    assert counts(AMERICAN_BIRTHS) == births


@pytest.mark.big
def test_the_counts_of_norway_are_those_of_a_plain_reading(shared_data: Path) -> None:
    norwegian: Counts = Counter()
    cells = 0
    with gzip.open(shared_data / "norway-municipality-ages.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if row["year"] == "2019.0" and row["level"] == "municipality":
                assert row["imputed"] == "False"
                norwegian[row["location_code"].removeprefix("municip"), int(float(row["age"]))] += int(
                    float(row["pop"])
                )
                cells += 1
    assert counts(NORWEGIAN_AGES) == norwegian
    assert len(norwegian) == cells


def test_a_wrong_call_of_the_script_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("usage: ")
    assert main([str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert all(name in said for name in PUBLISHED_FILES)
    assert said.count("\n") == 1


def test_a_combination_that_occurs_twice_is_refused() -> None:
    table = DUTCH_AGES.table()
    with pytest.raises(ValueError, match="twice"):
        DUTCH_AGES.written(table.take([0, 1, 0]))
