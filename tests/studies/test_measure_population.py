"""A release looked up in a population (SPEC section 1, population reference)."""

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import idbits

POPULATION = [("1011", "F")] * 40 + [("1011", "M")] * 23 + [("9985", "F")] + [("9985", None)] * 2 + [("4032", "M")]
RELEASE = [("1011", "F")] * 3 + [("1011", "M")] + [("9985", "F")] + [("9985", None)]
STRANGERS = [("SECRETZIP", "F")] * 2 + [("1011", "SECRETSEX")]


def table_of(rows: list[tuple[str, str | None]]) -> pa.Table:
    return pa.table({"zip": [row[0] for row in rows], "sex": [row[1] for row in rows]})


def check_against(data: dict, release: list, population: list) -> None:
    sizes = Counter(population)
    k = np.array([sizes[row] for row in release])
    n, entropy = len(population), float(np.mean(np.log2(len(population) / k)))
    assert data["n_rows"] == len(release)
    assert data["n_reference"] == n
    assert data["entropy_bits"] == pytest.approx(entropy, rel=1e-12)
    assert data["max_entropy_bits"] == pytest.approx(math.log2(n), rel=1e-12)
    assert data["k_hat"] == pytest.approx(n / 2**entropy, rel=1e-12)
    assert data["singletons"] == int((k == 1).sum())
    assert (data["k_min"], data["k_max"], data["n_sets"]) == (k.min(), k.max(), len(set(release)))
    assert data["mean_risk"] == pytest.approx(float(np.mean(1 / k)), rel=1e-12)
    assert data["people_below"] == {str(t): int((k < t).sum()) for t in (2, 5, 10)}
    assert data["bits_quantiles"]["max"] == pytest.approx(math.log2(n / k.min()), rel=1e-12)
    for row in data["gain_table"]:
        assert row["people"] == int((k * 2 ** row["bits"] <= n).sum())
    for key in ("guaranteed_singletons", "kappa_nats", "renyi_bits"):
        assert data[key] is None
        assert data["reasons"][key]


def test_sizes_come_from_the_population() -> None:
    result = idbits.measure(table_of(RELEASE), ["zip", "sex"], population=table_of(POPULATION))
    data = result.to_dict()
    check_against(data, RELEASE, POPULATION)
    assert data["singletons"] == 1
    assert data["population"] == {
        "n_people": len(POPULATION), "unbounded_values": 0, "unbounded_people": 0, "overfull_values": 0,
    }  # fmt: skip
    assert "population of 67 people" in str(result)


def test_someone_alone_in_the_release_only_is_no_singleton() -> None:
    data = idbits.measure(table_of([("1011", "M")]), ["zip"], population=table_of(POPULATION)).to_dict()
    assert (data["singletons"], data["k_min"]) == (0, 63)


def test_a_population_that_is_the_table_itself_is_a_population() -> None:
    same = table_of(POPULATION)
    check_against(idbits.measure(same, ["zip", "sex"], population=same).to_dict(), POPULATION, POPULATION)


def test_a_counted_population_is_the_same() -> None:
    counted = Counter(POPULATION)
    table = table_of(list(counted)).append_column("how_many", [list(counted.values())])
    release = table_of(RELEASE)
    one = idbits.measure(release, ["zip", "sex"], population=table, population_count="how_many").to_dict()
    assert one == idbits.measure(release, ["zip", "sex"], population=table_of(POPULATION)).to_dict()


def test_a_counted_release_is_the_same() -> None:
    counted = Counter(RELEASE)
    table = table_of(list(counted)).append_column("how_many", [list(counted.values())])
    data = idbits.measure(table, ["zip", "sex"], population=table_of(POPULATION), count="how_many").to_dict()
    check_against(data, RELEASE, POPULATION)


def test_missing_values_are_counted_and_never_named() -> None:
    with pytest.raises(idbits.DataError, match=r"lacks 2 values .*\(3 records\)") as caught:
        idbits.measure(table_of(RELEASE + STRANGERS), ["zip", "sex"], population=table_of(POPULATION))
    assert "SECRET" not in str(caught.value)


def test_a_value_that_the_population_counts_as_zero_is_missing() -> None:
    population = pa.table({"zip": ["1011", "9985"], "how_many": [5, 0]})
    with pytest.raises(idbits.DataError, match="lacks 1 value"):
        idbits.measure(pa.table({"zip": ["9985"]}), ["zip"], population=population, population_count="how_many")


def test_missing_values_can_be_reported_apart() -> None:
    release, population = table_of(RELEASE + STRANGERS), table_of(POPULATION)
    result = idbits.measure(release, ["zip", "sex"], population=population, missing="unbounded")
    data = result.to_dict()
    check_against(data, RELEASE, POPULATION)
    assert (data["population"]["unbounded_values"], data["population"]["unbounded_people"]) == (2, 3)
    assert "unbounded" in str(result)
    for shown in (str(result), result.to_json(), result._repr_html_()):
        assert "SECRET" not in shown


def test_unbounded_records_are_never_called_harmless() -> None:
    release = pa.table({"zip": ["1011"] * 12 + ["nowhere"] * 3})
    result = idbits.measure(release, ["zip"], population=pa.table({"zip": ["1011"] * 50}), missing="unbounded")
    assert "Nobody stands out" not in str(result)


def test_a_population_that_holds_nobody_of_the_release() -> None:
    release, population = table_of(STRANGERS), table_of(POPULATION)
    with pytest.raises(idbits.NotEstimableError, match="none of the release"):
        idbits.measure(release, ["zip", "sex"], population=population, missing="unbounded")


def test_more_people_than_the_population_is_said() -> None:
    result = idbits.measure(table_of([("4032", "M")] * 3), ["zip"], population=table_of(POPULATION))
    assert result.population.overfull_values == 1
    assert "does not contain this release" in str(result)


def test_columns_of_the_population_are_found_or_missed_by_name() -> None:
    with pytest.raises(idbits.ColumnNotFoundError, match="sex"):
        idbits.measure(table_of(RELEASE), ["zip", "sex"], population=pa.table({"zip": ["1011"]}))


def test_numbers_match_their_text(tmp_path) -> None:
    (tmp_path / "population.csv").write_text("age,sex\n34,F\n34,F\n35,M\n")
    release = pa.table({"age": [34, 35], "sex": ["F", "M"]})
    data = idbits.measure(release, ["age", "sex"], population=tmp_path / "population.csv").to_dict()
    assert data["spectrum"] == [[1, 1], [2, 1]]


@pytest.mark.parametrize("options", [{"by": "sex"}, {"values": True}])
def test_what_does_not_go_with_a_population(options: dict) -> None:
    with pytest.raises(idbits.InputError):
        idbits.measure(table_of(RELEASE), ["zip"], population=table_of(POPULATION), **options)
