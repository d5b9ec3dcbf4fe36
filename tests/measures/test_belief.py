"""What an attacker believes about a feature: the same by code on this machine and by value on a cluster."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.kernels.cohorts import CohortCells
from idbits.measures.belief import FeatureBelief
from idbits.measures.logarithms import as_bits

PEOPLE = st.lists(st.integers(1, 50), min_size=1, max_size=8)


@given(PEOPLE, st.sampled_from([0.0, 0.25]))
def test_population_priors_by_code_are_those_value_by_value(people, smoothing):
    labels = [f"value {number}" for number in range(len(people))]
    weights = {name: Fraction(number + 1) for number, name in enumerate(labels)}
    belief = FeatureBelief(1.0, weights, smoothing)
    coded = belief.by_code(np.array(people), lambda: labels)
    shares, missing = belief.population_shares(labels, people, sum(people))
    assert coded.prior.shares.tolist() == shares
    assert coded.prior.surprisal.tolist() == [belief.surprisal_units(share) for share in shares]
    assert not any(missing)
    assert math.fsum(shares) == pytest.approx(1.0)


@given(PEOPLE)
def test_the_prior_of_the_table_by_code_is_that_by_counts(people):
    belief, counts = FeatureBelief(), np.array(people)
    coded = belief.by_code(counts, lambda: pytest.fail("the table's prior needs no labels"))
    assert coded.prior.surprisal.tolist() == belief.table_surprisal(counts, sum(people)).tolist()


def test_values_that_a_population_lacks_are_counted_where_they_occur():
    belief = FeatureBelief(1.0, {"a": Fraction(1)}, 0.5)
    coded = belief.by_code(np.array([3, 2, 0]), lambda: ["a", "b", "c"])
    assert (coded.missing_values, coded.missing_people) == (1, 2)


@given(PEOPLE, st.sampled_from([0.25, 0.7]))
def test_a_table_that_is_trusted_in_part_adds_up_cell_by_cell(people, accuracy):
    # Everything occurs in the one cohort, so that nothing outside of it keeps its part of the prior.
    belief, counts = FeatureBelief(accuracy, {str(code): Fraction(1) for code in range(len(people))}), np.array(people)
    coded = belief.by_code(counts, lambda: [str(code) for code in range(len(people))])
    gain = coded.gains(CohortCells(np.arange(len(people)), counts, np.array([0]))).cig_bits[0]
    units = belief.believed_units(counts, np.full(len(people), sum(people)), coded.prior.shares)
    assert gain == pytest.approx(as_bits(int(units.sum())), abs=1e-12)
    assert belief.untrusted_log2 == math.log2(1 - accuracy)
