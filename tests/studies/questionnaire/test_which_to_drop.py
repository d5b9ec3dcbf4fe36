"""Which question to drop, and which ones if one is not enough: against every choice; and the words of the headline."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import idbits

JOINT = [[0.3, 0.1, 0.0], [0.05, 0.05, 0.2], [0.0, 0.1, 0.2]]
"""Shares of the answers to *town* and *work* together."""


def ask(questions: dict[str, list[float] | None], population: int) -> Any:
    """Ask some questions; those without shares are counted together."""
    survey: dict[str, Any] = {
        "population": population,
        "questions": [{"name": name} | ({"shares": list(s)} if s else {}) for name, s in questions.items()],
    }
    if "town" in questions and "work" in questions:
        survey["joint"] = [{"questions": ["town", "work"], "shares": JOINT}]
    return idbits.questionnaire(survey)


def cells(questions: dict[str, list[float] | None]) -> list[float]:
    """Return the share of every combination of answers, by multiplying them out."""
    joint = np.array(JOINT)
    together = {("town", "work"): joint.ravel(), ("town",): joint.sum(axis=1), ("work",): joint.sum(axis=0)}
    parts = [np.array(shares) for shares in questions.values() if shares]
    unknown = tuple(name for name in ("town", "work") if name in questions)
    parts += [together[unknown]] if unknown else []
    shares = np.ones(1)
    for part in parts:
        shares = np.multiply.outer(shares, part).ravel()
    return [share for share in shares.tolist() if share > 0]


def unique(questions: dict[str, list[float] | None], n: int) -> float:
    return n * math.fsum(p * (1 - p) ** (n - 1) for p in cells(questions))


def typical(questions: dict[str, list[float] | None], n: int) -> float:
    return n * 2 ** math.fsum(p * math.log2(p) for p in cells(questions))


def without(questions: dict[str, Any], dropped: tuple[str, ...]) -> dict[str, Any]:
    return {name: shares for name, shares in questions.items() if name not in dropped}


@pytest.mark.parametrize("seed", range(8))
def test_the_question_to_drop_by_trying_every_one(seed: int) -> None:
    draw = np.random.default_rng(seed)
    population = int(draw.choice([30, 400, 5_000]))
    questions: dict[str, Any] = {
        f"q{n}": draw.dirichlet(np.full(size, 0.7)).tolist() for n, size in enumerate((2, 5, 9))
    }
    questions |= {"town": None, "work": None}
    answer = ask(questions, population)
    assert answer.steps[-1].crowd.unique_people == pytest.approx(unique(questions, population))
    for change in answer.dropping:
        left = without(questions, (change.question,))
        assert change.crowd.unique_people == pytest.approx(unique(left, population), rel=1e-9)
        assert change.crowd.expected == pytest.approx(typical(left, population))
    tried = {name: unique(without(questions, (name,)), population) for name in questions}
    assert answer.question_to_drop == min(tried, key=lambda name: tried[name])
    assert answer.to_dict()["drop"] == answer.question_to_drop


@pytest.mark.parametrize("seed", range(6))
def test_the_fewest_questions_to_drop_by_trying_every_choice(seed: int) -> None:
    draw = np.random.default_rng(100 + seed)
    population = int(draw.choice([20, 100, 1_000]))
    questions: dict[str, Any] = {
        f"q{n}": draw.dirichlet(np.full(size, 1.0)).tolist() for n, size in enumerate((3, 4, 7, 12))
    }
    questions |= {"town": None, "work": None}
    fewest = ask(questions, population).fewest_drops
    for number in range(len(questions)):
        choices = itertools.combinations(questions, number)
        left = {dropped: typical(without(questions, dropped), population) for dropped in choices}
        best = max(left, key=lambda dropped: left[dropped])
        if left[best] >= 5:
            break
    if number == 0:
        assert fewest is None
    else:
        assert fewest.questions == best
        assert fewest.crowd.expected == pytest.approx(left[best])
        assert fewest.crowd.unique_people == pytest.approx(unique(without(questions, best), population))


def test_a_long_survey_drops_one_after_the_other() -> None:
    questions = {f"q{n}": [1 / (n + 2)] * (n + 2) for n in range(14)}
    fewest = ask(questions, 1_000_000).fewest_drops
    # Equal shares: the largest questions go first, and each divides the group by its number of answers.
    kept = [n + 2 for n in range(14) if f"q{n}" not in fewest.questions]
    assert fewest.questions == tuple(f"q{n}" for n in range(14) if n + 2 > max(kept))
    assert 1_000_000 / math.prod(kept) >= 5 > 1_000_000 / math.prod([*kept, max(kept) + 1])


def test_nothing_to_drop() -> None:
    single = ask({"a": [0.5, 0.5]}, 100)
    assert single.question_to_drop is None
    assert single.fewest_drops is None
    assert single.to_dict()["fewest_drops"] is None
    # Even one question leaves fewer than five people.
    assert ask({"a": [0.1] * 10, "b": [0.1] * 10}, 20).fewest_drops is None


def test_the_headline_is_the_expected_case_with_best_and_worst() -> None:
    answer = ask({"a": [0.5, 0.3, 0.2], "b": [0.6, 0.4]}, 10_000)
    text = str(answer).replace("\n", " ")
    expected = math.floor(typical({"a": [0.5, 0.3, 0.2], "b": [0.6, 0.4]}, 10_000))
    assert text.startswith(
        f"Expect {expected:,} people to share all answers: 3,000 people at best, 800 people at worst 10,000 people may"
    )
    assert "Hardly anyone of them will be unique." in text
    assert answer.to_dict()["verdict_level"] == "good"


def test_the_headline_of_a_survey_that_gives_people_away() -> None:
    ten = [0.19, *[0.09] * 9]
    survey = dict.fromkeys("abcd", ten)
    text = str(ask(survey, 1_000)).replace("\n", " ")
    people = round(unique(survey, 1_000))
    assert text.startswith("Expect nobody else to share all answers, even in the best case")
    assert f"About {people} of them ({people / 10:.1f}" in text
    assert "Dropping one question is not enough. Without a and b, 1" in text
    two = str(ask({"a": ten, "b": ten}, 1_000)).replace("\n", " ")
    assert two.startswith("Expect 10 people to share all answers: 36 people at best, 8 people at worst")
    assert ask(survey, 1_000).to_dict()["verdict_level"] == "bad"


def test_only_the_most_common_answer_is_known() -> None:
    survey = {"population": 1_000, "questions": [{"name": "a", "share": 0.9}, {"name": "b", "share": 0.3}]}
    answer = idbits.questionnaire(survey)
    text = str(answer).replace("\n", " ")
    # A bound is rounded to the side on which it holds.
    most = answer.steps[-1].crowd.expected_at_most
    assert text.startswith(f"Expect at most {math.ceil(most)} people to share all answers: 270 people at best ")
    assert f"<= {math.ceil(most)} " in text
    assert "The worst case and the number of unique people are not known" in text
    assert answer.question_to_drop == "b"


@pytest.mark.parametrize(
    ("population", "shares", "headline"),
    [
        (5_000, [[3, 2], [1] * 5, [1] * 3, [1] * 10], "17 people to share all answers: 20 people at best, 13 people"),
        (12_000, [[7, 1, 2], [1] * 5], "1,076 people to share all answers: 1,680 people at best, 240 people"),
        (
            12_000,
            [[1] * 6, [1] * 10, [1] * 3, [3, 4, 3]],
            "22 people to share all answers: 26 people at best, 20 people",
        ),
        (100, [[1] * 20], "5 people to share all answers: 5 people at best, 5 people"),
    ],
)
def test_whole_numbers_of_people_are_not_missed(population: int, shares: list[list[int]], headline: str) -> None:
    """Shares as fractions of whole numbers: 5000 x 6/10 x 1/5 x 1/3 x 1/10 is 20."""
    answer = ask({f"q{n}": [part / sum(parts) for part in parts] for n, parts in enumerate(shares)}, population)
    assert answer.to_dict()["verdict"] == f"Expect {headline} at worst"
    exact = Fraction(population)
    for step, parts in zip(answer.steps, shares, strict=True):
        exact *= Fraction(max(parts), sum(parts))
        assert math.floor(step.crowd.best_case) == math.floor(exact)


@pytest.mark.parametrize(
    ("population", "factors", "people"),
    [(1_000, (10, 2), 50), (12_000, (10, 10), 120), (100, (5, 5), 4), (1_000, (3.33,), 270)],
)
def test_an_upper_bound_is_not_rounded_up_beyond_a_whole_number(
    population: int, factors: tuple[float, ...], people: int
) -> None:
    questions = [{"name": f"q{n}", "factor": factor} for n, factor in enumerate(factors)]
    verdict = idbits.questionnaire({"population": population, "questions": questions}).to_dict()["verdict"]
    assert str(verdict).startswith(f"Expect at most {people} people to share all answers")


def flat(answer: Any) -> str:
    """Return an answer as text without line breaks."""
    return " ".join(str(answer).split())


def test_words_for_few_unique_people_depend_on_the_population() -> None:
    few = flat(ask({"age": [0.9, 0.1]}, 10))
    assert "On average, fewer than 1 of them (3.87%) will be unique." in few
    assert "Hardly anyone of them will be unique." in flat(ask({"age": [0.5, 0.5]}, 10))


def test_a_drop_that_changes_nothing_is_not_proposed() -> None:
    same = flat(ask({"planet": [1.0], "species": [1.0]}, 4))
    assert "4 people may answer 2 questions." in same
    assert "Dropping a single question does not help." in same
    assert "helps most" not in same
    assert "Dropping age helps most" in flat(ask({"planet": [1.0], "age": [0.5, 0.5]}, 4))


def test_an_upper_bound_alone_is_no_good_news() -> None:
    """60% give the most common answer; the other 40% may all give different ones, which nobody knows."""
    survey = {"population": 100_000, "questions": [{"name": "a", "share": 0.6}]}
    only_most_common = idbits.questionnaire(survey).to_dict()
    assert only_most_common["steps"][-1]["expected"] is None
    assert only_most_common["verdict_level"] == "warn"
    assert ask({"a": [0.6, 0.4]}, 100_000).to_dict()["verdict_level"] == "good"
