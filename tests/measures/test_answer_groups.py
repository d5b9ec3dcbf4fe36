"""Expected unique people for the answers to several questions: against all outcomes, exact sums and seeded draws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from idbits.measures import answer_groups
from idbits.measures.answer_groups import AnswerGroups, combined
from idbits.measures.crowd import Answers, together
from idbits.measures.distribution import Distribution
from idbits.measures.singletons import mean_singletons

TENTHS = ([5, 3, 2], [6, 4])


def groups(shares: list[float]) -> AnswerGroups:
    return AnswerGroups.of(Distribution.of(shares))


def test_the_mean_over_every_outcome_of_three_people() -> None:
    cells = {pair: Fraction(a * b, 100) for pair, (a, b) in enumerate(itertools.product(*TENTHS))}
    expected = Fraction(0)
    for outcome in itertools.product(cells, repeat=3):
        unique = sum(outcome.count(cell) == 1 for cell in outcome)
        expected += unique * math.prod(cells[cell] for cell in outcome)
    parts = [groups([share / 10 for share in shares]) for shares in TENTHS]
    assert combined(parts).unique_people(3) == pytest.approx(float(expected), rel=1e-14)


def test_the_mean_over_every_outcome_with_refusals_and_skips() -> None:
    answers, refused, skipped = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], Fraction(1, 5), Fraction(1, 10)
    # Refusing is an answer of its own. Somebody who is not asked could be anyone, whatever the others would say.
    told = [*(share * (1 - refused) for share in answers), refused]
    expected = Fraction(0)
    for outcome in itertools.product(range(len(told)), repeat=3):
        chance = math.prod(told[answer] for answer in outcome)
        expected += chance * sum((1 - skipped) * (outcome.count(answer) == 1) for answer in outcome)
    known = Answers.of(Distribution.of([float(share) for share in answers]))
    found = known.with_refusals(float(refused)).with_skips(float(skipped)).unique_people(3)
    assert found == pytest.approx(float(expected), rel=1e-14)


def test_ticks_are_all_their_patterns() -> None:
    ticks = [0.3, 0.6, 0.1]
    patterns = [
        math.prod(share if ticked else 1 - share for share, ticked in zip(ticks, pattern, strict=True))
        for pattern in itertools.product([True, False], repeat=3)
    ]
    for refused in (0.0, 0.05):
        ticked = Answers.ticks(ticks).with_refusals(refused).unique_people(40)
        assert ticked == pytest.approx(Answers.of(Distribution.of(patterns)).with_refusals(refused).unique_people(40))


@pytest.mark.parametrize("people", [1, 2, 1_000, 16_000_000])
def test_one_question_is_the_mean_of_predict(people: int) -> None:
    distribution = Distribution.of(np.random.default_rng(7).dirichlet(np.full(50, 0.3)))
    assert AnswerGroups.of(distribution).unique_people(people) == pytest.approx(mean_singletons(distribution, people))


def test_one_question_with_many_different_shares_is_added_up() -> None:
    distribution = Distribution.of(np.arange(1, 30_001) / (30_000 * 30_001 / 2))
    assert Answers.of(distribution).unique_people(10**6) == mean_singletons(distribution, 10**6)


def test_limits() -> None:
    assert together([]).unique_people(1) == 1
    assert together([]).unique_people(2) == 0
    assert groups([1.0]).unique_people(1_000) == 0
    assert groups([1e-9] * 1000 + [1 - 1e-6]).unique_people(1_000) == pytest.approx(1e-3, rel=1e-5)
    assert Answers.from_largest(0.5).unique_people(10) is None
    assert Answers.from_kappa(0.1, 10).unique_people(10) is None
    assert together([Answers.from_largest(0.5), Answers.of(Distribution.uniform(3))]).unique_people(10) is None


@pytest.mark.parametrize("people", [50, 10_000, 17_000_000, 10**11])
@pytest.mark.parametrize("evenness", [0.2, 1.0, 20.0])
def test_the_grid_is_as_good_as_adding_up(people: int, evenness: float, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(people % 1_000 + round(10 * evenness))
    parts = [groups(list(draw.dirichlet(np.full(size, evenness)))) for size in (60, 20, 12, 3, 2)]
    by_grid = combined(parts).unique_people(people)
    monkeypatch.setattr(answer_groups, "_MOST_COMBINATIONS", 10**9)
    added_up = combined(parts)
    assert len(added_up.people) > 2**14
    exact = added_up.unique_people(people)
    assert by_grid == pytest.approx(exact, rel=1e-5, abs=1e-6)


def test_many_questions_stay_on_a_grid_of_bounded_size() -> None:
    parts = [groups([0.5, 0.3, 0.1, 0.1 - 1e-8, 1e-8]) for _ in range(20)]
    together_ = combined(parts)
    assert len(together_.people) <= 2**17 + 21
    assert math.fsum(together_.people.tolist()) == pytest.approx(1, abs=1e-12)
    # Nearly all combinations of so many answers are rare.
    assert together_.unique_people(1_000) == pytest.approx(1_000, rel=1e-3)


def test_seeded_draws_have_the_same_mean() -> None:
    draw, people, rounds = np.random.default_rng(1), 2_000, 300
    shares = [np.array([0.6, 0.25, 0.1, 0.05]), np.full(30, 1 / 30), np.array([0.9, 0.06, 0.04])]
    unique = []
    for _ in range(rounds):
        codes = np.zeros(people, dtype=np.int64)
        for part in shares:
            codes = codes * len(part) + draw.choice(len(part), people, p=part)
        unique.append(int((np.unique(codes, return_counts=True)[1] == 1).sum()))
    expected = combined([groups(list(part)) for part in shares]).unique_people(people)
    error = np.std(unique) / math.sqrt(rounds)
    assert abs(np.mean(unique) - expected) < 4 * error
