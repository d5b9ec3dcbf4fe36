"""``idbits.predict``: what the studies answer, from each kind of distribution."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pyarrow
import pyarrow.csv
import pytest

import idbits
from idbits import predict
from idbits.errors import DataError, InputError, NotEstimableError
from idbits.studies.predict.result import Quantity

AGES = pyarrow.table({"age": list(range(20)), "n": [9, 8, 7, 9, 8, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0]})


@pytest.fixture
def ages(tmp_path: Path) -> str:
    path = tmp_path / "ages.csv"
    pyarrow.csv.write_csv(AGES, path)
    return str(path)


def test_published_figures() -> None:
    assert predict.uniqueness(29, values=95).probability.exact == pytest.approx(0.0084, abs=5e-5)
    assert predict.uniqueness(41, values=190).probability.exact == pytest.approx(0.0095, abs=5e-5)
    assert round(predict.singletons(365, values=365).mean.approximations[0].value) == 134
    small, large = predict.group(1, values=95), predict.group(10, values=95)
    assert (small.group_size.exact, large.group_size.exact) == (10, 37)
    assert [p.group_size.approximations[0].value for p in (small, large)] == [10, 38]


def test_birthdays() -> None:
    assert (
        predict.uniqueness(22, values=365).probability.exact
        > 0.5
        > predict.uniqueness(23, values=365).probability.exact
    )
    answer = predict.uniqueness(values=365, target="uniqueness>=50%").target
    assert answer.ranges == ((1, 22),)


def test_the_same_distribution_in_each_way(ages: str) -> None:
    shares = [n / 90 for n in AGES["n"].to_pylist()]
    found = [
        predict.singletons(12, distribution=f"{ages}:age", count="n"),
        predict.singletons(12, distribution=AGES, attributes="age", count="n"),
        predict.singletons(12, probabilities=shares),
        predict.singletons(12, distribution=pyarrow.table({"age": AGES["age"].to_pylist()}), attributes=["age"]),
    ]
    assert found[0].to_dict() == found[1].to_dict()
    assert found[2].mean.exact == pytest.approx(found[0].mean.exact, rel=1e-13)
    assert found[0].n_values == 20
    assert found[0].kappa_nats == pytest.approx(found[2].kappa_nats)
    assert found[3].kappa_nats == 0.0


def test_values_that_nobody_has_stay_possible(ages: str) -> None:
    all_values = predict.uniqueness(5, distribution=f"{ages}:age", count="n")
    some = predict.uniqueness(5, distribution=f"{ages}:age", count="n", where="n > 0")
    assert (all_values.n_values, some.n_values) == (20, 18)
    assert all_values.kappa_nats > some.kappa_nats
    assert all_values.probability.exact == some.probability.exact
    more = predict.uniqueness(5, distribution=f"{ages}:age", count="n", values=30)
    assert more.n_values == 30
    assert more.kappa_nats == pytest.approx(all_values.kappa_nats + math.log(30 / 20))


def test_kappa_is_that_of_measure(ages: str) -> None:
    measured = idbits.measure(ages, ["age"], count="n").kappa_nats
    assert predict.uniqueness(5, distribution=f"{ages}:age", count="n").kappa_nats == pytest.approx(measured, rel=1e-12)


def test_several_columns_and_transforms() -> None:
    people = pyarrow.table({"age": [1, 1, 2, 7, 8], "sex": list("FMFMM")})
    both = predict.uniqueness(2, distribution=people, attributes=["age:band5", "sex"])
    assert both.label == "age:band5 and sex"
    assert both.probability.exact == pytest.approx(1 - (4 + 1 + 4) / 25)


def test_the_longest_existing_path_wins(tmp_path: Path) -> None:
    for name, values in (("a.csv", "1\n1\n"), ("a.csv:age", "1\n2\n")):
        (tmp_path / name).write_text(f"age\n{values}")
    assert predict.uniqueness(2, distribution=f"{tmp_path}/a.csv:age").probability.exact == 0.5
    assert predict.uniqueness(2, distribution=f"{tmp_path}/a.csv:age:age").probability.exact == 0.5
    (tmp_path / "a.csv:age").unlink()
    assert predict.uniqueness(2, distribution=f"{tmp_path}/a.csv:age").probability.exact == 0


def test_kappa_alone_gives_no_exact_value() -> None:
    answer = predict.singletons(60, values=95, kappa=0.0914)
    assert answer.mean is not None
    for quantity in (answer.mean, answer.variance, answer.none, answer.somebody, answer.sizes[0].share):
        data = quantity.to_dict()
        assert (data["exact"], data["low"], data["high"]) == (None, None, None)
        assert data["reasons"]["exact"]
        assert data["approximations"]
        assert all(one["error"] is None for one in data["approximations"])
    uniqueness = predict.uniqueness(29, values=95, kappa=0.0914).probability
    assert uniqueness.exact is None
    assert uniqueness.approximations[0].value == pytest.approx(0.00374, abs=1e-5)


def test_errors_are_value_less_exact(ages: str) -> None:
    answer = predict.singletons(30, distribution=f"{ages}:age", count="n", sizes=30)
    quantities = [answer.mean, answer.variance, answer.none, answer.somebody]
    quantities += [part for size in answer.sizes for part in (size.sets, size.share)]
    for quantity in quantities:
        assert isinstance(quantity, Quantity)
        assert quantity.low == quantity.high == quantity.exact
        for one in quantity.approximations:
            assert one.error == pytest.approx(one.value - quantity.exact, abs=1e-12)
    assert sum(size.share.exact for size in answer.sizes) == pytest.approx(1)
    assert answer.none.exact + answer.somebody.exact == pytest.approx(1)
    assert math.fsum(chance for _, chance in answer.distribution) == pytest.approx(1)


def test_outliers_are_not_trusted() -> None:
    mild = predict.singletons(40, probabilities=[0.011] * 50 + [0.009] * 50)
    strong = predict.singletons(40, probabilities=[0.25, 0.25] + [0.5 / 98] * 98)
    assert mild.mean.approximations[0].trusted
    assert not strong.mean.approximations[0].trusted
    assert abs(strong.mean.approximations[0].error) > 10 * abs(mild.mean.approximations[0].error)


def test_more_people_than_values() -> None:
    answer = predict.uniqueness(96, values=95)
    assert answer.probability.exact == 0
    assert json.loads(answer.to_json())["probability"]["log10"] == "-inf"


def test_tiny_chances_keep_their_logarithm() -> None:
    answer = predict.uniqueness(5_000, values=10_000).probability
    assert answer.exact == 0.0
    assert answer.log10 == pytest.approx(sum(math.log10(1 - i / 10_000) for i in range(5_000)))


@pytest.mark.big
def test_out_of_reach_is_simulated_and_seeded() -> None:
    answer = predict.singletons(200_000, values=200_000, seed=3)
    assert "simulated" in answer.distribution_reason
    assert answer.mean.exact == pytest.approx(200_000 / math.e, rel=1e-4)
    low, _, high = answer.quantiles
    assert low < answer.mean.exact < high


def test_widths() -> None:
    answer = predict.width("normal:sd=5.289", "0.5,1,2,5", 10)
    means = [row.mean.exact for row in answer.widths]
    assert means == sorted(means, reverse=True)
    assert means[0] == pytest.approx(7.875, abs=0.001)
    assert [one.name for one in answer.widths[0].mean.approximations] == ["first order in d", "second order in d"]
    assert not answer.placed
    placed = predict.width("normal:sd=5.289,mean=57.64", [5], k=10)
    assert placed.placed
    assert answer.widths[-1].lowest_mean <= placed.widths[0].mean.exact <= answer.widths[-1].highest_mean


def test_a_width_that_divides_a_uniform_density() -> None:
    for start in (0.0, 0.3):
        row = predict.width(f"uniform:low={start},high={start + 0.6}", [0.3], 5).widths[0]
        assert row.mean.exact == pytest.approx(5 * 0.5**4, rel=1e-9)
    assert predict.width("uniform:low=0,high=1", [0.3], 2).widths[0].mean.exact == pytest.approx(2 * (1 - 0.28))


@pytest.mark.big
def test_too_many_intervals_are_simulated() -> None:
    row = predict.width("lognormal:mu=10,sigma=2", [0.01], 1000).widths[0]
    data = row.to_dict()["mean"]
    assert data["exact"] is None
    assert data["low"] <= data["estimate"] <= data["high"]
    assert data["low"] < 1000
    assert data["draws"] == 10_000


def test_rounding_the_values_of_a_table(ages: str) -> None:
    answer = predict.width(f"{ages}:age", [2, 5], 10, count="n")
    for row, band in zip(answer.widths, ("band2", "band5"), strict=True):
        same = predict.singletons(10, distribution=f"{ages}:age:{band}", count="n")
        assert row.mean.exact == same.mean.exact
        assert row.variance.exact == same.variance.exact


@pytest.mark.big
def test_correlation_hides() -> None:
    means = [predict.correlated("5.289,4.83", rho, "1,1", 10).widths[0].mean.exact for rho in (0.0, 0.5028, 0.95)]
    assert means == sorted(means, reverse=True)
    answer = predict.correlated([5, 4], 0.5, [[1, 1], [2, 2]], 10)
    assert [row.width for row in answer.widths] == [(1.0, 1.0), (2.0, 2.0)]
    near = predict.correlated([5, 4], 0.99999999, [1, 1], 10).widths[0].mean
    assert near.exact is None
    assert near.low < near.estimate < near.high


def test_targets_for_k() -> None:
    answer = predict.singletons(values=95, target="singletons<=1%").target
    ((smallest, largest),) = answer.ranges
    assert math.isinf(largest)
    share = [predict.singletons(k, values=95).sizes[0].share.exact for k in (smallest - 1, smallest)]
    assert share[0] > 0.01 >= share[1]
    people = predict.singletons(values=95, target="singletons<=1").target
    assert people.ranges[0] == (1, 1)
    assert len(people.ranges) == 2
    none = predict.singletons(values=20, target="somebody<=10%").target
    assert predict.singletons(none.ranges[-1][0], values=20).none.exact >= 0.9


def test_targets_for_views(ages: str) -> None:
    answer = predict.singletons(10, distribution=f"{ages}:age", count="n", target="singletons<=40%")
    tried = {name: (value, met) for name, value, met in answer.target.options}
    assert list(tried)[:3] == ["age", "age:band5", "age:band10"]
    assert answer.target.chosen == next(name for name, (_, met) in tried.items() if met)
    assert not answer.target.meets
    wide = predict.singletons(10, distribution=f"{ages}:age", count="n", target="singletons>=10%").target
    assert wide.chosen == [name for name, (_, met, *_) in tried.items() if tried[name][0] >= 0.1][-1]


def test_the_widest_set_of_columns_that_meets_a_target() -> None:
    people = pyarrow.table({"a": [0, 0, 1, 1] * 4, "b": [0, 1, 2, 3] * 4, "c": [*range(16)]})
    answer = predict.singletons(20, distribution=people, attributes=["a", "b", "c"], target="singletons<=1%").target
    tried = {name: value for name, value, _ in answer.options}
    assert {"a,b", "a,c", "b,c", "a", "b", "c"} <= set(tried)
    assert tried["a,b"] == predict.singletons(20, distribution=people, attributes="a,b").sizes[0].share.exact
    assert tried["a,b"] <= 0.01 < tried["a,c"]
    # The finest view that meets it: no other with more values does.
    chosen = predict.singletons(20, distribution=people, attributes=answer.chosen)
    assert chosen.sizes[0].share.exact <= 0.01
    met = [name for name, _, meets in answer.options if meets]
    values = [predict.singletons(2, distribution=people, attributes=name).n_values for name in met]
    assert chosen.n_values == max(values)


@pytest.mark.big
def test_targets_for_widths(ages: str) -> None:
    target = predict.width("normal:sd=5", k=10, target="singletons<=10%").target
    assert predict.width("normal:sd=5", [float(target.chosen)], 10).widths[0].mean.exact <= 1.0
    assert predict.width("normal:sd=5", [float(target.chosen) * 0.999], 10).widths[0].mean.exact > 1.0
    widest = predict.width("normal:sd=5", k=10, target="singletons>=95%").target
    assert predict.width("normal:sd=5", [float(widest.chosen)], 10).widths[0].mean.exact >= 9.5
    assert predict.width("normal:sd=5", [float(widest.chosen) * 1.01], 10).widths[0].mean.exact < 9.5
    listed = predict.width(f"{ages}:age", k=10, count="n", target="singletons<=40%").target
    met = {name: value <= 0.4 for name, value, _ in listed.options}
    assert listed.chosen == next(name for name, meets in met.items() if meets) == "2"


def test_dates_and_codes_have_their_own_ladders() -> None:
    days = pyarrow.table({"born": [f"19{year}-0{month}-15" for year in range(60, 90) for month in range(1, 10)]})
    answer = predict.singletons(50, distribution=days, attributes="born", target="singletons<=30%")
    assert answer.target.chosen == "born:year"
    codes = pyarrow.table({"zip": [f"{a}{b}A{c}" for a in "12" for b in "345" for c in "678"]})
    views = predict.singletons(9, distribution=codes, attributes="zip", target="singletons<=50%").target
    # The third character is always the same: two characters are as fine as three, and are not listed.
    assert [name for name, _, _ in views.options] == ["zip", "zip:prefix3", "zip:prefix1"]
    assert views.chosen == "zip:prefix3"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: predict.uniqueness(5, probabilities=[0.5, 0.4]), InputError),
        (lambda: predict.uniqueness(5, probabilities=[1.5, -0.5]), InputError),
        (lambda: predict.uniqueness(5, probabilities=[]), InputError),
        (lambda: predict.uniqueness(0, values=5), InputError),
        (lambda: predict.uniqueness(2.5, values=5), InputError),
        (lambda: predict.uniqueness(5, values=5, kappa=-1e-9), InputError),
        (lambda: predict.uniqueness(5, values=5, kappa=1.7), InputError),
        (lambda: predict.uniqueness(5, kappa=0.1), InputError),
        (lambda: predict.uniqueness(5), InputError),
        (lambda: predict.uniqueness(values=5), InputError),
        (lambda: predict.uniqueness(5, values=10**31), InputError),
        (lambda: predict.uniqueness(5, distribution=AGES, count="n", attributes="nope"), InputError),
        (lambda: predict.uniqueness(5, distribution=AGES), InputError),
        (lambda: predict.width("normal:sd=5", [0], 10), InputError),
        (lambda: predict.width("normal:sd=5", [1e-300], 10), InputError),
        (lambda: predict.width("lognormal:mu=1000,sigma=1", [1], 10), InputError),
        (lambda: predict.width("uniform:low=5,high=1", [1], 10), InputError),
        (lambda: predict.width("exponential:mean=1,rate=1", [1], 10), InputError),
        (lambda: predict.width("normal:sd=5", [1]), InputError),
        (lambda: predict.correlated([5, 4], 1, [1, 1], 10), InputError),
        (lambda: predict.correlated([5, 4], 0.5, [1, 0], 10), InputError),
        (lambda: predict.correlated([5, 4], math.nan, [1, 1], 10), InputError),
        (lambda: predict.group(0, values=95), InputError),
        (lambda: predict.group(math.inf, values=95), InputError),
        (lambda: predict.singletons(values=95, target="singletons<=0%"), NotEstimableError),
        (lambda: predict.uniqueness(values=95, target="uniqueness>100%"), NotEstimableError),
        (lambda: predict.width("normal:sd=5", k=10, target="singletons<=0%"), NotEstimableError),
        (lambda: predict.singletons(values=95, target="people<=1"), InputError),
        (
            lambda: predict.uniqueness(3, distribution=pyarrow.table({"a": [1], "n": [-1]}), attributes="a", count="n"),
            DataError,
        ),
        (
            lambda: predict.uniqueness(3, distribution=pyarrow.table({"a": [1], "n": [0]}), attributes="a", count="n"),
            NotEstimableError,
        ),
    ],
)
def test_bad_input(call: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()  # type: ignore[operator]


def test_an_unknown_keyword_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        predict.uniqueness(5, values=3, colour="red")


def test_no_group_is_worth_a_high_cost() -> None:
    answer = predict.group(1000, values=95)
    assert answer.group_size.exact is None
    assert answer.group_size.reason is not None
    assert "worth" in str(answer)


def test_an_approximation_outside_its_conditions_is_marked_as_rough() -> None:
    # Only 60 of very many possible values occur.
    for text in (
        str(idbits.predict.singletons(100, values=10**21, kappa=44.262)),
        str(idbits.predict.uniqueness(100, values=10**21, kappa=44.262)),
    ):
        title, reason = text.splitlines()[:2]
        assert "roughly" in title
        assert "far off" in reason
    assert "roughly" not in str(idbits.predict.singletons(29, values=95, kappa=0.0914))


def test_the_headline_for_one_person_is_a_chance() -> None:
    for answer in (
        predict.singletons(1, values=2, kappa=0.1),
        predict.singletons(1, values=2),
        predict.uniqueness(1, values=2, kappa=0.1),
        predict.uniqueness(1, values=2),
    ):
        title, reason = str(answer).splitlines()[:2]
        assert "chance that the person is unique" in title
        assert "always unique" in reason
    assert "56.10%" in str(predict.singletons(1, values=2, kappa=0.1)).splitlines()[0]
