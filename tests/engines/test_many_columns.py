"""Short columns are described together: each gets the profile that it gets by itself."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from idbits.engines.base import OpenOptions, Table
from idbits.engines.duckdb import profiles
from idbits.engines.open import open_table

COLUMNS = {
    "born": ["1990-01-02", "02.03.1991", "", "1.4.1992", "May 1993", "2001-02-03"],
    "number": ["1", "2", "3", "4", "5", "900"],
    "price": ["1.50", "-2", "0.0", "7.25", "", "NA"],
    "code": ["007", "008", "009", "010", "011", "012"],
    "mail": ["a@example.org", "b@example.org", "c@example.org", " x", "y ", "z z"],
    "empty": ["", "", "", "", "", ""],
    "same": ["x", "x", "x", "x", "x", "x"],
    "falling": ["9", "8", "7", "6", "5", "4"],
    "people": ["1", "2", "0", "3", "1", "1"],
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "many.csv"
    rows = zip(*COLUMNS.values(), strict=True)
    path.write_text("\n".join([",".join(COLUMNS), *(",".join(row) for row in rows)]) + "\n")
    return path


def opened(path: Path, **options: object) -> Iterator[Table]:
    with closing(open_table(path, OpenOptions(**options))) as table:  # type: ignore[arg-type]
        table.load([name for name in COLUMNS if name != options.get("count")])
        yield table


@pytest.mark.parametrize("options", [{}, {"count": "people"}])
def test_together_as_alone(path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, object]) -> None:
    names = [name for name in COLUMNS if name not in options.values()]
    found = []
    for most in (1, 2, 500):
        monkeypatch.setattr(profiles, "_MOST_TOGETHER", most)
        for table in opened(path, **options):
            pairs = {name: table.rising_pairs(name) for name in names} if not options else {}
            found.append(({name: table.profile(name) for name in names}, pairs))
    assert found[0] == found[1] == found[2]
    alone, pairs = found[0]
    if not options:
        assert alone["number"].span == 900
    assert alone["empty"].distinct == 0
    assert alone["mail"].shapes is not None
    # Nobody has the third row if people are counted.
    assert alone["mail"].shapes.shapes["emails"] == (2 if options else 3)
    if pairs:
        assert (pairs["number"], pairs["falling"]) == ((5, 5), (0, 5))


def test_few_statements_describe_many_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{i}" for i in range(300)) + "\n" + ",".join(str(i) for i in range(300)) + "\n")
    statements = []
    from idbits.engines.duckdb.connection import DuckDBConnection

    execute = DuckDBConnection._execute
    monkeypatch.setattr(
        DuckDBConnection, "_execute", lambda self, sql, label: statements.append(sql) or execute(self, sql, label)
    )
    with closing(open_table(path)) as table:
        table.load(list(table.columns))
        before = len(statements)
        assert [table.profile(name).distinct for name in table.columns] == [1] * 300
    assert len(statements) - before < 20
    assert not any(sql.startswith("CREATE TEMP VIEW") for sql in statements)
