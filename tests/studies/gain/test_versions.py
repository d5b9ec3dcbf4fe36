"""Two versions of a table, sweeps, growth, utility: against the definitions."""

import itertools
import math

import pyarrow
import pytest

import idbits
from idbits.errors import InputError, NotEstimableError

ROWS = [
    ("a", 21, "x"),
    ("a", 23, "x"),
    ("b", 24, "y"),
    ("b", 29, "y"),
    ("a", 35, "y"),
    ("b", 36, "x"),
    ("a", 38, "x"),
    ("b", 21, "y"),
]


def table(rows):
    return pyarrow.table(dict(zip(("sex", "age", "job"), zip(*rows, strict=True), strict=True)))


def band(rows, width):
    return [(sex, age // width * width, job) for sex, age, job in rows]


def information(twin, rows, pairs):
    book = twin(rows)
    return math.fsum(book.entropy(i) + book.entropy(j) - book.entropy(i, j) for i, j in pairs)


PAIRS = list(itertools.combinations(range(3), 2))


def test_a_sweep_is_each_view_in_turn(twin):
    answer = idbits.gain(table(ROWS), sweep="age:band2,age:band5,age:band10")
    assert [step.column for step in answer.sweep] == ["age", "age:band2", "age:band5", "age:band10"]
    assert [step.replaces for step in answer.sweep] == [None, "age", "age", "age"]
    before = information(twin, ROWS, PAIRS)
    own = information(twin, ROWS, [(0, 1), (1, 2)])
    for step, width in zip(answer.sweep, (1, 2, 5, 10), strict=True):
        rows = band(ROWS, width)
        book = twin(rows)
        figures = book.figures(book.cells())
        assert step.rig_p95 == pytest.approx(figures["rig"]["p95"], abs=1e-12)
        assert step.rig_mean == pytest.approx(figures["rig"]["mean"], abs=1e-12)
        assert (step.mics, step.people_at_threshold) == (figures["mics"], figures["people_at_threshold"])
        assert step.pif == pytest.approx(figures["pif"], abs=1e-12)
        assert step.utility == pytest.approx(information(twin, rows, PAIRS) / before, abs=1e-12)
        assert step.feature_utility == pytest.approx(information(twin, rows, [(0, 1), (1, 2)]) / own, abs=1e-12)


def test_a_sweep_against_a_target(twin):
    answer = idbits.gain(table(ROWS), columns="sex,age", sweep="age:band10", target="job")
    before = information(twin, ROWS, [(0, 2), (1, 2)])
    coarser = band(ROWS, 10)
    assert answer.sweep[1].utility == pytest.approx(information(twin, coarser, [(0, 2), (1, 2)]) / before, abs=1e-12)
    expected = information(twin, coarser, [(1, 2)]) / information(twin, ROWS, [(1, 2)])
    assert answer.sweep[1].feature_utility == pytest.approx(expected, abs=1e-12)


def test_a_sweep_of_the_target_keeps_what_a_table_released_so_keeps(twin):
    answer = idbits.gain(table(ROWS), sweep="age:band10", target="age")
    coarser = band(ROWS, 10)
    expected = information(twin, coarser, [(0, 1), (1, 2)]) / information(twin, ROWS, [(0, 1), (1, 2)])
    assert answer.sweep[1].utility == pytest.approx(expected, abs=1e-12)
    assert answer.sweep[1].feature_utility == pytest.approx(expected, abs=1e-12)
    released = idbits.gain(table(ROWS), compare=table(coarser), target="age").comparison.utility
    assert answer.sweep[1].utility == pytest.approx(released.kept, abs=1e-12)


def test_a_column_that_says_nothing_has_no_utility_of_its_own_to_keep():
    rows = [(sex, 30, sex) for sex, _, _ in ROWS]
    answer = idbits.gain(table(rows), sweep="age:band10")
    assert [(step.utility, step.feature_utility) for step in answer.sweep] == [(1.0, None), (1.0, None)]


def test_a_sweep_of_a_column_in_two_views_is_refused():
    with pytest.raises(InputError, match='"age", which is looked at in 2 views'):
        idbits.gain(table(ROWS), columns="age,age:band5,sex", sweep="age:band10")


def test_a_sweep_with_an_attacker_who_knows_the_column(twin):
    answer = idbits.gain(table(ROWS), sweep="age:band10", attacker="named:age,sex", accuracy="age=0.5")
    book = twin(band(ROWS, 10), {}, {1: 0.5})
    assert answer.sweep[1].rig_p95 == pytest.approx(book.figures(book.cells([1, 0]))["rig"]["p95"], abs=1e-12)


def test_two_versions(twin, tmp_path):
    treated = band(ROWS, 10)[:6]
    path = tmp_path / "treated.csv"
    path.write_text("sex,age,job\n" + "".join(f"{a},{b},{c}\n" for a, b, c in treated))
    answer = idbits.gain(table(ROWS), compare=path)
    book = twin(treated)
    found = answer.comparison.to_dict()
    for key, value in book.figures(book.cells()).items():
        assert found[key] == pytest.approx(value, abs=1e-12), key
    curves = [twin(rows).cells() for rows in (ROWS, treated)]
    rigs = [[math.fsum(row) for row in cells] for cells in curves]
    for curve in found["rig_curves"]:
        level = curve["bits"] + 1e-12
        assert [curve["original"], curve["treated"]] == [sum(rig > level for rig in side) for side in rigs]
    assert found["rig_curves"][-1]["bits"] >= max(map(max, rigs))
    kept = information(twin, treated, PAIRS) / information(twin, ROWS, PAIRS)
    assert answer.comparison.utility.kept == pytest.approx(kept, abs=1e-12)
    assert answer.comparison.missing == ()
    against = idbits.gain(table(ROWS), compare=path, target="job").comparison.utility
    pairs = [(0, 2), (1, 2)]
    expected = information(twin, treated, pairs) / information(twin, ROWS, pairs)
    assert (against.target, against.kept) == ("job", pytest.approx(expected, abs=1e-12))


def test_a_version_without_a_column():
    treated = table(ROWS).drop_columns(["age"])
    answer = idbits.gain(table(ROWS), compare=treated, attacker="named:age,sex", accuracy={"age": 0.5, "job": 0.7})
    assert answer.comparison.missing == ("age",)
    assert [feature.column for feature in answer.comparison.figures.features] == ["sex", "job"]
    assert [feature.accuracy for feature in answer.comparison.figures.features] == [1.0, 0.7]
    assert "left out" in str(answer)
    assert answer.comparison.utility.kept < 1


def test_the_same_version_keeps_everything_and_a_finer_one_more():
    coarse = table(band(ROWS, 10))
    assert idbits.gain(coarse, compare=coarse).comparison.utility.kept == 1
    finer = idbits.gain(coarse, compare=table(ROWS))
    assert finer.comparison.utility.kept > 1
    assert "more than 1" in str(finer)


def test_utility_of_nothing_is_not_estimable():
    independent = pyarrow.table({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    answer = idbits.gain(independent, compare=independent, sweep="a:band2")
    assert answer.comparison.utility.kept is None
    assert answer.comparison.to_dict()["utility"]["reasons"]["kept"]
    assert answer.sweep[1].to_dict()["utility"] is None
    assert answer.sweep[1].to_dict()["reasons"]["utility"]
    assert "no mutual information" in str(answer)


@pytest.mark.parametrize("order", ["given", "greedy"])
def test_growth(twin, order):
    answer = idbits.gain(table(ROWS), growth=order)
    names = [step.column for step in answer.growth.steps]
    assert sorted(names) == ["age", "job", "sex"]
    for number, step in enumerate(answer.growth.steps, start=1):
        places = sorted(["sex", "age", "job"].index(name) for name in names[:number])
        book = twin([tuple(row[place] for place in places) for row in ROWS])
        figures = book.figures(book.cells())
        assert step.rig_p95 == pytest.approx(figures["rig"]["p95"], abs=1e-12)
        assert step.pif == pytest.approx(figures["pif"], abs=1e-12)
        assert step.mics == figures["mics"]
        assert step.reached == (figures["pif"] >= 1)
    if order == "given":
        assert names == ["sex", "age", "job"]
    else:
        # One column alone tells nothing: the first is the one with most entropy, the next the most telling beside it.
        assert names[0] == "age"
        for other in {"sex", "job"} - {names[1]}:
            pair = idbits.gain(table(ROWS), columns=["age", other])
            assert pair.rig["p95"] <= answer.growth.steps[1].rig_p95
    assert answer.growth.steps[-1].rig_p95 == answer.rig["p95"]
    assert answer.growth.steps[-1].pif == answer.pif


@pytest.mark.big
def test_what_cannot_be_compared():
    with pytest.raises(InputError, match="none of these columns"):
        idbits.gain(table(ROWS), compare=pyarrow.table({"other": [1]}))
    with pytest.raises(InputError, match='no column "job"'):
        idbits.gain(table(ROWS), compare=table(ROWS).drop_columns(["job"]), target="job")
    with pytest.raises(NotEstimableError, match="nobody in the table"):
        idbits.gain(table(ROWS), compare=table(ROWS).slice(0, 0))
    for narrowed in ({"where": "age > 0"}, {"count": "age"}):
        with pytest.raises(InputError, match=r"the table to compare with: .* column"):
            idbits.gain(table(ROWS), columns="sex,job", compare=table(ROWS).drop_columns(["age"]), **narrowed)
    with pytest.raises(InputError, match="--sweep"):
        idbits.gain(table(ROWS), columns="sex,job", sweep="age:band5")


@pytest.mark.big
def test_the_figures_are_vega_lite(shared_data):
    answer = idbits.gain(
        shared_data / "adult.csv", columns="age,sex,race", sweep="age:band5,age:band10", growth="given"
    )
    heat = answer.heat_map(rows=3)
    assert [cell["bits"] for cell in heat["data"]["values"]][:3] == list(answer.exposed[0].cig_bits)
    labels = {"Male", "Female", "White", "Black"}
    for chart in (heat, answer.people_above(), answer.sweep_curve(), answer.growth_curve()):
        assert not any(label in str(chart) for label in labels)
    assert answer.people_above()["data"]["values"][0]["people"] == answer.rig_curve[0][1]
    assert idbits.gain(table(ROWS)).sweep_curve() is None
    assert idbits.gain(table(ROWS)).growth_curve() is None


def test_a_column_in_two_views_is_named_by_the_view() -> None:
    table = pyarrow.table({"age": [1, 2, 3, 4], "job": ["a", "b", "a", "b"]})
    with pytest.raises(InputError, match='"age", which is looked at in 2 views: say "age:band2" or "age:band3"'):
        idbits.gain(table, columns=["age:band2", "age:band3", "job"], attacker="named:age")
