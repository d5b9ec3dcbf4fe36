"""The errata of the sources, and every number that docs/explanation/errata.md shows.

The page is run snippet by snippet and its outputs are compared. The tests after that hold the conclusions,
each by a count of its own: what is right agrees, what is printed does not.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import math
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "errata.md"
SNIPPET = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```\n", re.DOTALL)
N_SNIPPETS = 30


@functools.cache
def page_runs() -> list[tuple[str, str]]:
    namespace: dict[str, Any] = {}
    runs = []
    for code, shown in SNIPPET.findall(PAGE.read_text(encoding="utf-8")):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, namespace)
        runs.append((printed.getvalue(), shown))
    return runs


@pytest.mark.big
@pytest.mark.parametrize("number", range(N_SNIPPETS))
def test_the_page_shows_what_its_snippet_prints(number: int) -> None:
    printed, shown = page_runs()[number]
    assert printed == shown


def test_every_snippet_of_the_page_is_run() -> None:
    assert len(page_runs()) == PAGE.read_text(encoding="utf-8").count("```python") == N_SNIPPETS


def singletons_of(outcome: Sequence[int]) -> int:
    return sum(outcome.count(value) == 1 for value in outcome)


def listed_moments(probabilities: Sequence[Fraction], people: int) -> tuple[Fraction, Fraction]:
    """Mean and variance of the number of singletons, over every outcome."""
    first = second = Fraction(0)
    for outcome in itertools.product(range(len(probabilities)), repeat=people):
        weight = math.prod((probabilities[value] for value in outcome), start=Fraction(1))
        first += weight * singletons_of(outcome)
        second += weight * singletons_of(outcome) ** 2
    return first, second - first**2


def grouped_moments(groups: dict[Fraction, int], people: int) -> tuple[Fraction, Fraction]:
    """Mean and variance from {probability: number of values}, in rational numbers (S2 proposition 5.9)."""
    mean = people * sum(n * p * (1 - p) ** (people - 1) for p, n in groups.items())
    both = sum(
        (n * (m - (p == q))) * p * q * (1 - p - q) ** (people - 2)
        for (p, n), (q, m) in itertools.product(groups.items(), repeat=2)
    )
    return mean, mean + people * (people - 1) * both - mean**2


def two_groups(n_values: int, spread: Fraction) -> dict[Fraction, int]:
    return {(1 + sign * spread) / n_values: n_values // 2 for sign in (-1, 1)}


def kappa_nats(groups: dict[Fraction, int]) -> float:
    n_values = sum(groups.values())
    return sum(n * float(p) * math.log(p * n_values) for p, n in groups.items())


def test_the_exact_moments_agree_with_listing_every_outcome() -> None:
    groups = {Fraction(1, 2): 1, Fraction(1, 8): 4}
    probabilities = [p for p, n in groups.items() for _ in range(n)]
    assert grouped_moments(groups, 4) == listed_moments(probabilities, 4)


def test_s2_4_2_exponent_has_a_minus_sign() -> None:
    # pi_u itself, in logs: the limit is e^(-a^2/2) with a = 1.
    n_values, people = 10**6, 10**3
    exact = math.exp(sum(math.log1p(-i / n_values) for i in range(people)))
    shrink = (n_values - people) * math.log1p(-people / n_values)
    assert exact == pytest.approx(math.exp(-people - shrink), rel=1e-3)
    assert math.exp(-people + shrink) < 1e-100


def test_s2_4_3_2_kappa_and_the_factor_it_gives() -> None:
    groups = two_groups(96, Fraction(2, 5))
    kappa = kappa_nats(groups)
    squares = sum(n * (p * 96) ** 2 for p, n in groups.items()) / 96
    assert kappa == pytest.approx(float(squares - 1) / 2, rel=0.03)

    people, polynomial = 20, [Fraction(1)] + [Fraction(0)] * 20
    for p, n in groups.items():
        for _ in range(n):
            for j in range(people, 0, -1):
                polynomial[j] += p * polynomial[j - 1]
    exact = float(math.factorial(people) * polynomial[people])
    uniform = math.perm(96, people) / 96**people
    assert uniform * math.exp(-(people**2) * kappa / 96) == pytest.approx(exact, rel=0.02)
    assert uniform**kappa > 9 * exact


def test_s2_lemma_4_1_covariance() -> None:
    n_values, people, spread = 2000, 2000, Fraction(2, 5)
    half, (p, q) = n_values // 2, two_groups(n_values, spread)
    one, other = (people * half * x * (1 - x) ** (people - 1) for x in (p, q))
    both = people * (people - 1) * half**2 * p * q * (1 - p - q) ** (people - 2)
    exact = float(both - one * other) / n_values
    alphas, tail = (0.6, 1.4), math.exp(-2)
    right = -math.prod(alpha / 2 * (1 - alpha) for alpha in alphas) * tail
    printed = -math.prod(alpha**2 / 2 for alpha in alphas) * tail
    assert exact == pytest.approx(right, rel=0.01)
    assert printed < 0 < exact


@pytest.mark.parametrize("a", [Fraction(1, 2), Fraction(1), Fraction(3)])
def test_s2_5_1_mean_follows_5_4_and_remark_5_5(a: Fraction) -> None:
    groups, n_values = two_groups(200, Fraction(1, 10)), 200
    people, kappa = int(a * n_values), kappa_nats(groups)
    even = grouped_moments({Fraction(1, n_values): n_values}, people)[0]
    bend = float(grouped_moments(groups, people)[0] / even) - 1
    right = float(a * (a - 2)) * kappa
    assert bend == pytest.approx(right, rel=0.02)
    assert abs(bend - right) < abs(bend - right / 2) / 10
    assert (bend < 0) == (a < 2)


def test_s2_remark_5_3_gamma_sums_from_zero_and_phi_from_one() -> None:
    a, kappa = 0.7, 0.1
    gamma = [
        math.exp(-a) * a**j / math.factorial(j) * (1 + (a * a + j * (j - 1) - 2 * j * a) * kappa) for j in range(60)
    ]
    assert math.fsum(gamma) == pytest.approx(1)
    assert math.fsum(gamma[1:]) == pytest.approx(1 - math.exp(-a) * (1 + a * a * kappa))
    assert math.fsum(j * share / a for j, share in enumerate(gamma)) == pytest.approx(1)


def test_s2_remark_5_4_maximum() -> None:
    def mean_share(a: float, kappa: float) -> float:
        return a * math.exp(-a) * (1 + a * (a - 2) * kappa)

    def is_local_maximum(kappa: float) -> bool:
        return mean_share(1, kappa) > max(mean_share(0.999, kappa), mean_share(1.001, kappa))

    assert mean_share(1, 0.2) == pytest.approx(0.8 / math.e)
    assert is_local_maximum(0.333)
    assert not is_local_maximum(0.334)
    far = [max(mean_share(a, kappa) for a in np.linspace(1.5, 12, 5000)) for kappa in (0.260, 0.261)]
    assert far[0] < mean_share(1, 0.260)
    assert far[1] > mean_share(1, 0.261)


@pytest.mark.parametrize("gamma", [0.5, 1.0, 1.9])
def test_s2_example_5_8_kappa(gamma: float) -> None:
    x = (np.arange(200_000) + 0.5) / 200_000
    density = gamma * (x - 0.5) + 1
    core = sum(sign * (1 + sign * gamma / 2) ** 2 * math.log(1 + sign * gamma / 2) for sign in (1, -1))
    exact = np.mean(density * np.log(density))
    assert exact == pytest.approx((core - gamma) / (2 * gamma), abs=1e-8)
    assert (exact == pytest.approx((core - 1) / (2 * gamma), abs=1e-3)) == (gamma == 1)


@pytest.mark.parametrize(("gamma", "a"), [(0.5, 1.0), (1.0, 0.5), (2.0, 0.9)])
def test_s2_example_5_8_upper_limit(gamma: float, a: float) -> None:
    """The closed form is the integral to 1; to infinity it is another number."""
    closed = math.exp(-a) * ((a + 1) / (gamma * a) * 2 * math.sinh(a * gamma / 2) - math.cosh(a * gamma / 2))

    def to(end: float) -> float:
        x = (np.arange(400_000) + 0.5) / 400_000 * end
        density = gamma * (x - 0.5) + 1
        return float(np.mean(a * density * np.exp(-a * density)) * end)

    assert to(1.0) == pytest.approx(closed, abs=1e-6)
    assert to(200.0) > closed + 0.05


def test_s2_5_10_the_two_lines_differ_on_the_diagonal() -> None:
    f, a = 0.5, 2.0
    for low, high in ((0.6, 1.4), (0.1, 1.9)):
        fades = [(alpha, math.exp(-a * alpha)) for alpha in (low, high)]
        as_first = sum(alpha**2 * f**2 * fade**2 for alpha, fade in fades)
        as_second = sum(alpha**4 * f**2 * fade**2 for alpha, fade in fades)
        assert abs(as_first - as_second) > 0.2 * as_second
        off_diagonal = 2 * math.prod(alpha**2 * f * fade for alpha, fade in fades)
        square = sum(alpha**2 * f * fade for alpha, fade in fades) ** 2
        assert square == pytest.approx(off_diagonal + as_second)


def test_s2_2_2_1_nine_times_as_likely() -> None:
    from idbits import predict

    nine = predict.suspects(weights=[9, *[1] * 9])
    assert nine.best_guess == 0.5
    assert (round(nine.entropy_bits, 2), round(nine.max_entropy_bits, 2)) == (2.58, 3.32)
    assert round(nine.degree_of_anonymity, 2) == 0.78
    assert predict.suspects(weights=[10, *[1] * 9]).best_guess == pytest.approx(10 / 19)


@pytest.mark.parametrize(("n_values", "people"), [(2, 5), (3, 3), (4, 5), (6, 4)])
def test_s2_5_3_1_exponent(n_values: int, people: int) -> None:
    one = 1 - Fraction(1, n_values)
    rest = people * one ** (people - 1)
    rest += people * (people - 1) * one * (1 - Fraction(2, n_values)) ** (people - 2)
    exact = listed_moments([Fraction(1, n_values)] * n_values, people)[1]
    assert exact == rest - people**2 * one ** (2 * people - 2)
    assert exact != rest - people**2 * one ** (2 * people - 4)


def variance_limits(alpha: np.ndarray, a: float) -> tuple[float, float]:
    """Var S / N for large N: the right limit, and proposition 5.10."""
    fade = np.exp(-a * alpha)
    mean = a * np.mean(alpha * fade)
    right = mean - np.mean((a * alpha * fade) ** 2) - a * np.mean(alpha * fade * (1 - a * alpha)) ** 2
    return float(right), float(mean - a**3 * np.mean(alpha**2 * fade) ** 2)


@pytest.mark.parametrize("spread", [0.0, 0.4, 0.9])
@pytest.mark.parametrize("a", [0.2, 0.5, 1.0, 1.5, 2.0, 3.0])
def test_s2_5_10_limit_of_the_variance(spread: float, a: float) -> None:
    n_values = 2000
    alpha = np.array([1 - spread, 1 + spread])
    people, half, p = round(a * n_values), n_values / 2, alpha / n_values
    mean = people * np.sum(half * p * (1 - p) ** (people - 1))
    pairs = (half**2 - half * np.eye(2)) * np.outer(p, p) * (1 - p[:, None] - p) ** (people - 2)
    exact = (mean + people * (people - 1) * pairs.sum() - mean**2) / n_values
    right, printed = variance_limits(alpha, a)
    assert right == pytest.approx(exact, rel=2e-3)
    if a <= 0.2 or (spread == 0 and a != 1):
        assert printed != pytest.approx(exact, rel=0.1)
    if spread <= 0.4 and a == 1:
        assert printed == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("a", [0.2, 0.5, 1.0, 2.0, 3.0])
def test_s2_5_3_2_and_5_11_variances(a: float) -> None:
    alpha = np.array([0.95, 1.05])
    kappa = float(np.mean(alpha * np.log(alpha)))
    exact, once, twice = variance_limits(alpha, a)[0], math.exp(-a), math.exp(-2 * a)
    right = (
        a * once * (1 + a * (a - 2) * kappa)
        - a**2 * twice * (1 + (2 - 8 * a + 4 * a**2) * kappa)
        - a * twice * (1 - a) ** 2 * (1 + 2 * a * (a - 4) * kappa)
    )
    assert right == pytest.approx(exact, rel=1e-4)
    printed = a * once * (1 - a * (a - 2) * kappa) - a**3 * twice * (1 + (4 - 6 * a) * kappa)
    assert printed != pytest.approx(exact, rel=2e-3)
    assert np.mean(a * alpha * (1 - a**2 * alpha) * np.exp(-a * alpha)) != pytest.approx(exact, rel=0.1)


def test_s2_5_3_3_moments_by_seeded_simulation() -> None:
    counts = np.random.default_rng(1).multinomial(40, np.repeat([0.6, 1.4], 20) / 40, size=40_000)
    singletons = (counts == 1).sum(axis=1)
    mean, variance = map(float, grouped_moments(two_groups(40, Fraction(2, 5)), 40))
    assert singletons.mean() == pytest.approx(mean, abs=4 * math.sqrt(variance / 40_000))
    assert singletons.var() == pytest.approx(variance, rel=0.03)


@pytest.mark.parametrize("people", [2, 3, 10])
def test_s2_6_3_1_exponential_width(people: int) -> None:
    width = 1e-3
    edges = np.exp(-width * np.arange(40_000))
    cell = edges[:-1] - edges[1:]
    lost = 1 - np.sum(cell * (1 - cell) ** (people - 1))
    right = (people - 1) * width / 2 - (people - 1) * (people - 2) * width**2 / 6
    assert lost == pytest.approx(right, rel=1e-4)
    assert lost != pytest.approx(people * width / 2 - (people * width) ** 2 / 6, rel=0.05)
    if people == 2:
        assert lost == pytest.approx(math.tanh(width / 2))


@pytest.mark.parametrize(("cells", "divides"), [([Fraction(1, 4)] * 4, True), ([Fraction(3, 10)] * 3, False)])
def test_s2_6_3_1_uniform_width(cells: list[Fraction], divides: bool) -> None:
    everything = cells if divides else [*cells, 1 - sum(cells)]
    assert (listed_moments(everything, 4)[0] == 4 * (1 - cells[0]) ** 3) == divides


@pytest.mark.parametrize("people", [2, 3, 5, 10])
def test_s2_remark_6_2_variance_of_small_widths(people: int) -> None:
    cells = 10**6
    slope = grouped_moments({Fraction(1, cells): cells}, people)[1] * cells
    assert float(slope) == pytest.approx(2 * people**2 - 2 * people, rel=1e-4)


def test_s2_6_5_rule_of_thumb() -> None:
    def mean_singletons(sigma: float, width: float) -> float:
        steps = int(10 * sigma / width) + 1
        cell = np.diff([NormalDist(0, sigma).cdf(i * width) for i in range(-steps, steps + 1)])
        return float(10 * np.sum(cell * (1 - cell) ** 9))

    assert mean_singletons(5.66, 0.5) < 8 < mean_singletons(5.67, 0.5)
    assert mean_singletons(6.6, 0.5) > 8.25
    assert 10 - 0.5 * 90 / (2 * 6.347 * math.sqrt(math.pi)) == pytest.approx(8, abs=1e-3)


def test_s2_printed_tables() -> None:
    population, at = 2_774_476, {1: 137_035, 2: 212_536, 3: 260_244, 4: 282_644}
    assert all(people % k == 0 for k, people in {**at, 5: 279_100}.items())
    assert sum(at.values()) == 892_459 > 279_100
    assert round(100 * at[1] / population, 2) == 4.94
    assert round(100 * 2_186 / population, 3) == 0.079
    assert [round(population / sets) for sets in (386, 772)] == [7_188, 3_594]
    assert [round(population / sets) for sets in (388, 776)] != [7_188, 3_594]
    left = 16_000_000 / (3.33 * 1.26 * 3 * 2.7 * 2.3)
    assert round(left) == 204_688
    assert int(470_000 / 2.3) == 204_347
    assert round(left / 50_000) == 4


def test_s0_and_s1_printed_figures() -> None:
    people = 10_004_090
    share = {entropy: entropy - math.log2(people) + 1 for entropy in (22.79385, 22.7985, 22.992721)}
    assert [round(100 * s, 2) for s in share.values()] == [53.98, 54.44, 73.86]
    assert [round(people / 2**entropy, 2) for entropy in share] == [1.38, 1.37, 1.20]
    assert share[22.992721] < 7_845_850 / people
    assert (1_979 - 907) % 2 == 0  # people in pairs
    # Lemma 3: equal sets of k reach log2(N/k).
    assert math.fsum([2 / 8 * math.log2(8 / 2)] * 4) == math.log2(8 / 2)


def test_s3_a_weaker_attacker_can_gain_more_on_a_row_but_not_on_average() -> None:
    table = np.array([(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 1), (1, 0, 1)])

    def gains(known: list[int]) -> np.ndarray:
        gain = []
        for row in table:
            same = table[(table[:, known] == row[known]).all(axis=1), 2]
            posterior = np.bincount(same, minlength=2) / len(same)
            held = posterior > 0  # the prior is 1/2, 1/2
            gain.append(np.sum(posterior[held] * np.log2(posterior[held] / 0.5)))
        return np.array(gain)

    strong, weak = gains([0, 1]), gains([0])
    assert strong[0] == 0
    assert weak[0] == pytest.approx(0.1887218755)
    assert weak.mean() < strong.mean()


def test_s4_entropy_identities() -> None:
    def bits(shares: np.ndarray) -> float:
        held = shares[shares > 0]
        return float(-np.sum(held * np.log2(held)))

    joint = np.random.default_rng(2).dirichlet(np.ones(12)).reshape(3, 4)
    x, y = joint.sum(axis=1), joint.sum(axis=0)
    conditional = sum(share * bits(column / share) for share, column in zip(y, joint.T, strict=True))
    assert conditional == pytest.approx(bits(joint) - bits(y))
    mutual = float(np.sum(joint * np.log2(joint / np.outer(x, y))))
    assert mutual == pytest.approx(bits(x) + bits(y) - bits(joint))
    assert mutual > 0.01
    independent = np.outer(x, y)
    assert bits(independent) - bits(x) == pytest.approx(bits(y))
    assert bits(y) != pytest.approx(bits(x), rel=1e-3)
    assert bits(independent) == pytest.approx(bits(x) + bits(y))
    assert bits(np.diag(x)) == pytest.approx(bits(x))


def test_s4_case_2_a_joint_entropy_is_never_below_that_of_one_side() -> None:
    # In whole numbers: n H = sum of c log(n / c), so H(X) > H(X,Y) would need prod x^x < prod c^c over the cells c.
    for cells in itertools.product(range(4), repeat=4):
        rows = (cells[0] + cells[1], cells[2] + cells[3])
        of_x, of_both = (math.prod(count**count for count in counts) for counts in (rows, cells))
        assert of_x >= of_both
    # H(X,Y) > 0 for a copy, too, which is not "almost independent".
    copy = np.diag([0.5, 0.25, 0.25])
    held = copy[copy > 0]
    assert float(-np.sum(held * np.log2(held))) == 1.5
