"""A sample and its population: the answer from a table, whatever engine, order of rows or weights."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import idbits
from idbits.counts import Spectrum
from idbits.errors import DataError, InputError, NotEstimableError
from idbits.measures.population.estimate import estimate_population
from idbits.measures.population.sample import Sample

QID = ["age", "zip", "sex"]


def frame(n: int = 1500, seed: int = 1, **more: list[Any]) -> pyarrow.Table:
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(45, 18, n), 18, 90).astype(int)
    zips = 1000 + np.minimum(rng.geometric(0.03, n), 150)
    columns = {"age": age.tolist(), "zip": zips.astype(str).tolist(), "sex": rng.choice(["F", "M"], n).tolist()}
    return pyarrow.table(columns | more)


PEOPLE = frame()


@pytest.fixture(scope="module")
def answer() -> idbits.PopulationAnswer:
    return idbits.population(PEOPLE, QID, people=15_000, all=True, sizes="1000,1e5", rows_are_people=True)


def test_the_answer_is_that_of_its_group_sizes(answer: idbits.PopulationAnswer) -> None:
    measured = idbits.measure(PEOPLE, QID)
    assert (answer.n_rows, answer.n_sets, answer.sample_uniques) == (1500, measured.n_sets, measured.singletons)
    assert answer.fraction == 0.1
    assert answer.sample.entropy_bits == measured.entropy_bits
    assert answer.sample.max_entropy_bits == measured.max_entropy_bits
    assert answer.tau1.value == pytest.approx((answer.pi.value or 0) * answer.sample_uniques)
    assert answer.uniques.value == pytest.approx(10 * (answer.tau1.value or 0))


def test_json_has_the_keys_of_the_specification(answer: idbits.PopulationAnswer) -> None:
    data = json.loads(answer.to_json())
    assert data["command"] == "population"
    expected = {
        "n_rows", "people", "fraction", "n_sets", "sample_uniques", "method", "estimability", "reason", "validated",
        "verdict", "verdict_level", "verdict_reasons", "pi", "tau1", "tau2", "unique_share", "uniques", "correctness",
        "entropy_bits", "k_hat", "bounds", "people_below", "sample", "validation", "estimators", "sizes", "fit",
        "weights", "assumptions",
    }  # fmt: skip
    assert expected <= set(data)
    for name in ("pi", "tau1", "tau2", "unique_share", "uniques", "correctness", "entropy_bits", "k_hat"):
        assert set(data[name]) == {"value", "low", "high"}
    assert {"pi", "tau1", "unique_share"} <= set(data["bounds"])
    assert set(data["people_below"]) == {"2", "5", "10"}
    assert set(data["sample"]) == {"entropy_bits", "miller_madow", "grassberger", "chao_shen", "max_entropy_bits"}
    assert {"fraction", "replicates", "error_logit"} <= set(data["validation"])
    assert set(data["validation"]["replicates"][0]) == {"n", "sample_uniques", "truth", "estimate", "other"}
    assert [each["name"] for each in data["estimators"]] == [
        "match_regression", "local_gamma", "pitman", "pitman_arx", "zayatz", "snb", "dankar", "favaro", "loglinear",
        "benedetti_franconi",
    ]  # fmt: skip
    assert set(data["sizes"][0]) == {
        "people", "unique_share", "correctness", "entropy_bits", "pitman_correctness", "exact",
    }  # fmt: skip
    assert list(data["fit"]["parameters"]) == ["b", "rho", "a0", "a1", "e", "w0", "m0", "w1"]
    assert {"columns", "parameters", "sigma", "kap", "pitman"} <= set(data["fit"])
    assert data["weights"] is None
    assert "weights" in data["reasons"]


def test_the_order_of_rows_changes_nothing(answer: idbits.PopulationAnswer) -> None:
    shuffled = PEOPLE.take(np.random.default_rng(0).permutation(len(PEOPLE)))
    other = idbits.population(shuffled, QID, people=15_000, all=True, sizes="1000,1e5", rows_are_people=True)
    assert other.to_dict() == answer.to_dict()


def test_a_file_and_a_counted_table_give_the_same_answer(answer: idbits.PopulationAnswer, tmp_path: Path) -> None:
    pyarrow.parquet.write_table(PEOPLE, tmp_path / "people.parquet")
    asked: dict[str, Any] = {"people": 15_000, "all": True, "sizes": "1000,1e5"}
    from_file = idbits.population(tmp_path / "people.parquet", QID, rows_are_people=True, **asked)
    counted = PEOPLE.group_by(QID).aggregate([("sex", "count")]).rename_columns([*QID, "people"])
    from_counts = idbits.population(counted, QID, count="people", **asked)
    assert from_file.to_dict() == answer.to_dict()
    assert from_counts.to_dict() == answer.to_dict()


def test_a_fraction_is_a_number_of_people() -> None:
    by_people = idbits.population(PEOPLE, QID, people=15_000).to_dict()
    assert idbits.population(PEOPLE, QID, fraction=0.1).to_dict() == by_people


def test_the_whole_population_is_measured() -> None:
    answer = idbits.population(PEOPLE, QID, people=1500)
    measured = idbits.measure(PEOPLE, QID)
    assert answer.estimability == answer.method == "exact"
    assert answer.entropy_bits.value == measured.entropy_bits
    assert answer.k_hat.value == measured.k_hat
    assert answer.correctness.value == measured.mean_risk
    assert answer.uniques.value == measured.singletons
    assert {name: figure.value for name, figure in answer.people_below.items()} == measured.people_below
    assert "whole population" in str(answer)


def test_one_column_is_estimated_from_its_group_sizes() -> None:
    answer = idbits.population(PEOPLE, ["zip"], people=15_000)
    spectrum = idbits.measure(PEOPLE, ["zip"]).figures.spectrum
    assert answer.method == "local_gamma"
    sizes = pyarrow.table({"k": spectrum.sizes, "sets": spectrum.sets})
    other = idbits.population(spectrum=sizes, people=15_000)
    assert other.figures == answer.figures
    assert other.unit == "people"
    expected = estimate_population(Sample(spectrum=spectrum, fraction=0.1))
    assert answer.figures == expected.figures


# Weights, strata and marginals.


def test_equal_weights_are_a_fraction() -> None:
    plain = idbits.population(PEOPLE, QID, fraction=0.2)
    weighted = idbits.population(frame(w=[5] * 1500), QID, weight="w")
    assert weighted.people == plain.people == 7500
    assert weighted.weights is not None
    assert (weighted.weights.share, weighted.weights.min, weighted.weights.max) == (1.0, 5.0, 5.0)
    for name, figure in plain.figures.items():
        assert weighted.figures[name].value == pytest.approx(figure.value, rel=1e-6)


def test_strata_are_weights(tmp_path: Path) -> None:
    stratum = ["a" if index % 3 else "b" for index in range(1500)]
    sampled = {name: stratum.count(name) for name in "ab"}
    sizes = {"a": 4_000, "b": 10_000}
    weights = [sizes[name] / sampled[name] for name in stratum]
    table = frame(stratum=stratum, w=weights)
    by_weight = idbits.population(table, QID, weight="w")
    known = pyarrow.table({"stratum": list(sizes), "people": list(sizes.values())})
    by_strata = idbits.population(table, QID, strata="stratum", stratum_sizes=known)
    assert by_strata.people == by_weight.people == 14_000
    for name, figure in by_weight.figures.items():
        assert by_strata.figures[name].value == pytest.approx(figure.value, rel=1e-9)
    assert by_weight.weights is not None
    assert (by_weight.weights.share or 0) < 0.6
    few = pyarrow.table({"stratum": ["a"], "people": [4_000]})
    with pytest.raises(DataError, match="lack 1 value of the sample"):
        idbits.population(table, QID, strata="stratum", stratum_sizes=few)
    small = pyarrow.table({"stratum": ["a", "b"], "people": [4_000, 3]})
    with pytest.raises(DataError, match=r"1 value of .* fewer people in the population than in the sample"):
        idbits.population(table, QID, strata="stratum", stratum_sizes=small)


def test_the_order_of_rows_changes_nothing_with_weights() -> None:
    rng = np.random.default_rng(5)
    table = frame(w=(1 + rng.gamma(2, 4, 1500)).tolist())
    shuffled = table.take(rng.permutation(1500))
    assert idbits.population(shuffled, QID, weight="w").to_dict() == idbits.population(table, QID, weight="w").to_dict()


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([0.5, *[2.0] * 1499], 'the weight column "w" is below 1 in 1 row'),
        ([None, None, *[2.0] * 1498], "does not in 2 rows"),
        (["x", *["2"] * 1499], "does not in 1 row"),
        ([1e30] * 1500, "more than 2\\^53 people \\(weight=\\)"),
    ],
)
def test_wrong_weights_are_counted(weights: list[Any], sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        idbits.population(frame(w=weights), QID, weight="w")


def test_marginals() -> None:
    ages, counts = np.unique(PEOPLE["age"].to_numpy(), return_counts=True)
    known = pyarrow.table({"age": ages, "count": counts * 10})
    answer = idbits.population(PEOPLE, QID, people=15_000, marginal={"age": known})
    free = idbits.population(PEOPLE, QID, people=15_000)
    assert answer.pi.value == pytest.approx(free.pi.value or 0, abs=0.1)
    for wrong, sentence in [
        (pyarrow.table({"age": [999, *ages[1:]], "count": counts * 10}), "lacks 1 value of the sample"),
        (pyarrow.table({"age": ages, "count": counts * 20}), "the population 15,000"),
        (pyarrow.table({"age": ages, "count": [0, counts[0] * 10 + counts[1] * 10, *(counts[2:] * 10)]}), "1 value of"),
    ]:
        with pytest.raises(DataError, match=sentence):
            idbits.population(PEOPLE, QID, people=15_000, marginal={"age": wrong})
    with pytest.raises(InputError, match="not among the columns"):
        idbits.population(PEOPLE, QID, people=15_000, marginal={"income": known})


def test_a_marginal_of_one_person_makes_them_unique(tmp_path: Path) -> None:
    ages, counts = np.unique(PEOPLE["age"].to_numpy(), return_counts=True)
    numbers = np.where(counts == 1, 1, counts * 10)
    numbers[np.argmax(counts)] += 15_000 - numbers.sum()
    known = pyarrow.table({"age": ages, "count": numbers})
    lonely = set(ages[counts == 1].tolist())
    if not lonely:
        pytest.fail("nobody has an age of their own: draw other people")
    idbits.population(PEOPLE, QID, people=15_000, marginal={"age": known}, records=tmp_path / "risk.csv")
    with (tmp_path / "risk.csv").open(encoding="utf-8", newline="") as file:
        risks = list(csv.DictReader(file))
    for age, risk in zip(PEOPLE["age"].to_pylist(), risks, strict=True):
        if age in lonely:
            assert float(risk["p_unique"]) == float(risk["match"]) == 1.0


# Records.


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_risk_of_every_record(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"risk.{suffix}"
    answer = idbits.population(PEOPLE, QID, people=15_000, records=path)
    assert path.stat().st_mode & 0o777 == 0o600
    if suffix == "csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = [{name: float(text) for name, text in row.items()} for row in csv.DictReader(file)]
    else:
        rows = pyarrow.parquet.read_table(path).to_pylist()
    assert [row["row"] for row in rows] == list(range(1, 1501))
    sizes = {}
    keys = list(zip(*(PEOPLE[name].to_pylist() for name in QID), strict=True))
    for key in keys:
        sizes[key] = sizes.get(key, 0) + 1
    assert [row["c"] for row in rows] == [sizes[key] for key in keys]
    assert math.fsum(row["p_unique"] for row in rows) == pytest.approx(answer.tau1.value)
    assert math.fsum(row["match"] for row in rows) / 1500 == pytest.approx(answer.correctness.value)
    assert all(row["p_unique"] == 0 for row in rows if row["c"] > 1)
    assert str(path) in "".join(str(answer).split())


def test_records_of_filtered_rows_keep_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "risk.csv"
    idbits.population(PEOPLE, QID, people=15_000, records=path, where="sex = 'F'")
    with path.open(encoding="utf-8", newline="") as file:
        numbers = [int(row["row"]) for row in csv.DictReader(file)]
    assert numbers == [index for index, sex in enumerate(PEOPLE["sex"].to_pylist(), 1) if sex == "F"]


def test_records_with_weights_and_of_one_column(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    table = frame(w=(1 + rng.gamma(2, 4, 1500)).tolist())
    answer = idbits.population(table, QID, weight="w", records=tmp_path / "weighted.csv")
    with (tmp_path / "weighted.csv").open(encoding="utf-8", newline="") as file:
        assert math.fsum(float(row["p_unique"]) for row in csv.DictReader(file)) == pytest.approx(answer.tau1.value)
    one = pyarrow.table({"name": [str(number // 2) if number % 3 else f"x{number}" for number in range(900)]})
    single = idbits.population(one, ["name"], people=9_000, records=tmp_path / "one.csv")
    with (tmp_path / "one.csv").open(encoding="utf-8", newline="") as file:
        assert math.fsum(float(row["p_unique"]) for row in csv.DictReader(file)) == pytest.approx(single.tau1.value)


def test_records_of_an_exact_answer(tmp_path: Path) -> None:
    idbits.population(PEOPLE, QID, people=1500, records=tmp_path / "risk.csv")
    with (tmp_path / "risk.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            assert float(row["p_unique"]) == (row["c"] == "1")
            assert float(row["match"]) == 1 / int(row["c"])


def test_no_records_if_nothing_can_be_estimated(tmp_path: Path) -> None:
    with pytest.raises(NotEstimableError, match="fewer than 100 people"):
        idbits.population(PEOPLE.slice(0, 60), QID, people=600, records=tmp_path / "risk.csv")
    assert not (tmp_path / "risk.csv").exists()


# Bad input (population.md 8.6).


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({}, "people=N, fraction=F or weight=COLUMN"),
        ({"people": 15_000, "fraction": 0.1}, "people= and fraction= both say"),
        ({"people": 100}, "the population of 100 is smaller than the sample of 1,500"),
        ({"people": 2**54}, "1 to 2\\^53 people"),
        ({"people": "many"}, "must be a whole number"),
        ({"people": 0}, "1 to 2\\^53 people"),
        ({"fraction": 1e-14}, "more than 2\\^53 people"),
        ({"fraction": 1e-300}, "more than 2\\^53 people"),
        ({"fraction": 0.0}, "above 0 and at most 1"),
        ({"fraction": 1.5}, "above 0 and at most 1"),
        ({"fraction": math.nan}, "above 0 and at most 1"),
        ({"people": 15_000, "level": 1.0}, "between 0 and 1"),
        ({"people": 15_000, "sizes": "1e5,x"}, "whole number"),
        ({"people": 15_000, "sizes": [0]}, "1 to 2\\^53 people"),
        ({"strata": "sex"}, "belong together"),
        ({"people": 15_000, "spectrum": PEOPLE}, "takes the place of a table"),
        ({"weight": "wieght"}, 'no column named "wieght"'),
        ({"people": 15_000, "records": "risk.xlsx"}, "must end in .parquet or .csv"),
        ({"people": 15_000, "person": "sex", "count": "age"}, "cannot be combined with count="),
    ],
)
def test_wrong_questions(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        idbits.population(PEOPLE, QID, **asked)


def test_no_columns_and_no_people() -> None:
    with pytest.raises(InputError, match="name a table"):
        idbits.population(people=15_000)
    assert set(idbits.population(PEOPLE, people=15_000).qid) <= set(PEOPLE.column_names)
    with pytest.raises(NotEstimableError, match="nobody to estimate from"):
        idbits.population(PEOPLE, QID, people=15_000, where="age > 500")


def test_several_rows_per_person_are_refused_with_their_number() -> None:
    table = frame(who=[str(index // 2) for index in range(1500)])
    with pytest.raises(DataError, match="750 persons with more than one row"):
        idbits.population(table, QID, people=15_000, person="who")
    once = frame(who=[str(index) for index in range(1500)])
    assert idbits.population(once, QID, people=15_000, person="who").unit == "people"


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (pyarrow.table({"size": [1], "many": [2]}), 'needs the columns "k" and "sets"'),
        (pyarrow.table({"k": [1.5], "sets": [2]}), "whole numbers"),
        (pyarrow.table({"k": [0, 1], "sets": [2, 5]}), "at least one person"),
        (pyarrow.table({"k": [1], "sets": [None]}), "whole numbers"),
        (pyarrow.table({"k": [1], "sets": [0]}), "no people"),
        (pyarrow.table({"k": ["1"], "sets": ["1e999999999"]}), "whole numbers"),
    ],
)
def test_wrong_group_sizes(table: pyarrow.Table, sentence: str) -> None:
    with pytest.raises((DataError, InputError, NotEstimableError), match=sentence):
        idbits.population(spectrum=table, people=100)


@pytest.mark.parametrize("more", [{"count": "sets"}, {"person": "k"}, {"qid": ["k"]}, {"records": "risk.csv"}])
def test_group_sizes_take_the_place_of_a_table(more: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="takes the place of a table"):
        idbits.population(spectrum=pyarrow.table({"k": [1], "sets": [60]}), people=1400, **more)


def test_an_estimate_without_two_alike_is_called_weak() -> None:
    codes = np.arange(400)
    table = pyarrow.table({"a": codes, "b": codes % 7, "c": codes % 13})
    answer = idbits.population(table, ["a", "b", "c"], people=4_000)
    assert (answer.n_sets, answer.estimability) == (400, "estimable")
    assert any(note.startswith("weak: no two people alike") for note in answer.notes)
    assert "No answer from local gamma and Pitman" in " ".join(str(answer).split())


def test_every_figure_that_is_missing_has_a_reason() -> None:
    few = pyarrow.table({"a": [None] * 3, "b": [None] * 3})
    data = json.loads(idbits.population(few, ["a", "b"], people=100).to_json())
    for name in ("pi", "correctness", "entropy_bits", "k_hat"):
        assert data[name]["value"] is None
        assert data["reasons"][name]


def test_one_row() -> None:
    one = pyarrow.table({"a": [1], "b": [2]})
    assert "of the 1 row that is unique in this sample of 1" in " ".join(
        str(idbits.population(one, ["a", "b"], people=9)).split()
    )
    assert "1 of 1 row (100%) is unique" in str(idbits.population(one, ["a", "b"], people=1))


def test_group_sizes_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "sizes.csv").write_text("k,sets\n1,60\n2,20\n3,8\n4,4\n", encoding="utf-8")
    answer = idbits.population(spectrum=tmp_path / "sizes.csv", people="1.4e3")
    assert answer.pi.value == pytest.approx(0.163994, abs=1e-6)
    assert Spectrum.of({1: 60, 2: 20, 3: 8, 4: 4}).n_people == answer.n_rows
    # The same size twice counts together.
    (tmp_path / "twice.csv").write_text("k,sets\n1,30\n1,30\n2,20\n3,8\n4,4\n", encoding="utf-8")
    assert idbits.population(spectrum=tmp_path / "twice.csv", people=1400).figures == answer.figures


# Text.


def test_the_text_has_everything_in_order(answer: idbits.PopulationAnswer) -> None:
    text = " ".join(str(answer).split())
    parts = [
        answer.to_dict()["verdict"],
        "who are unique in this sample of 1,500, about", "is right", "bits in the population",
        "What different methods say", "Tried on your own data", "Without any model", "among fewer or more",
        "Not assessed", "household",
    ]  # fmt: skip
    places = [text.index(str(part)) for part in parts]
    assert places == sorted(places)
    assert "row" not in text.replace("narrow", "").replace("drawn", "").replace("grows", "")


def test_rows_are_not_called_people() -> None:
    text = str(idbits.population(PEOPLE, QID, people=15_000))
    assert "unique rows" in text
    assert "one row per person" in text


def test_the_headlines() -> None:
    assert "Not estimable: the sample has fewer than 100 people" in str(
        idbits.population(PEOPLE.slice(0, 60), QID, people=600)
    )
    none = pyarrow.table({"sex": ["F", "M"] * 200, "town": ["a", "a", "b", "b"] * 100})
    nobody = idbits.population(none, ["sex", "town"], people=9_000)
    assert nobody.to_dict()["verdict"] == "No row in this sample is unique in the population"
    assert nobody.to_dict()["verdict_level"] == "good"
    most = idbits.population(frame(3000), [*QID], people=3_300)
    assert most.to_dict()["verdict"] == "Most of the unique rows here are unique in the population"
    few = idbits.population(frame(3000), ["age", "sex", "zip"], people=3_000_000)
    assert few.to_dict()["verdict"].startswith(("Most of the unique rows here are not", "Not estimable"))


def test_no_value_is_shown(tmp_path: Path) -> None:
    table = frame(secret=[f"hush{index}" for index in range(1500)])
    text = (
        str(idbits.population(table, ["secret", "age", "sex"], people=15_000))
        + idbits.population(table, ["secret", "age", "sex"], people=15_000).to_json()
    )
    assert "hush" not in text


def test_charts_are_made_of_figures(answer: idbits.PopulationAnswer) -> None:
    charts = answer.charts()
    assert set(charts) == {"interval", "sizes"}
    ranges = charts["interval"]["data"]["values"]  # type: ignore[index]
    assert ranges == [
        {"what": "bounds", "low": answer.bounds.pi[0], "high": answer.bounds.pi[1]},  # type: ignore[union-attr]
        {"what": "interval", "low": answer.pi.low, "high": answer.pi.high},
    ]
    layers = charts["interval"]["layer"]  # type: ignore[index]
    marks = [layer["mark"] for layer in layers]
    # Three shades of one colour, each with its name: the darkest is the estimate.
    shades = [mark["opacity"] for mark in marks if "opacity" in mark]
    assert shades == sorted(shades)
    assert len({mark["color"] for mark in marks if "opacity" in mark}) == 1
    labels = [layer["data"]["values"][0]["text"] for layer in layers if layer["mark"]["type"] == "text"]
    assert [label.split()[0] for label in labels] == ["without", "interval", "estimate"]


def test_bounds_that_are_all_that_is_known_are_drawn_once() -> None:
    answer = idbits.population(PEOPLE.slice(0, 60), QID, people=600)
    assert answer.bounds is not None
    ranges = answer.charts()["interval"]["data"]["values"]  # type: ignore[index]
    assert ranges == [{"what": "bounds", "low": answer.bounds.pi[0], "high": answer.bounds.pi[1]}]


def test_many_columns() -> None:
    rng = np.random.default_rng(3)
    base = rng.integers(0, 4, 400)
    columns = {f"c{index}": ((base + rng.integers(0, 2, 400)) % 4).tolist() for index in range(30)}
    answer = idbits.population(pyarrow.table(columns), list(columns), people=4_000)
    assert answer.fit is not None
    assert answer.fit.columns is not None
    assert len(answer.fit.columns) == 30
