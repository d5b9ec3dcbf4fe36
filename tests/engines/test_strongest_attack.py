"""The strongest attacker in blocks and threads, against one cohort at a time."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idbits.counts import CodedRows
from idbits.engines.strongest_attack import StrongestAttack, cohort_sizes
from idbits.kernels import leave_one_out
from idbits.kernels.cohorts import CohortCells, CohortSizes
from idbits.kernels.distinct import distinct_rows
from idbits.measures.belief import FeatureBelief
from idbits.progress import Count


@st.composite
def tables(draw):
    """Draw rows of small codes; columns of 13 bits more do not fit in one key."""
    n, sizes = draw(st.integers(1, 60)), draw(st.lists(st.sampled_from([1, 2, 3, 9]), min_size=1, max_size=5))
    codes = [draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n)) for size in sizes]
    people = draw(st.none() | st.lists(st.integers(1, 5000), min_size=n, max_size=n))
    bits = draw(st.sampled_from([0, 13]))
    weights = None if people is None else np.array(people, np.int64)
    return CodedRows(tuple(np.array(column, np.uint32) for column in codes), tuple(s << bits for s in sizes), weights)


@pytest.mark.big
@given(tables(), st.sampled_from([1, 5, 1 << 15]), st.sampled_from([1, 2, 3]), st.sampled_from([0.0, 0.5, 1.0]))
def test_each_row_gains_what_its_cohorts_say(rows, grouped, threads, accuracy):
    distinct = distinct_rows(rows)
    beliefs = [FeatureBelief(accuracy).by_code(people, list) for people in distinct.value_people]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leave_one_out, "_GROUPED", grouped)
        attack = StrongestAttack(distinct, beliefs, threads, Count(1), cells=True, csf=True)
        attack.run()
        alone = StrongestAttack(distinct, beliefs, threads, Count(1), cells=False, csf=False)
        alone.run()
        counted = cohort_sizes(distinct, Count(1))
    bits, surprises, totals, sizes = by_cohort(distinct, beliefs)
    assert attack.bits.tolist() == bits.tolist()
    assert attack.surprises.tolist() == surprises.tolist()
    rig = np.zeros(distinct.n_rows)
    for line in bits:
        rig += line
    assert attack.rig.tolist() == alone.rig.tolist() == rig.tolist()
    assert attack.totals == alone.totals == totals
    for made in (attack.sizes, alone.sizes, counted):
        assert [each.spectrum().pairs() for each in made] == [each.spectrum().pairs() for each in sizes]


def by_cohort(distinct, beliefs):
    """Return cells, surprises, totals and cohorts, computed for one cohort after the other."""
    shape = len(distinct.sizes), distinct.n_rows
    bits, surprises, totals = np.zeros(shape), np.zeros(shape), [0] * shape[0]
    sizes = [CohortSizes() for _ in distinct.sizes]
    values = list(zip(*(column.tolist() for column in distinct.codes), strict=True))
    for column, belief in enumerate(beliefs):
        cohorts = defaultdict(list)
        for number, row in enumerate(values):
            cohorts[row[:column] + row[column + 1 :]].append(number)
        for members in cohorts.values():
            codes = distinct.codes[column][members].astype(np.int64)
            cells = CohortCells(codes, distinct.cohorts()[members], np.array([0]))
            gains = belief.gains(cells)
            bits[column, members] = gains.cig_bits[0]
            surprises[column, members] = belief.surprise(cells, gains.sizes)
            totals[column] += gains.total
            sizes[column].add(gains.sizes)
    return bits, surprises, totals, sizes


def test_a_failing_belief_ends_the_attack():
    class Failing:
        def gains(self, cells):
            raise ValueError(len(cells.codes))

    rows = distinct_rows(CodedRows((np.arange(9, dtype=np.uint32), np.zeros(9, np.uint32)), (9, 2)))
    with pytest.raises(ValueError):
        StrongestAttack(rows, [Failing(), Failing()], 2, Count(1), cells=False, csf=False).run()
