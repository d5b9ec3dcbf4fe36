"""The loss of relationships, counted from the rows: mutual information beyond chance of each pair of views."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pyarrow
import pytest

import idbits
from idbits.engines.open import open_table
from idbits.examples.registry import registry
from idbits.kernels.lattice.walk import Node
from idbits.reading import open_options
from idbits.studies.advise.result import Advice, LadderViews, TreatmentPoint
from idbits.studies.shared.goals import parse_goals
from idbits.studies.shared.treatments.problem import read_problem
from idbits.studies.shared.treatments.question import AdviceQuestion
from idbits.values.attributes import parse_attributes

SHUFFLES = 20


def people_with_incomes() -> dict[str, list[Any]]:
    """Return 400 people. Income depends on age alone; the ZIP codes of few people each share bits by chance only."""
    draw = random.Random(3)
    ages = [draw.randrange(18, 90) for _ in range(400)]
    return {
        "age": ages,
        "zip": [str(1000 + draw.randrange(200)) for _ in ages],
        "income": [age // 12 + draw.randrange(2) for age in ages],
    }


PEOPLE = people_with_incomes()


def seen(view: str, value: Any) -> Any:
    """Return a value in a view: a second way to compute the few views that are tried here."""
    if view == "as is":
        return value
    if view == "all":
        return None
    if view.startswith("band"):
        return value - value % int(view[4:])
    assert view.startswith("prefix"), view
    return value[: int(view[6:])]


def information(xs: Sequence[Any], ys: Sequence[Any]) -> float:
    n, alone, beside = len(xs), Counter(xs), Counter(ys)
    both = Counter(zip(xs, ys, strict=True))
    return math.fsum(k / n * math.log2(k * n / (alone[x] * beside[y])) for (x, y), k in both.items())


def chance(xs: Sequence[Any], ys: Sequence[Any]) -> float:
    """Return the mean mutual information over all shuffles, from whole-number coefficients."""
    n, total = len(xs), 0.0
    pairs = Counter(itertools.product(Counter(xs).values(), Counter(ys).values()))
    for (a, b), times in pairs.items():
        for k in range(max(1, a + b - n), min(a, b) + 1):
            part = Fraction(math.comb(a, k) * math.comb(n - a, b - k), math.comb(n, b))
            total += times * float(part) * k / n * math.log2(k * n / (a * b))
    return total


def beyond_chance(xs: list[Any], ys: list[Any]) -> float:
    """Return mutual information minus its chance level, or 0 if shuffles show as much.

    Shuffles decide, without any formula: a relationship is far above all of them or among them, nothing between.
    """
    bits, level = information(xs, ys), chance(xs, ys)
    if len(set(xs)) == 1 or len(set(ys)) == 1:
        return 0.0
    draw = random.Random(1)
    shuffled = [information(draw.sample(xs, len(xs)), ys) for _ in range(SHUFFLES)]
    assert sum(shuffled) / SHUFFLES == pytest.approx(level, rel=0.2, abs=0.002)
    spread = math.sqrt(sum((other - level) ** 2 for other in shuffled) / SHUFFLES)
    if bits - level > 12 * spread:
        return bits - level
    assert bits - level < 2.5 * spread, "neither far above chance nor chance"
    return 0.0


class Kept:
    """The bits beyond chance of each pair of columns at each pair of levels of their ladders."""

    def __init__(self, ladders: Sequence[LadderViews], target: str | None = None) -> None:
        self.views = {ladder.column: ladder.views for ladder in ladders}
        if target is not None:
            self.views[target] = ("as is",)
        names = list(self.views)
        self.pairs = [pair for pair in itertools.combinations(names, 2) if target is None or pair[1] == target]
        self.bits = {pair: self._table(*pair) for pair in self.pairs}
        self.total = math.fsum(table[0, 0] for table in self.bits.values())

    def _table(self, first: str, second: str) -> dict[tuple[int, int], float]:
        found = {
            (a, b): beyond_chance(
                [seen(one, value) for value in PEOPLE[first]], [seen(other, value) for value in PEOPLE[second]]
            )
            for (a, one), (b, other) in itertools.product(enumerate(self.views[first]), enumerate(self.views[second]))
        }
        # What a coarser view shows is also in every view that it can be made from.
        return {
            (a, b): max(bits for (coarser, other), bits in found.items() if coarser >= a and other >= b)
            for a, b in found
        }

    def loss(self, levels: dict[str, int], withheld: int) -> float:
        left = math.fsum(self.bits[pair][levels[pair[0]], levels.get(pair[1], 0)] for pair in self.pairs)
        n = len(PEOPLE["age"])
        return 1 - left / self.total * (n - withheld) / n


def points_of(answer: Advice) -> list[TreatmentPoint]:
    return [answer.best, answer.as_is, answer.given_up, *answer.points]


def levels_of(point: TreatmentPoint, kept: Kept, qid: list[str]) -> dict[str, int]:
    """Return the level of each column by the view that is published."""
    views = [name.partition(":")[2] or "as is" for name in point.columns or ()]
    return {column: kept.views[column].index(view) for column, view in zip(qid, views, strict=True)}


@pytest.fixture(scope="module")
def all_pairs() -> Kept:
    answer = idbits.advise(pyarrow.table(PEOPLE), ["age", "zip", "income"])
    return Kept(answer.ladders)


def test_only_columns_that_are_related_count(all_pairs: Kept) -> None:
    assert {pair for pair in all_pairs.pairs if all_pairs.bits[pair][0, 0]} == {("age", "income")}
    assert len(all_pairs.bits["age", "income"]) >= 12


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "mutual"},
        {"loss": "cells", "goal": "k_min >= 3", "withhold": "20%"},
        {"loss": "mutual", "goal": "k_min >= 10", "withhold": 0},
        # What counts as everything is what the table as it is says, also if the ages must be in bands.
        {"loss": "mutual", "from_": {"age": "band10"}, "withhold": "10%"},
    ],
)
def test_the_loss_of_each_treatment_is_what_rows_say(all_pairs: Kept, options: dict[str, Any]) -> None:
    qid = ["age", "zip", "income"]
    answer = idbits.advise(pyarrow.table(PEOPLE), qid, **options)
    points = points_of(answer)
    for point in points:
        expected = all_pairs.loss(levels_of(point, all_pairs, qid), point.withheld)
        assert point.loss["mutual"] == pytest.approx(expected, abs=1e-9)
    assert len({point.loss["mutual"] for point in points}) >= 3
    assert any(point.withheld for point in points) == (options.get("withhold") != 0)
    assert answer.given_up.loss["mutual"] == 1
    if options["loss"] == "mutual":
        # Mutual information with its chance keeps ZIP codes and makes ages coarser, which loses all there is to lose.
        assert (answer.best.columns or ())[1] == "zip:all"


def test_the_loss_for_a_column_that_is_to_be_predicted() -> None:
    qid = ["age", "zip"]
    answer = idbits.advise(pyarrow.table(PEOPLE), qid, use_for="income", goal="k_min >= 6", withhold="40%")
    kept = Kept(answer.ladders, "income")
    assert any(point.withheld for point in points_of(answer))
    for point in points_of(answer):
        expected = kept.loss(levels_of(point, kept, qid), point.withheld)
        assert point.loss["mutual"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("target", [None, "income"])
def test_the_bound_of_a_search_that_ends_early_is_not_above_the_optimum(target: str | None) -> None:
    qid = ["age", "zip"] if target else ["age", "zip", "income"]
    options: dict[str, Any] = {"loss": "mutual", "use_for": target, "goal": "k_min >= 60", "withhold": 0}
    whole = idbits.advise(pyarrow.table(PEOPLE), qid, **options)
    short = idbits.advise(pyarrow.table(PEOPLE), qid, max_nodes=1, max_seconds=0.001, **options)
    assert (whole.optimal, short.optimal) == (True, False)
    assert whole.lower_bound == whole.best.loss["mutual"]
    assert 0 < short.lower_bound <= whole.best.loss["mutual"] + 1e-12


def losses_of_registry() -> tuple[tuple[int, ...], list[tuple[str, ...]], Callable[[Node], float]]:
    """Return the levels and views of registered people, and the loss of relationships of each node."""
    table = open_table(registry(20_000), open_options({}))
    names = ["birthdate", "gender"]
    table.load(names)
    question = AdviceQuestion(rules=parse_goals(None), withhold=Fraction(0))
    problem = read_problem(table, parse_attributes(names, table.columns), (), None, question, open_options({}))
    loss, lattice = problem.mutual, problem.lattice
    assert loss is not None
    return (
        lattice.n_levels,
        [ladder.views for ladder in problem.ladders],
        lambda node: loss.of(lattice.groups_at(node), None, 0),
    )


def test_a_finer_view_keeps_no_less_than_what_can_be_made_from_it() -> None:
    """There are too many birth dates to show that women live longer. Decades, which follow from dates, show it."""
    n_levels, views, loss = losses_of_registry()
    nodes = list(itertools.product(*map(range, n_levels)))
    lost = {node: loss(node) for node in nodes}
    for finer, coarser in itertools.product(nodes, nodes):
        if all(a <= b for a, b in zip(finer, coarser, strict=True)):
            assert lost[finer] <= lost[coarser]
    chain = [1 - lost[level, 0] for level in range(n_levels[0])]
    assert views[0][-1] == "all"
    assert (chain[0], chain[-1]) == (1, 0)
    assert len(chain) >= 5
    assert all(kept > 0 for kept in chain[:-1])
