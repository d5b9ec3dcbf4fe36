"""From a table to a signed entry: the figures are those of ``idbits measure``."""

from __future__ import annotations

import math
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from helpers import Publisher

import idbits
from idbits.engines.open import open_table
from idbits.errors import ColumnNotFoundError, InputError, NotEstimableError, RefusedError
from idbits.repository import Publication, PublicationDetails, publish
from idbits.repository.publishing import _cells
from idbits.values.attributes import parse_attributes


def people(n: int = 2000) -> pyarrow.Table:
    generator = random.Random(1)
    return pyarrow.table(
        {
            "plz": [f"10{generator.randrange(10, 20)}" for _ in range(n)],
            "sex": [generator.choice("FM") for _ in range(n)],
            "birthyear": [1950 + int(generator.triangular(0, 50, 40)) for _ in range(n)],
            "person": list(range(n)),
        }
    )


def published(
    city: Publisher, qid: Any, details: PublicationDetails | None = None, table: Any = None, **more: Any
) -> Publication:
    details = details or PublicationDetails(date="2020-01-01")
    return publish(
        people() if table is None else table, qid, {"City": "Berlin"}, city.store, city.signing, details, **more
    )


def test_the_figures_are_those_of_measure(city: Publisher) -> None:
    made = published(city, "sex,birthyear,plz", PublicationDetails(date="2020-01-01", person="person"))
    measured = idbits.measure(people(), "plz,sex,birthyear").to_dict()
    said = made.statement
    assert said.qid == ("birthdate:year", "gender", "postcode")
    assert said.population == (("municipality", "Berlin"),)
    assert (said.n_people, said.n_values) == (2000, measured["n_values"])
    # Some of these values have few people, so the entropy is rounded and kappa is computed from it.
    assert (said.entropy_bits, said.entropy_decimals) == (round(measured["entropy_bits"], 2), 2)
    assert said.kappa_nats == math.log(said.n_values) - said.entropy_bits * math.log(2)
    assert said.k_hat == 2000 / 2**said.entropy_bits
    assert any("rounded to 2 decimals" in note for note in made.notes)
    assert made.receipt is not None
    assert city.store.entry(made.receipt.ref).statement == said
    assert city.store.query(["PostalCode", "Gender", "BirthYear"], {"city": "berlin"}).exact[0].statement == said
    common = published(city, "sex,plz").statement
    measured = idbits.measure(people(), "plz,sex").to_dict()
    assert (common.kappa_nats, common.entropy_bits) == (measured["kappa_nats"], measured["entropy_bits"])
    assert "entropy_decimals" not in common.to_dict()


def test_a_table_in_a_database_is_counted_there(city: Publisher, tmp_path: Path) -> None:
    rows = people().select(["plz", "sex"]).to_pylist()
    with closing(sqlite3.connect(tmp_path / "people.db")) as database:
        database.execute("CREATE TABLE people (plz TEXT, sex TEXT)")
        database.executemany("INSERT INTO people VALUES (:plz, :sex)", rows)
        database.commit()
    address = f"sqlite:///{tmp_path / 'people.db'}"
    made = publish(
        address,
        "sex,plz",
        {"City": "Berlin"},
        city.store,
        city.signing,
        PublicationDetails(date="2020-01-01"),
        table="people",
    )
    measured = idbits.measure(people(), "plz,sex").to_dict()
    assert (made.statement.n_people, made.statement.entropy_bits) == (2000, measured["entropy_bits"])


def test_possible_values_and_transforms(city: Publisher) -> None:
    made = published(city, "birthyear:band10,plz:prefix3", PublicationDetails(date="2020-01-01", possible_values=500))
    assert made.statement.qid == ("birthdate:year:band10", "postcode:prefix3")
    assert made.statement.n_values == 500
    measured = idbits.measure(people(), "birthyear:band10,plz:prefix3", possible_values=500)
    assert made.statement.kappa_nats == measured.to_dict()["kappa_nats"]
    with pytest.raises(InputError, match="possible_values= is 3"):
        published(city, "birthyear", PublicationDetails(possible_values=3))


def test_the_distribution_leaves_small_cells_out(city: Publisher) -> None:
    made = published(city, "birthyear,sex", PublicationDetails(date="2020-01-01", distribution=True))
    cells = made.statement.distribution
    assert cells is not None
    assert min(cell.people for cell in cells.cells) >= 10
    assert cells.rest_people >= 10
    assert sum(cell.people for cell in cells.cells) + cells.rest_people == 2000
    values = idbits.measure(people(), "birthyear,sex", values=True).values
    assert values is not None
    assert len(values.rows) >= len(cells.cells)
    whole = published(city, "sex", PublicationDetails(date="2020-01-01", distribution=True))
    entry = city.store.entry(whole.receipt.ref)  # type: ignore[union-attr]
    assert idbits.predict.uniqueness(2, **entry.drawn_from()).probability.exact == pytest.approx(  # type: ignore[union-attr]
        idbits.predict.uniqueness(2, distribution=people(), attributes="sex").probability.exact  # type: ignore[union-attr]
    )


def test_a_rest_that_is_too_small_takes_cells_along(city: Publisher) -> None:
    table = pyarrow.table({"sex": ["F"] * 500 + ["M"] * 480 + ["X"] * 15 + ["Y"] * 5})
    with closing(open_table(table)) as opened:
        opened.load(["sex"])
        attributes = parse_attributes(["sex"], opened.columns)
        cells = _cells(opened, attributes, opened.spectrum(attributes))
    assert ([cell.people for cell in cells.cells], cells.rest_values, cells.rest_people) == ([500, 480], 2, 20)
    # Two left-out values of 20 people have few solutions: the entropy would complete them.
    with pytest.raises(RefusedError, match="left-out values"):
        published(city, "sex", PublicationDetails(date="2020-01-01", distribution=True), table)


def test_rare_values_among_few_are_refused(city: Publisher) -> None:
    table = pyarrow.table({"sex": ["F"] * 99 + ["M"]})
    with pytest.raises(RefusedError, match="small-cell") as refused:
        published(city, "sex", table=table)
    assert refused.value.rule == "small-cell"
    assert "99" not in str(refused.value)
    assert city.store.entries().entries == ()


def test_a_column_that_could_contradict_the_population(city: Publisher) -> None:
    table = people().append_column("Town", [["Berlin"] * 2000])
    with pytest.raises(InputError, match='column "Town"'):
        published(city, "sex", table=table)
    assert published(city, "sex", table=table, where="Town = 'Berlin'").receipt is not None


def test_a_filter_must_leave_one_population(city: Publisher) -> None:
    towns = people().append_column("Town", [["Berlin", "Potsdam"] * 1000])
    with pytest.raises(InputError, match=r'column "Town".*several values'):
        published(city, "plz", table=towns, where="sex = 'F'")
    made = published(city, "plz", table=towns, where="sex = 'F' and Town = 'Potsdam'")
    assert any('column "Town"' in note and "--population" in note for note in made.notes)
    women = publish(
        people(), "plz", {"City": "Berlin", "Postcode:prefix3": "101", "Gender": "f"}, city.store, city.signing,
        PublicationDetails(date="2020-01-01"), where="plz like '101%' and sex = 'F'",
    )  # fmt: skip
    assert women.receipt is not None
    assert women.notes == ()


def test_other_names_and_a_dry_run(city: Publisher) -> None:
    table = people().rename_columns(["area", "s", "y", "person"])
    details = PublicationDetails(names={"area": "postcode", "s": "gender"}, holder="City")
    made = published(city, ["area:prefix2", "s"], details, table, dry_run=True)
    assert (made.statement.qid, made.receipt) == (("gender", "postcode:prefix2"), None)
    assert city.store.entries().entries == ()
    assert any("today" in note for note in made.notes)
    with pytest.raises(InputError, match="no attribute"):
        published(city, "y", details, table)


def test_what_cannot_be_published(city: Publisher, tmp_path: Path) -> None:
    with pytest.raises(ColumnNotFoundError):
        published(city, "odd")
    with pytest.raises(NotEstimableError):
        published(city, "sex", table=people(0))
    with pytest.raises(InputError, match="day"):
        published(city, "sex", PublicationDetails(date="soon"))
    with pytest.raises(NotEstimableError, match="enough people"):
        published(city, "person", PublicationDetails(names={"person": "employer"}, distribution=True))
    with pytest.raises(idbits.DataError):
        published(city, "sex", PublicationDetails(person="sex"))


def test_every_kind_of_source(city: Publisher, tmp_path: Path) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.csv.write_csv(people(), tmp_path / "people.csv")
    pyarrow.parquet.write_table(people(), tmp_path / "people.parquet")
    made = {
        published(city, "sex,plz", table=str(tmp_path / name)).statement for name in ("people.csv", "people.parquet")
    }
    assert len(made) == 1


def test_questionnaires_by_reference(city: Publisher) -> None:
    whole = published(city, "sex", PublicationDetails(date="2020-01-01", distribution=True)).receipt
    kappa = published(city, "plz", PublicationDetails(date="2020-01-01")).receipt
    assert whole is not None
    assert kappa is not None
    asked = [{"name": "sex", "entry": whole.ref}, {"name": "place", "entry": kappa.ref}]
    answer = idbits.questionnaire(
        {"population": 10_000, "questions": asked}, entries=lambda ref: city.store.entry(ref).drawn_from()
    )
    bits = city.store.entry(kappa.ref).statement.entropy_bits
    first, second = answer.steps
    assert first.crowd.expected == pytest.approx(10_000 / 2 ** city.store.entry(whole.ref).statement.entropy_bits)
    assert second.crowd.expected == pytest.approx(first.crowd.expected / 2**bits)
    assert second.crowd.expected_at_most == pytest.approx(second.crowd.expected)
    assert second.crowd.to_dict()["reasons"].keys() == {"mean_crowd", "worst_case", "unique_people"}
    assert f"Expect {math.floor(second.crowd.expected)} people to share all answers" in " ".join(str(answer).split())
    largest = max(idbits.measure(people(), "plz", values=True).values.rows, key=lambda row: row.people).people / 2000  # type: ignore[union-attr]
    assert second.crowd.best_case >= first.crowd.best_case * largest
    with pytest.raises(InputError, match="no repository"):
        idbits.questionnaire({"population": 10_000, "questions": asked})
