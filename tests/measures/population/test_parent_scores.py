"""Scores of candidate parents against means over all sets, and the chosen network against trying all candidates."""

import numpy as np
import pytest

from idbits.measures.population import network as network_module
from idbits.measures.population import parent_scores
from idbits.measures.population.network import search_network
from idbits.measures.population.parent_scores import AlikeSets, SearchedSets
from idbits.measures.population.sets import SampleSets

SMOOTHING = np.array([1.0, 3.0, 10.0, 30.0, 100.0])


def related_sets(seed: int, *, one_person_each: bool) -> SampleSets:
    """Return sets of five columns, of which one is a copy of another: both are equally good parents."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 30, 800)
    codes = [first, (first + rng.integers(0, 3, 800)) % 20, rng.integers(0, 6, 800), first // 4]
    codes.append((codes[1] + codes[2]) % 9)
    codes.append(codes[1].copy())
    distinct, people = np.unique(np.array(codes), axis=1, return_counts=True)
    order = rng.permutation(distinct.shape[1])
    columns = tuple(column[order].astype(np.uint8) for column in distinct)
    counts = np.ones(len(order), np.uint8) if one_person_each else people[order].astype(np.uint8)
    return SampleSets(columns, (30, 20, 6, 8, 9, 20), counts)


def others(sets: SampleSets, columns: list[int]) -> np.ndarray:
    """Count the people of other sets who are equal in some columns, set by set."""
    rows = np.array([sets.codes[column] for column in columns]).reshape(len(columns), -1)
    people = sets.people.astype(np.int64)
    equal = (rows[:, :, None] == rows[:, None, :]).all(axis=0)
    return equal @ people - people


@pytest.mark.parametrize("one_person_each", [True, False])
@pytest.mark.parametrize("room", [0, 8])
def test_scores_are_means_over_all_sets(monkeypatch: pytest.MonkeyPatch, room: int, one_person_each: bool) -> None:
    monkeypatch.setattr(parent_scores, "_ROOM_PER_SET", room)
    sets = related_sets(1, one_person_each=one_person_each)
    alike, parents = AlikeSets.of(SearchedSets(sets), 3), []
    chance = (others(sets, [3]) + 1 / 8) / (sets.n_people + 1)
    for further, candidates in ((None, [0, 1, 2]), (1, [0, 2, 4])):
        if further is not None:
            chance = (others(sets, [3, further]) + 3 * chance) / (others(sets, [further]) + 3)
            alike, parents = alike.with_parent(further), [further]
        expected = [
            [
                np.log((others(sets, [3, *parents, a]) + s * chance) / (others(sets, [*parents, a]) + s)).mean()
                for s in SMOOTHING
            ]
            for a in candidates
        ]
        assert alike.scores(candidates, SMOOTHING, chance) == pytest.approx(np.array(expected), rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_the_network_is_the_one_that_trying_all_candidates_finds(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    sets = related_sets(seed, one_person_each=seed % 2 == 0)
    chosen = search_network(sets)
    assert any(len(family.parents) == 2 for family in chosen)
    monkeypatch.setattr(
        network_module,
        "_possibly_best",
        lambda _, candidates, __: [(parent, s) for parent in candidates for s in SMOOTHING.tolist()],
    )
    assert search_network(sets) == chosen
