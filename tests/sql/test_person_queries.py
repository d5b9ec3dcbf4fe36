"""People who have several rows, in databases: only counts cross, lists are never cut, and what is shown is run."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from idbits.engines.backends.explaining import MeasurementPlan
from idbits.engines.backends.persons import PersonRequest, Persons
from idbits.engines.open import open_table
from idbits.engines.sql.mysql import MySQL
from idbits.errors import EngineError
from idbits.reading import OpenOptions
from idbits.values.attributes import parse_attributes

MARK = "zqx"
EVERYTHING = PersonRequest(records=True, profiles=True, sets=True, multisets=True)
WHO, OWN = Persons("name"), Persons("name", null_is_own=True)
N_ROWS = 600


def cells(i: int) -> dict[str, Any]:
    person = i * i % 97
    return {
        "name": f"{MARK}-name-{person}" if person % 11 else None,
        "home": f"{MARK}-home-{person % 31}" if person % 7 else None,
        "town": f"{MARK}-town-{i % 13 * (i % 5)}" if i % 17 else None,
        "rare": f"{MARK}-rare-{max(0, i - N_ROWS + 5)}",
    }


@pytest.fixture(scope="module")
def address(database: Any) -> str:
    columns = [sa.Column(name, sa.String(40)) for name in cells(0)]
    database.fill("visits", columns, [cells(i) for i in range(N_ROWS)])
    return database.address


def opened(address: str, beside: Any = None) -> Any:
    table = open_table(address, OpenOptions(table="visits"), beside=beside)
    table.load(["name", "home", "town", "rare"])
    return table


def holds_cells(row: tuple[Any, ...]) -> bool:
    return any(MARK in (value.decode() if isinstance(value, bytes) else str(value)) for value in row)


def is_counts(row: tuple[Any, ...]) -> bool:
    """Whether a row has whole numbers and lists of whole numbers only."""
    texts = [value.decode() if isinstance(value, bytes) else str(value) for value in row]
    return all(re.fullmatch(r"[0-9]+(:[0-9]+)?(,[0-9]+:[0-9]+)*", text) for text in texts)


@pytest.mark.parametrize("persons", [WHO, OWN], ids=["left out", "own"])
def test_only_counts_cross(address: str, recording: Callable[[], Any], persons: Persons) -> None:
    with recording() as crossed:
        table = opened(address)
        (town,) = parse_attributes(["town"], table.columns)
        before = len(crossed.rows)
        table.person_counts(persons, [town], EVERYTHING, OpenOptions())
        table.household_counts("home", persons, [town], OpenOptions())
        population = opened(address, beside=table)
        between = len(crossed.rows)
        table.person_match(persons, [town], population, OWN, [town], EVERYTHING, OpenOptions())
        table.close()
    assert not any(map(holds_cells, crossed.rows))
    assert between > before + 10
    fetched = crossed.rows[before:]
    catalog = [row for row in fetched if not is_counts(row)]
    assert len([row for row in fetched if is_counts(row)]) > 20
    assert all(any(isinstance(value, str) for value in row) for row in catalog)


def test_labels_of_categories_cross_with_enough_people(address: str, recording: Callable[[], Any]) -> None:
    with recording() as crossed:
        table = opened(address)
        rare, town = parse_attributes(["rare", "town"], table.columns)
        found = table.person_categories(WHO, rare, [town], EVERYTHING, OpenOptions(), at_least=5)
        table.close()
    assert sorted(of.n_people for _, of in found.categories)[:4] == [1, 1, 1, 1]
    assert [label for label, of in found.categories if of.n_people < 5] == [None] * 4
    assert len([row for row in crossed.rows if holds_cells(row)]) == 1


def test_of_people_elsewhere_numbers_cross(address: str, recording: Callable[[], Any]) -> None:
    with recording() as crossed:
        table, other = opened(address), opened(address)
        (town,) = parse_attributes(["town"], table.columns)
        table.person_match(WHO, [town], other, None, [town], EVERYTHING, OpenOptions())
        assert any("numbers instead of the names" in note for note in table.notes)
        table.close()
        other.close()
    texts = [str(value) for row in crossed.rows for value in row]
    assert any(f"{MARK}-town" in text for text in texts)
    assert not any(f"{MARK}-name" in text for text in texts)


def test_lists_of_any_length(mariadb: Any) -> None:
    """MySQL cuts lists at 1,024 bytes unless it is told otherwise, and not with an error but with a warning."""
    columns = [sa.Column("name", sa.Integer()), sa.Column("n", sa.Integer())]
    # Two people who differ in their last value.
    mariadb.fill("long_lists", columns, [{"name": i % 2, "n": i // 2 if i < 2001 else 5000} for i in range(2002)])
    table = open_table(mariadb.address, OpenOptions(table="long_lists"))
    table.connection.prepare(["SET SESSION group_concat_max_len = 1024"])
    (n,) = parse_attributes(["n"], table.columns)
    assert table.person_counts(Persons("name"), [n], EVERYTHING, OpenOptions()).sets.pairs() == [(1, 2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MySQL, "list_settings", lambda _: ["SET SESSION group_concat_max_len = 1024"])
        for request in (PersonRequest(sets=True), PersonRequest(multisets=True), PersonRequest(profiles=True)):
            with pytest.raises(EngineError, match="cuts long lists"):
                table.person_counts(Persons("name"), [n], request, OpenOptions())
        with pytest.raises(EngineError, match="cuts long lists"):
            table.household_counts("name", Persons("name"), [n], OpenOptions())
    table.close()


def normal(statement: str) -> str:
    statement = re.sub(r"::[A-Z]+(\([0-9, ]*\))?|\bN'", lambda match: "'" if match[0] == "N'" else "", statement)
    return " ".join(statement.replace("%%", "%").split())


def test_what_is_shown_is_run(address: str, recording: Callable[[], Any]) -> None:
    with recording() as crossed:
        table = opened(address)
        town, home, rare = parse_attributes(["town", "home:prefix9", "rare"], table.columns)
        plan = MeasurementPlan(
            qids=[[town, home]], by=rare, person=None, values=False, least=5, exposed=None, persons=OWN,
            request=EVERYTHING,
        )  # fmt: skip
        statements = table.measurement_statements(plan)
        n_before = len(crossed.statements)
        table.person_counts(OWN, [town, home], EVERYTHING, OpenOptions())
        table.person_categories(OWN, rare, [town, home], EVERYTHING, OpenOptions(), at_least=5)
        table.close()
    shown = [normal(text) for reason, sql in statements for text in sql.split(";\n")]
    run = list(dict.fromkeys(normal(text) for text in crossed.statements[n_before:]))
    assert len(run) >= 12
    assert [text for text in run if text not in shown] == []
