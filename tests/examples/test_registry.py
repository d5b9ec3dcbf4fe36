"""The made-up registry has the entropies and tails of Alexin 2022; all are counted here by sorting."""

import datetime
import importlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet
import pytest
from numpy.typing import NDArray

from idbits.errors import InputError
from idbits.examples import registry, write_registry

HUNGARY = 10_004_090
CSV_TYPES = pyarrow.csv.ConvertOptions(column_types=registry(0).schema)

Groups = dict[str, NDArray[np.int64]]


def group_sizes(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many people share each key."""
    ordered = np.sort(keys)
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return np.diff(ends, prepend=-1)


def entropy(sizes: NDArray[np.int64]) -> float:
    shares = sizes / sizes.sum()
    return float(-(shares * np.log2(shares)).sum())


def people_with_bits(sizes: NDArray[np.int64], bits: int) -> int:
    """Return how many people a key tells at least so many bits about, as tables II, IV, VI and VIII do."""
    return int(sizes[np.log2(sizes.sum() / sizes) >= bits].sum())


def as_integers(table: pa.Table) -> Groups:
    days = table["birthdate"].cast(pa.int32()).to_numpy().astype(np.int64)
    return {
        "date": days,
        "month": days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64),
        "zip": table["zip"].cast(pa.int64()).to_numpy(),
        "man": pyarrow.compute.equal(table["gender"], "M").to_numpy().astype(np.int64),
    }


@pytest.fixture(scope="module")
def hungary() -> Groups:
    """Return the group sizes of a registry of the size of the published one, and its unique birth dates."""
    columns = as_integers(registry(HUNGARY))
    both = columns["zip"] * 100_000 + columns["date"]
    return {
        "zip": group_sizes(columns["zip"]),
        "date": group_sizes(columns["date"]),
        "month": group_sizes(columns["month"]),
        "date x zip": group_sizes(both),
        "date x zip x gender": group_sizes(both * 2 + columns["man"]),
        "unique dates": np.flatnonzero(np.bincount(columns["date"] + 30_000) == 1) - 30_000,
    }


@pytest.mark.big
@pytest.mark.parametrize(
    ("key", "bits", "tolerance"),
    [
        ("zip", 10.30, 0.05),
        ("date", 14.92, 0.05),
        ("month", 9.99, 0.05),
        ("date x zip", 22.80, 0.15),
        ("date x zip x gender", 22.99, 0.15),
    ],
)
def test_entropies_are_the_published_ones(hungary: Groups, key: str, bits: float, tolerance: float) -> None:
    assert hungary[key].sum() == HUNGARY
    assert entropy(hungary[key]) == pytest.approx(bits, abs=tolerance)


@pytest.mark.parametrize(
    ("key", "published"),
    [
        ("zip", {15: 0.49, 14: 3.02, 13: 9.66, 12: 21.39, 11: 34.75, 10: 52.08, 9: 73.66, 8: 88.44}),
        ("date", {20: 0.11, 19: 0.16, 18: 0.38, 17: 1.17, 16: 3.79, 15: 32.81, 14: 99.90}),
        ("date x zip", {23: 66.33, 22: 86.26, 21: 96.89, 20: 99.93}),
        ("date x zip x gender", {23: 78.43, 22: 94.00, 21: 99.38, 20: 99.99}),
    ],
    ids=["table II", "table IV", "table VI", "table VIII"],
)
def test_gains_resemble_the_published_tables(hungary: Groups, key: str, published: dict[int, float]) -> None:
    shares = {bits: 100 * people_with_bits(hungary[key], bits) / HUNGARY for bits in published}
    assert shares == pytest.approx(published, abs=1.0)


def test_tails_are_long(hungary: Groups) -> None:
    assert 50 <= hungary["zip"].min() <= 150
    assert 90_000 <= hungary["zip"].max() <= 110_000
    unique = hungary["unique dates"].astype("datetime64[D]")
    assert 500 <= len(unique) <= 1_200
    assert unique.max() < np.datetime64("1920-01-01")


@pytest.mark.parametrize("people", [0, 1, 1000])
def test_small_registries_have_the_same_schema(people: int) -> None:
    table = registry(people)
    table.validate(full=True)
    assert table.num_rows == people
    assert table.schema == pa.schema([("birthdate", pa.date32()), ("zip", pa.string()), ("gender", pa.string())])
    assert all(column.null_count == 0 for column in table.columns)


def test_values_are_in_range() -> None:
    columns = registry(50_000).to_pydict()
    assert datetime.date(1894, 12, 31) <= min(columns["birthdate"])
    assert max(columns["birthdate"]) <= datetime.date(2011, 12, 31)
    assert all(len(code) == 4 and 1011 <= int(code) <= 9985 for code in columns["zip"])
    assert set(columns["gender"]) == {"M", "F"}


def test_large_zips_are_spread_over_the_country() -> None:
    codes, counts = np.unique(as_integers(registry(200_000))["zip"], return_counts=True)
    largest = codes[np.argsort(counts)[-200:]]
    assert set(largest // 1000) == set(range(1, 10))


def test_old_people_are_mostly_women() -> None:
    columns = as_integers(registry(200_000))
    old = columns["date"] < np.datetime64("1930-01-01").astype(np.int64)
    assert columns["man"][old].mean() < 0.4
    assert columns["man"].mean() == pytest.approx(0.475, abs=0.01)


def test_size_and_seed_give_the_same_people_everywhere() -> None:
    # Pinned: a change of these rows changes every example that was ever printed.
    assert registry(3, seed=7).to_pylist() == [
        {"birthdate": datetime.date(1987, 11, 13), "zip": "4077", "gender": "F"},
        {"birthdate": datetime.date(1950, 8, 16), "zip": "3722", "gender": "M"},
        {"birthdate": datetime.date(1955, 2, 10), "zip": "6944", "gender": "F"},
    ]
    assert registry(1000, seed=7) == registry(1000, seed=7)
    assert registry(1000, seed=7) != registry(1000, seed=8)
    assert registry(1000) == registry(1000, seed=0)


@pytest.mark.parametrize("people", [0, 1, 25])
@pytest.mark.parametrize("name", ["people.parquet", "people.csv", "PEOPLE.CSV"])
def test_files_hold_the_same_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, people: int) -> None:
    # By name: the package attribute of that name is the function.
    monkeypatch.setattr(importlib.import_module("idbits.examples.registry"), "PEOPLE_PER_BATCH", 10)
    path = tmp_path / name
    write_registry(path, people, seed=3)
    if path.suffix == ".parquet":
        read = pyarrow.parquet.read_table(path)
    else:
        read = pyarrow.csv.read_csv(path, convert_options=CSV_TYPES)
    assert read == registry(people, seed=3)


def test_csv_is_plain(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    write_registry(str(path), 2)
    header, first, _ = path.read_text().splitlines()
    assert header.replace('"', "") == "birthdate,zip,gender"
    row = registry(2).to_pylist()[0]
    assert first == f"{row['birthdate']},{row['zip']},{row['gender']}"


def test_impossible_requests_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least 0, not -1"):
        registry(-1)
    for name, people in [("people.csv", -1), ("people.xlsx", 1), ("people", 1)]:
        with pytest.raises(InputError):
            write_registry(tmp_path / name, people)
    assert list(tmp_path.iterdir()) == []
