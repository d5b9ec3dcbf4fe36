"""A trusted approximation keeps its promise: within 10% of the exact value, or one percentage point of a chance."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idbits import predict
from idbits.measures.distribution import Distribution, two_level_distributions
from idbits.studies.predict.result import Approximation, Quantity, SingletonsPrediction, UniquenessPrediction
from idbits.studies.predict.rounding import _formulas, read_density

SHARE, POINT = 0.1, 0.01


def figures(counts: SingletonsPrediction, together: UniquenessPrediction) -> dict[str, tuple[Quantity, bool]]:
    """Return all quantities of both predictions, and whether they are chances."""
    assert counts.mean is not None and counts.variance is not None  # noqa: PT018
    assert counts.none is not None and counts.somebody is not None  # noqa: PT018
    assert together.probability is not None
    found = {"mean": (counts.mean, False), "variance": (counts.variance, False), "none": (counts.none, True)}
    found |= {"somebody": (counts.somebody, True), "all unique": (together.probability, True)}
    for size in counts.sizes:
        found |= {f"sets of {size.j}": (size.sets, False), f"share of {size.j}": (size.share, False)}
    return found


def is_kept(approximation: Approximation, exact: float, *, chance: bool) -> bool:
    off = abs(approximation.value - exact)
    return off <= (POINT if chance else SHARE * exact) + 1e-12


def check(p: list[float], k: int) -> int:
    """Compare every trusted approximation, from the distribution and from kappa alone; return how many there are."""
    exact = figures(predict.singletons(k, probabilities=p), predict.uniqueness(k, probabilities=p))
    kappa = Distribution.of(p).kappa_nats
    alone = figures(
        predict.singletons(k, values=len(p), kappa=kappa), predict.uniqueness(k, values=len(p), kappa=kappa)
    )
    trusted = 0
    for known in (exact, alone):
        for name, (quantity, chance) in known.items():
            right = exact[name][0].exact
            assert right is not None
            for one in quantity.approximations:
                trusted += one.trusted
                assert not one.trusted or is_kept(one, right, chance=chance), (name, one, right, p, k)
    return trusted


def test_kappa_0_is_the_uniform_distribution_and_exact() -> None:
    answer = predict.singletons(6, values=2, kappa=0)
    assert answer.mean is not None
    assert (answer.mean.exact, answer.mean.low, answer.mean.high) == (0.1875, 0.1875, 0.1875)
    assert not answer.mean.approximations[0].trusted
    same = predict.singletons(6, values=2)
    assert answer.to_dict() == same.to_dict()
    assert predict.uniqueness(29, values=95, kappa=0.0).probability == predict.uniqueness(29, values=95).probability
    assert predict.group(10, values=95, kappa=0).group_size.exact == 37
    assert "perhaps" not in str(answer)


def test_three_values_and_three_people() -> None:
    # 21% off, and trusted once.
    answer = predict.singletons(3, probabilities=[0.5, 0.3, 0.2])
    assert answer.sizes[0].sets.exact == pytest.approx(1.2)
    assert not any(size.sets.approximations[0].trusted for size in answer.sizes)
    assert check([0.5, 0.3, 0.2], 3) == 0


@settings(max_examples=60, deadline=None)
@given(
    weights=st.lists(st.floats(0.2, 1.0), min_size=2, max_size=30),
    power=st.floats(0.05, 3.0),
    k=st.integers(1, 90),
)
def test_trusted_is_within_the_tolerance(weights: list[float], power: float, k: int) -> None:
    raised = np.array(weights) ** power
    check((raised / raised.sum()).tolist(), k)


def three_levels(n_values: int) -> Iterator[list[float]]:
    """Yield distributions that the rule never looks at: three probabilities, one of them an outlier or 0."""
    for outliers, middle in itertools.product({1, 2, n_values // 5}, {1, n_values // 3, n_values // 2}):
        rest = n_values - outliers - middle
        for high, low in itertools.product((0.0, 0.4, 1.3, 2.0, 4.0), (0.7, 0.95, 1.2)):
            if outliers and middle and rest > 0:
                alphas = [high] * outliers + [low] * middle
                left = n_values - sum(alphas)
                if left > 0:
                    yield [alpha / n_values for alpha in (*alphas, *[left / rest] * rest)]


@pytest.mark.parametrize("n_values", [4, 12, 40])
def test_trusted_is_within_the_tolerance_for_three_levels(n_values: int) -> None:
    trusted = 0
    for place, p in enumerate(three_levels(n_values)):
        for k in (2, max(2, n_values // 4), n_values, 3 * n_values)[place % 2 :: 2]:
            trusted += check(p, k)
    # The rule must not be kept by trusting nothing.
    assert n_values == 4 or trusted > 30


def test_the_figures_of_the_thesis_are_still_trusted() -> None:
    assert "perhaps" not in str(predict.singletons(60, values=95, kappa=0.0914))
    assert str(predict.singletons(60, values=95, kappa=0.0914)).startswith("Expect about ")
    assert all(one.trusted for one in predict.uniqueness(29, values=95, kappa=0.0914).probability.approximations)


@pytest.mark.parametrize(("n_values", "kappa"), [(2, 0.3), (3, 0.01), (95, 0.0914), (365, 1e-9), (10**21, 0.02)])
def test_distributions_of_one_kappa(n_values: int, kappa: float) -> None:
    found = two_level_distributions(n_values, kappa)
    assert found
    for one in found:
        assert one.total(one.probabilities) == pytest.approx(1, rel=1e-12)
        assert one.n_values == n_values
        assert one.kappa_nats == pytest.approx(kappa, rel=1e-3, abs=1e-12)
    # One outlier, and values that hardly ever occur.
    assert max(one.largest_alpha for one in found) > 1 + math.sqrt(kappa)
    assert two_level_distributions(n_values, 0.0) == ()


def test_group_sizes_from_kappa_alone() -> None:
    for kappa, cost in itertools.product((0.001, 0.01, 0.05), (1, 5)):
        near = predict.group(cost, values=95, kappa=kappa).group_size.approximations[0]
        for one in two_level_distributions(95, kappa)[::7]:
            p = np.repeat(one.probabilities, one.multiplicities.astype(int))
            exact = predict.group(cost, probabilities=np.concatenate([p, np.zeros(95 - len(p))])).group_size.exact
            assert not near.trusted or abs(near.value - exact) <= max(1, SHARE * exact)
    assert predict.group(5, values=95, kappa=0.001).group_size.approximations[0].trusted


@pytest.mark.parametrize(
    "text", ["normal:sd=5", "exponential:mean=3", "lognormal:mu=1,sigma=0.6", "uniform:low=0.3,high=9"]
)
def test_trusted_widths_are_within_the_tolerance(text: str) -> None:
    density = read_density(text)
    assert density is not None
    trusted = 0
    for k, shared in itertools.product((2, 3, 10, 60), (0.005, 0.03, 0.1, 0.3)):
        row = predict.width(text, [shared / ((k - 1) * density.power_integral(2))], k).widths[0]
        for quantity in (row.mean, row.variance, *(size.sets for size in row.sizes)):
            assert quantity.exact is not None
            for one in quantity.approximations:
                trusted += one.trusted
                assert not one.trusted or abs(one.error) <= SHARE * quantity.exact
    assert trusted > 40


def test_conditions_of_widths_suffice_without_the_exact_value() -> None:
    # Where there are too many intervals nothing is exact, so the conditions alone have to keep the promise.
    for text in ("normal:sd=5", "exponential:mean=3", "lognormal:mu=1,sigma=0.6"):
        density = read_density(text)
        assert density is not None
        for k, shared in itertools.product((3, 10, 60), (0.005, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3)):
            width = shared / ((k - 1) * density.power_integral(2))
            row = predict.width(text, [width], k).widths[0]
            formulas = _formulas(density, width, k)
            pairs = [(row.variance, formulas.variance)]
            pairs += [(size.sets, formulas.sets[size.j]) for size in row.sizes]
            for quantity, given_formulas in pairs:
                for formula in given_formulas:
                    trusted = formula.beside(None).trusted
                    assert not trusted or abs(formula.value - quantity.exact) <= SHARE * quantity.exact, (
                        text,
                        k,
                        shared,
                    )


def test_a_view_that_misses_the_target_is_not_shown_as_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "ages.csv"
    path.write_text("age,n\n" + "".join(f"{age},{60 - age}\n" for age in range(60)))
    source = {"distribution": f"{path}:age", "count": "n"}
    for study in (predict.singletons, predict.uniqueness):
        target = "singletons<=20%" if study is predict.singletons else "uniqueness<=0.1%"
        answer = study(20, **source, target=target)  # type: ignore[operator]
        assert answer.target.chosen != "age"
        text = str(answer)
        assert "is met by age:" in text
        assert "Expect" not in text
        assert "with chance" not in text
        assert f"FILE:{answer.target.chosen}" in text
        met = study(20, **source, target=target.replace("20%", "99%").replace("0.1%", "99%"))  # type: ignore[operator]
        assert met.target.chosen == "age"
        assert "Expect" in str(met) or "with chance" in str(met)


def test_a_width_that_misses_the_target_is_no_headline() -> None:
    asked = str(predict.width("normal:sd=5", [0.5], 10, target="singletons<=10%"))
    assert "At width 0.5, expect" not in asked
    assert "At width" in str(predict.width("normal:sd=5", None, 10, target="singletons<=10%"))


def test_a_target_from_kappa_says_that_it_is_rough() -> None:
    answer = predict.singletons(values=95, kappa=0.05, target="singletons<=1%")
    assert not answer.target.exact
    assert "holds for about k from" in str(answer)
    assert "Only kappa is known" in str(answer)
    sharp = predict.singletons(values=95, target="singletons<=1%")
    assert sharp.target.exact
    assert "about" not in str(sharp).splitlines()[0]
