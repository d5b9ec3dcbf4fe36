"""Two versions of a table, sweeps, growth, utility: against the definitions."""

import itertools
import math
import random

import pyarrow
import pytest

import idbits
from idbits.errors import InputError, NotEstimableError
from idbits.examples.registry import registry

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


# 240 people: the job depends on the age, with a few exceptions; the sex is exactly independent.
WORKING = [
    (sex, age, "x" if (age < 38) != (turn == 0 and age % 9 == 0) else "y")
    for age in range(20, 60)
    for sex in "ab"
    for turn in range(3)
]


def test_a_sweep_is_each_view_in_turn(twin):
    answer = idbits.gain(table(ROWS), sweep="age:band2,age:band5,age:band10")
    assert [step.column for step in answer.sweep] == ["age", "age:band2", "age:band5", "age:band10"]
    assert [step.replaces for step in answer.sweep] == [None, "age", "age", "age"]
    for step, width in zip(answer.sweep, (1, 2, 5, 10), strict=True):
        rows = band(ROWS, width)
        book = twin(rows)
        figures = book.figures(book.cells())
        assert step.rig_p95 == pytest.approx(figures["rig"]["p95"], abs=1e-12)
        assert step.rig_mean == pytest.approx(figures["rig"]["mean"], abs=1e-12)
        assert (step.mics, step.people_at_threshold) == (figures["mics"], figures["people_at_threshold"])
        assert step.pif == pytest.approx(figures["pif"], abs=1e-12)


def test_a_sweep_keeps_what_is_beyond_chance(twin):
    answer = idbits.gain(table(WORKING), sweep="age:band2,age:band5,age:band10,age:band50")
    bits = [twin(band(WORKING, width)).beyond_chance(1, 2) for width in (1, 2, 5, 10, 50)]
    # Only age and job are related. Coarser ages cannot reveal more than ages, so what they show is real.
    everything = max(bits)
    assert max(bits) > bits[0]
    for step, kept in zip(answer.sweep[1:], bits[1:], strict=True):
        assert step.kept_bits == pytest.approx(kept, abs=1e-9)
        assert step.utility == pytest.approx(kept / everything, abs=1e-9)
        assert step.feature_utility == step.utility
    assert (answer.sweep[0].utility, answer.sweep[0].feature_utility) == (1.0, 1.0)
    assert answer.sweep[0].kept_bits == pytest.approx(everything, abs=1e-9)
    for step, width in zip(answer.sweep, (1, 2, 5, 10, 50), strict=True):
        book = twin(band(WORKING, width))
        every = [book.entropy(i) + book.entropy(j) - book.entropy(i, j) for i, j in ((0, 1), (0, 2), (1, 2))]
        assert step.mutual_information_bits == pytest.approx(math.fsum(every), abs=1e-9)
        beyond = math.fsum(book.beyond_chance(i, j) for i, j in ((0, 1), (0, 2), (1, 2)))
        assert step.mutual_information_bits - step.chance_bits == pytest.approx(beyond, abs=1e-9)


def test_a_sweep_against_a_target(twin):
    answer = idbits.gain(table(WORKING), columns="sex,age", sweep="age:band10", target="job")
    bits = [twin(band(WORKING, width)).beyond_chance(1, 2) for width in (1, 10)]
    assert answer.sweep[1].utility == pytest.approx(bits[1] / max(bits), abs=1e-9)
    assert answer.sweep[1].feature_utility == answer.sweep[1].utility


def test_a_sweep_of_the_target_keeps_what_a_table_released_so_keeps(twin):
    answer = idbits.gain(table(WORKING), sweep="age:band50", target="age")
    coarser = band(WORKING, 50)
    expected = twin(coarser).beyond_chance(1, 2) / twin(WORKING).beyond_chance(1, 2)
    assert 0 < expected < 0.5
    assert answer.sweep[1].utility == pytest.approx(expected, abs=1e-9)
    assert answer.sweep[1].feature_utility == pytest.approx(expected, abs=1e-9)
    released = idbits.gain(table(WORKING), compare=table(coarser), target="age").comparison.utility
    assert answer.sweep[1].utility == pytest.approx(released.kept, abs=1e-12)


def test_a_column_that_says_nothing_has_no_utility_of_its_own_to_keep():
    rows = [(sex, 30, sex) for sex, _, _ in WORKING]
    answer = idbits.gain(table(rows), sweep="age:band10")
    assert [(step.utility, step.feature_utility) for step in answer.sweep] == [(1.0, None), (1.0, None)]
    assert "shuffled columns" in answer.sweep[1].to_dict()["reasons"]["feature_utility"]


def test_independent_columns_have_no_utility_however_much_mutual_information_they_show():
    draw = random.Random(5)
    rows = [(draw.choice("abcdefgh"), draw.randrange(18, 90), draw.choice("uvwxyz")) for _ in range(500)]
    answer = idbits.gain(table(rows), sweep="age:band10", compare=table(rows[:400]))
    assert answer.sweep[1].mutual_information_bits > 0.1
    assert answer.sweep[0].mutual_information_bits == pytest.approx(answer.sweep[0].chance_bits, rel=0.1)
    assert [(step.utility, step.feature_utility) for step in answer.sweep] == [(None, None)] * 2
    assert answer.sweep[1].to_dict()["reasons"]["utility"]
    utility = answer.comparison.utility
    assert (utility.kept, utility.original_bits, utility.pairs, utility.pairs_beyond_chance) == (None, 0.0, 3, 0)
    assert utility.original_mutual_information_bits > 0.5
    text = str(answer)
    assert "Utility cannot be measured" in text
    assert text.count("Utility cannot be measured") == 2


def test_a_table_with_every_column_shuffled_keeps_nothing():
    draw = random.Random(6)
    shuffled = [draw.sample(column, len(column)) for column in map(list, zip(*WORKING, strict=True))]
    utility = idbits.gain(table(WORKING), compare=table(list(zip(*shuffled, strict=True)))).comparison.utility
    assert utility.treated_mutual_information_bits > 0.2
    assert utility.kept == 0.0
    assert (utility.pairs, utility.pairs_beyond_chance) == (3, 1)


def test_a_relation_that_ages_of_one_person_each_cannot_show_is_seen_in_bands():
    """1,000 people of different age in days: days show no relationship, years do, so there is utility to keep."""
    rows = [("ab"[number % 2], number, "x" if number < 500 else "y") for number in range(1000)]
    answer = idbits.gain(table(rows), sweep="age:band100,age:band500,age:band1000")
    assert answer.sweep[0].mutual_information_bits == pytest.approx(answer.sweep[0].chance_bits, rel=1e-3)
    # Each span of 100 or 500 days has one job: nothing is lost until all days are merged.
    assert [step.utility for step in answer.sweep] == [1.0, pytest.approx(1, abs=0.01), 1.0, 0.0]


def test_a_sweep_of_a_column_in_two_views_is_refused():
    with pytest.raises(InputError, match='"age" has 2 views'):
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
    assert answer.comparison.missing == ()
    # With 8 people, nothing can be distinguished from chance.
    assert answer.comparison.utility.kept is None


def test_the_utility_of_two_versions(twin):
    treated = band(WORKING, 10)[:230]
    kept, there = twin(treated).beyond_chance(1, 2), twin(WORKING).beyond_chance(1, 2)
    for target in (None, "job"):
        utility = idbits.gain(table(WORKING), compare=table(treated), target=target).comparison.utility
        assert (utility.target, utility.kept) == (target, pytest.approx(kept / there, abs=1e-9))
        assert (utility.original_bits, utility.treated_bits) == pytest.approx((there, kept), abs=1e-9)
        assert (utility.pairs, utility.pairs_beyond_chance) == (3 if target is None else 2, 1)


def test_a_version_without_a_column():
    treated = table(ROWS).drop_columns(["age"])
    answer = idbits.gain(table(ROWS), compare=treated, attacker="named:age,sex", accuracy={"age": 0.5, "job": 0.7})
    assert answer.comparison.missing == ("age",)
    assert [feature.column for feature in answer.comparison.figures.features] == ["sex", "job"]
    assert [feature.accuracy for feature in answer.comparison.figures.features] == [1.0, 0.7]
    assert "left out" in str(answer)
    utility = idbits.gain(table(WORKING), compare=table(WORKING).drop_columns(["age"])).comparison.utility
    assert (utility.kept, utility.treated_bits) == (0.0, 0.0)


def test_the_same_version_keeps_everything_and_a_finer_one_more():
    coarse = table(band(WORKING, 30))
    assert idbits.gain(coarse, compare=coarse).comparison.utility.kept == 1
    finer = idbits.gain(coarse, compare=table(WORKING))
    assert finer.comparison.utility.kept > 1
    assert "more than 1" in " ".join(str(finer).split())


def test_utility_of_nothing_is_not_estimable():
    independent = pyarrow.table({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    answer = idbits.gain(independent, compare=independent, sweep="a:band2")
    assert answer.comparison.utility.kept is None
    assert answer.comparison.to_dict()["utility"]["reasons"]["kept"]
    assert answer.sweep[1].to_dict()["utility"] is None
    assert answer.sweep[1].to_dict()["reasons"]["utility"]
    assert "Utility cannot be measured" in str(answer)


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
        # A single column reveals nothing: the one with most entropy comes first, then the one that adds most.
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
    with pytest.raises(InputError, match='"job"'):
        idbits.gain(table(ROWS), compare=table(ROWS).drop_columns(["job"]), target="job")
    with pytest.raises(NotEstimableError, match="no people"):
        idbits.gain(table(ROWS), compare=table(ROWS).slice(0, 0))
    for narrowed in ({"where": "age > 0"}, {"count": "age"}):
        with pytest.raises(InputError, match=r"the table to compare with: .* column"):
            idbits.gain(table(ROWS), columns="sex,job", compare=table(ROWS).drop_columns(["age"]), **narrowed)
    with pytest.raises(InputError, match=r'^sweep: "'):
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
    with pytest.raises(InputError, match=r'"age" has 2 views; .*"age:band2" or "age:band3"'):
        idbits.gain(table, columns=["age:band2", "age:band3", "job"], attacker="named:age")


def test_a_finer_view_never_keeps_less_than_what_can_be_made_from_it() -> None:
    """There are too many birth dates to show that women live longer. Decades, which follow from dates, show it."""
    people = registry(20_000)
    views = ["month", "quarter", "year", "year:band5", "year:band10", "year:band20"]
    sweep = [f"birthdate:{view}" for view in views]
    answer = idbits.gain(people, columns=["birthdate", "gender"], sweep=sweep)
    kept = [step.utility for step in answer.sweep]
    assert kept[0] == 1.0
    assert all(finer >= coarser > 0 for finer, coarser in itertools.pairwise(kept))
